-- The logs of orders and offers are only added to.

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
comment on function refuse_change is
  'Refuses every change of an append-only table.';
create or replace trigger offer_events_append_only before update or delete or truncate on offer_events
  for each statement execute function refuse_change();
create or replace trigger order_events_append_only before update or delete or truncate on order_events
  for each statement execute function refuse_change();
