-- The hash of each change of the order log, by which its pages are served, and the newest head that the market signed.
-- oldest code: 0013

-- A job writes the hash of a change after its position (order-log/hash.ts): those of the log so far too.
create table order_log_hashes (
  position bigint primary key,
  -- SHA-256 of its line.
  hash bytea not null check (length(hash) = 32),
  -- Length of its line with the end of the line.
  bytes integer not null check (bytes > 0)
);

-- One row.
create table order_log_head (
  is_only boolean primary key default true check (is_only),
  position bigint not null,
  hash bytea not null check (length(hash) = 32),
  signature bytea not null check (length(signature) = 64)
);

-- install: order-log.sql 821d7f3b7986
