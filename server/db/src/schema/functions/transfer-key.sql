-- The key of transfers in indexes.

create or replace function transfer_key(id bigint) returns text language sql immutable as $$
  select 'm' || id::text
$$;
comment on function transfer_key is
  'The key of a transfer among the activity of the market. It never changes: indexes hold its values.';
