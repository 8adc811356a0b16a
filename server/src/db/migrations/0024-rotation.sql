-- Sessions of the storefront are renewed while they are used: another token each hour, for so long.
alter table sessions
  add column began_at timestamptz not null default now(),
  add column issued_at timestamptz not null default now();
