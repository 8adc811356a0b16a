-- Keys used in indexes.

create or replace function txid_key(txid text) returns bigint language sql immutable strict parallel safe
  return ('x' || left(txid, 12))::bit(48)::bigint;
comment on function txid_key is
  'First 48 bits of a txid as a number, to look up outputs. Must never change: indexes store its values.';

create or replace function transfer_key(id bigint) returns text language sql immutable as $$
  select 'm' || id::text
$$;
comment on function transfer_key is
  'Key of a transfer in the activity feed. Must never change: indexes store its values.';
