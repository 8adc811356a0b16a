-- Rows that the processes of a market share.

-- Keys that all server processes of a market share.
create table secrets (
  name text primary key,
  secret bytea not null
);

-- Facts about this database: its market and chain, the format of the rendered rows, the marks of the signers' journals.
create table settings (
  name text primary key,
  value text not null
);

-- The follower and the jobs work in one process at a time, the holder of the role's lease. Taking the lease raises the token. Each
-- transaction of the holder begins with hold_lease, so that a holder who lost the lease without noticing writes nothing.
create table leases (
  role text primary key check (role in ('follower', 'jobs')),
  holder uuid,
  -- the session of the holder that renews the lease: when it has ended the lease is free, even before its expiry
  backend integer,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  -- makes a new token an update of a key, which waits for transactions that hold the row FOR KEY SHARE; a new expiry does not
  unique (role, token)
);
insert into leases (role) values ('follower'), ('jobs');
