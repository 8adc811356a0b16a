-- Who signs in: profiles with their wallets, the challenges of sign-in, and sessions.
create table profiles (
  profile_id uuid primary key,
  username text,
  bio text,
  avatar_url text,
  banner_url text,
  created_at timestamptz not null default now()
);

-- Scripts are what is compared; addresses are written from them.
create table wallet_bindings (
  wallet_binding_id uuid primary key,
  profile_id uuid not null references profiles,
  label text not null,
  provider text not null,
  ordinals_script bytea not null unique,
  payment_script bytea not null unique,
  is_public boolean not null,
  created_at timestamptz not null default now()
);
create index wallet_bindings_profile on wallet_bindings (profile_id);

create table auth_requests (
  auth_request_id uuid primary key,
  ordinals_script bytea not null,
  payment_script bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index auth_requests_expiry on auth_requests (expires_at);

create table auth_challenges (
  challenge_id uuid primary key,
  auth_request_id uuid not null references auth_requests on delete cascade,
  role text not null check (role in ('ordinals', 'payment')),
  script bytea not null,
  message text not null
);
create index auth_challenges_request on auth_challenges (auth_request_id);

create table sessions (
  token_sha256 bytea primary key,
  profile_id uuid not null references profiles,
  expires_at timestamptz not null
);
create index sessions_expiry on sessions (expires_at);

-- What every server process of a market must share and nobody else may know.
create table secrets (
  name text primary key,
  secret bytea not null
);
