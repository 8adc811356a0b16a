-- Adds new children to collections without reading the other items.
-- oldest code: 0001

-- ## Derived tables

-- Collections whose items changed in a block, until the follower ranks them.
create table stale_collections (
  collection_id uuid primary key references collections
);

-- install: collections.sql fd72c5b54c3f
