-- Inscriptions that an index which began in the middle of a chain has read itself: their sats, and parents and inscriptions
-- on the same sat that are older than the index, are for the ord server to tell.
create table incomplete_inscriptions (
  sequence bigint primary key references inscriptions on delete cascade,
  -- its envelope claims parents that the index did not see in the inputs
  claims_parents boolean not null,
  -- how often ord failed to tell
  tries integer not null default 0
);
create index incomplete_inscriptions_next on incomplete_inscriptions (tries, sequence);

-- False where a sale may as well be a transfer to oneself, a loan or a refund: it counts in no volume.
alter table sales add column counted boolean not null default true;
