-- Updates books, floors and feeds once per statement, not per listing.
-- oldest code: 0001

-- ## Derived tables

-- Changes of book entries in a transaction, until it commits and updates the floors.
create table floor_changes (
  change_id bigint generated always as identity primary key,
  collection_id uuid not null,
  -- the first time at which the floor may have changed
  begin_at timestamptz not null,
  -- number of entries opened, minus those closed
  listed_count integer not null
);

-- install: inscribed-sats.sql e240b0a92d64
-- install: book-entries.sql b788107821e9
-- install: collection-floors.sql 7b251fd57d2a
-- install: collections.sql 1df70f49030a
-- install: live-events.sql 3cb2bb92f54d
-- install: order-log.sql 130f52a2493f
-- install: proposals.sql 5e6690d428df
-- install: rendered-rows.sql d42c87641e2e
