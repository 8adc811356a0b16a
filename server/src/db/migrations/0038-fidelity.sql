-- The share of its reveal's fee, as ord reckons it; null where it is not known.
alter table inscriptions add column fee_sats bigint;
