-- Two surfaces, /api/v1 by bearer token and /web/v1 by cookie: a sign-in and a session belong to one of them.
alter table auth_requests add column surface text not null default 'api' check (surface in ('api', 'web'));
alter table sessions add column surface text not null default 'api' check (surface in ('api', 'web'));
