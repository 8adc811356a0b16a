-- The derived table `collection_sales`: sales by collection.

create or replace function collection_sales_of(c uuid) returns setof collection_sales language sql stable as $$
  select c, s.height, s.sale_id from collection_items m join sales s using (inscription_id) where m.collection_id = c
$$;
comment on function collection_sales_of is
  'Expected rows of collection_sales for a collection.';

create or replace function update_collection_sales() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_sales
    select m.collection_id, s.height, s.sale_id from changed s join collection_items m using (inscription_id);
  end if;
  perform drop_rendered_items(array(select distinct inscription_id from changed));
  perform announce(array['sales']);
  return null;
end $$;
comment on function update_collection_sales is
  'Adds new sales to their collections and drops the rendered rows of their items.';
create or replace trigger sales_made after insert on sales
  referencing new table as changed for each statement execute function update_collection_sales();
create or replace trigger sales_undone after delete on sales
  referencing old table as changed for each statement execute function update_collection_sales();
