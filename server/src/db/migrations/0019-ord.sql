-- An index that begins in the middle of a chain: inscriptions that an ord server told of.
alter table inscriptions
  -- height of ord when it told; null for what the index has read in a block itself
  add column adopted_height integer;
create index inscriptions_adopted on inscriptions (adopted_height) where adopted_height is not null;
-- items that the index has not seen
create index collection_items_unseen on collection_items (inscription_id) where sort_key >= 4503599627370496;
