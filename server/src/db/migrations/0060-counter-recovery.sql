-- The handle under which a counter keeps the coin of its recovery: the recovery is signed over that coin, with ALL.
do $$ begin
  if exists (select 1 from offers where kind = 'seller_counter') or exists (select 1 from listings) then
    raise exception 'an earlier version filled this database, and its listings and counters cannot be converted: begin with an empty database';
  end if;
end $$;

alter table offers add column recovery_handle uuid;
create unique index offers_recovery on offers (recovery_handle) where recovery_handle is not null;
