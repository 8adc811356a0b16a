-- Sign-ins under way are one small row each: the text to sign is printed from it. `client` is a hash of the client that
-- began it, by which growth is bounded.
drop table auth_challenges;
delete from auth_requests;
alter table auth_requests
  add column client bytea not null,
  add column host text not null,
  add column nonce bytea not null,
  add column issued_at timestamptz not null,
  add column ordinals_challenge_id uuid not null,
  -- Null where one address stands for both.
  add column payment_challenge_id uuid;
create index auth_requests_client on auth_requests (client, expires_at);

-- Sessions as their owner sees them: an id that outlives renewed tokens, when it was last used, and by which program.
alter table sessions
  add column session_id uuid not null default gen_random_uuid(),
  add column last_used_at timestamptz not null default now(),
  add column client bytea,
  add column client_hint text;
create index sessions_profile on sessions (profile_id, issued_at);
create index sessions_client on sessions (client, issued_at);
create index sessions_issued on sessions (issued_at);
