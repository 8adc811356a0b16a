-- Transactions with thousands of inscribed outputs, of which a block spends one.
-- oldest code: 0001

create index inscribed_sats_coin on inscribed_sats (txid_key(txid), vout) where txid is not null;
drop index inscribed_sats_place;
alter index inscribed_sats_coin rename to inscribed_sats_place;

create index watched_inscriptions_coin on watched_inscriptions (txid_key(txid), vout) where txid is not null;
drop index watched_inscriptions_place;
alter index watched_inscriptions_coin rename to watched_inscriptions_place;
