-- The fence of the follower and the jobs: each of their transactions begins with it.

create or replace function hold_lease(which text, mine bigint) returns void language plpgsql as $$
begin
  perform from leases where role = which and token = mine for key share;
  if not found then
    raise exception 'another process holds the lease of the %', which using errcode = 'OB001';
  end if;
end $$;
comment on function hold_lease is
  'Fails with OB001 unless the caller''s token still holds the lease of a role, and keeps it held until the transaction ends.';
