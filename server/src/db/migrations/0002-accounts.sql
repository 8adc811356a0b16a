-- Profiles with their wallets, the sign-ins under way, and sessions.

create table profiles (
  profile_id uuid primary key,
  username text,
  bio text,
  avatar_url text,
  banner_url text,
  created_at timestamptz not null default now()
);

-- The wallets of profiles. Scripts are compared; addresses are printed from them.
create table wallet_bindings (
  wallet_binding_id uuid primary key,
  profile_id uuid not null references profiles,
  label text not null,
  provider text not null,
  ordinals_script bytea not null unique,
  payment_script bytea not null unique,
  is_public boolean not null,
  created_at timestamptz not null default now(),
  -- key of a payment address that is not taproot, from its owner's last sign-in: spending the payment of an accepted offer needs it
  payment_key bytea
);
create index wallet_bindings_profile on wallet_bindings (profile_id);

-- Sign-ins under way: the text to sign is printed from the row.
create table auth_requests (
  auth_request_id uuid primary key,
  ordinals_script bytea not null,
  payment_script bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- /api/v1 by bearer token, or /web/v1 by cookie
  surface text not null default 'api' check (surface in ('api', 'web')),
  -- hash of the client that began it: bounds what one client can write
  client bytea not null,
  host text not null,
  nonce bytea not null,
  issued_at timestamptz not null,
  ordinals_challenge_id uuid not null,
  -- null where one address stands for both
  payment_challenge_id uuid
);
create index auth_requests_client on auth_requests (client, expires_at);
create index auth_requests_expiry on auth_requests (expires_at);

-- Sessions, by the SHA-256 of their tokens.
create table sessions (
  token_sha256 bytea primary key,
  profile_id uuid not null references profiles,
  expires_at timestamptz not null,
  surface text not null default 'api' check (surface in ('api', 'web')),
  -- storefront sessions get another token each hour while they are used
  began_at timestamptz not null default now(),
  issued_at timestamptz not null default now(),
  -- outlives renewed tokens
  session_id uuid not null default gen_random_uuid(),
  last_used_at timestamptz not null default now(),
  client bytea,
  client_hint text
);
create index sessions_client on sessions (client, issued_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_issued on sessions (issued_at);
create index sessions_profile on sessions (profile_id, issued_at);
