-- Announces changes that pages about wallets, holdings and offers show. Their tags: `offers`, `holdings` (sats and inscriptions of all
-- addresses), `listings`, and `p:ID` for the wallets of a profile.

create or replace function announce_change() returns trigger language plpgsql as $$
begin
  perform announce(array[tg_argv[0]]);
  return null;
end $$;
comment on function announce_change is
  'Announces a tag, the argument of the trigger.';
-- Once per statement, because blocks write many rows.
create or replace trigger inscribed_sats_announced after insert or update or delete on inscribed_sats
  for each statement execute function announce_change('holdings');
create or replace trigger inscription_rows_announced after insert or update or delete on inscription_rows
  for each statement execute function announce_change('holdings');
create or replace trigger listings_announced after insert or update of state on listings
  for each row execute function announce_change('listings');
create or replace trigger offers_announced after insert or delete on offers
  for each row execute function announce_change('offers');
-- All changes except a rendered row that is stored.
create or replace trigger offers_changed after update on offers
  for each row when (old.rendered_row is not null or new.rendered_row is null) execute function announce_change('offers');
create or replace trigger offer_events_announced after insert on offer_events
  for each row execute function announce_change('offers');

create or replace function announce_wallet() returns trigger language plpgsql as $$
begin
  perform announce(array['p:' || new.profile_id]);
  return null;
end $$;
comment on function announce_wallet is
  'Announces that the wallets of a profile changed.';
create or replace trigger wallet_bindings_announced after insert or update on wallet_bindings
  for each row execute function announce_wallet();
