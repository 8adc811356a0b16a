-- Keys that indexes hold.

create or replace function txid_key(txid text) returns bigint language sql immutable strict parallel safe
  return ('x' || left(txid, 12))::bit(48)::bigint;
comment on function txid_key is
  'The first 48 bits of a txid as a number, by which outputs are looked up. Indexes hold its values, so it never changes.';

create or replace function transfer_key(id bigint) returns text language sql immutable as $$
  select 'm' || id::text
$$;
comment on function transfer_key is
  'The key of a transfer among the activity of the market. It never changes: indexes hold its values.';
