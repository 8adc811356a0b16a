-- The follower and the jobs work in one process at a time: in the one that holds the role's lease. Each taking moves the token, and
-- each transaction of the holder begins with hold_lease, so that a holder who lost the lease without knowing writes nothing.
create table leases (
  role text primary key check (role in ('follower', 'jobs')),
  holder uuid,
  -- The session of the holder that prolongs the lease: once it has ended the lease is free, whatever its expiry says.
  backend int,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  -- Makes a new token an update of a key: it waits for transactions that hold the row FOR KEY SHARE. A new expiry does not.
  unique (role, token)
);
insert into leases (role) values ('follower'), ('jobs');

create function hold_lease(which text, mine bigint) returns void language plpgsql as $$
begin
  perform from leases where role = which and token = mine for key share;
  if not found then
    raise exception 'another process holds the lease of the %', which using errcode = 'OB001';
  end if;
end $$;
