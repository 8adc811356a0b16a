-- The lease check of the follower and the jobs: each of their transactions starts with it.

create or replace function hold_lease(which text, mine bigint) returns void language plpgsql as $$
begin
  perform from leases where role = which and token = mine for key share;
  if not found then
    raise exception 'another process holds the lease of the %', which using errcode = 'OB001';
  end if;
end $$;
comment on function hold_lease is
  'Raises OB001 unless the caller''s token holds the lease of the role. Keeps the lease until the transaction ends.';
