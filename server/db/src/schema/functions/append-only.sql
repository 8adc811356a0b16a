-- Makes order_events and offer_events append-only.

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
comment on function refuse_change is
  'Raises an error on changes of an append-only table.';
create or replace trigger offer_events_append_only before update or delete or truncate on offer_events
  for each statement execute function refuse_change();
create or replace trigger order_events_append_only before update or delete or truncate on order_events
  for each statement execute function refuse_change();
