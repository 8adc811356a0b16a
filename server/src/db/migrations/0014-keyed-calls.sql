-- oldest code: 0013
-- Writes that came with an Idempotency-Key, by the hash of the key; without an answer while they are under way.
create table keyed_calls (
  profile_id uuid not null references profiles,
  key_sha256 bytea not null,
  request_sha256 bytea not null,
  -- of the request that runs the call: another one may take over after its lease
  claim_id uuid not null,
  began_at timestamptz not null,
  status int,
  body bytea,
  primary key (profile_id, key_sha256),
  check ((status is null) = (body is null))
);
create index keyed_calls_age on keyed_calls (began_at);
