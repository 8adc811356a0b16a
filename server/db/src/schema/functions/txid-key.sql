-- The key of outputs in indexes.

create or replace function txid_key(txid text) returns bigint language sql immutable strict parallel safe
  return ('x' || left(txid, 12))::bit(48)::bigint;
comment on function txid_key is
  'The first 48 bits of a txid as a number, by which outputs are looked up. Indexes hold its values, so it never changes.';
