-- The coins of an owner are in an order, so that a page of its inscriptions reads no others.
-- oldest code: 0013

-- install: inscribed-sats.sql e0bf28444ce7

-- It begins as the former index does, so it serves older code too.
create index inscribed_sats_held on inscribed_sats (sha256(owner_script), first_id) where owner_script is not null;
drop index inscribed_sats_owner;
