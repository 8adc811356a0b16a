-- Owners are counted by statements of many items, and each item's row is dropped once in a transaction.
-- oldest code: 0013

-- install: collection-owners.sql 96cc8bc887ff
-- install: rendered-rows.sql 02065fae23db
-- install: watched-inscriptions.sql b56ed0d6fa57

drop function move_owner(uuid, bytea, integer);
