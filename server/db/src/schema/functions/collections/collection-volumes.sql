-- The derived table `collection_volumes`: counted sales, summed per collection and hour.

create or replace function volumes_of_sale(sold_at timestamptz) returns setof timestamptz language sql immutable as $$
  values (date_bin('1 hour', sold_at, '2000-01-01 00:00:00+00')), ('-infinity'::timestamptz)
$$;
comment on function volumes_of_sale is
  'The rows that a sale is summed in: its hour, and all time.';

create or replace function collection_volumes_of(c uuid) returns setof collection_volumes language sql stable as $$
  select c, h.hour, sum(s.price_sats)::bigint, count(*)::int
  from collection_sales_of(c) k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
  where s.counted group by h.hour
$$;
comment on function collection_volumes_of is
  'Expected rows of collection_volumes for a collection.';

create or replace function update_collection_volumes() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into collection_volumes as v
  select k.collection_id, h.hour, sign * sum(s.price_sats)::bigint, sign * count(*)::int
  from changed k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
  where s.counted group by 1, 2 order by 1, 2
  on conflict (collection_id, hour) do update set
    volume_sats = v.volume_sats + excluded.volume_sats, sale_count = v.sale_count + excluded.sale_count;
  if tg_op = 'DELETE' then
    delete from collection_volumes v
    using changed k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
    where v.collection_id = k.collection_id and v.hour = h.hour and v.sale_count = 0;
  end if;
  return null;
end $$;
comment on function update_collection_volumes is
  'Adds new sales of a collection to its sums, and subtracts removed ones.';
create or replace trigger collection_sales_made after insert on collection_sales
  referencing new table as changed for each statement execute function update_collection_volumes();
create or replace trigger collection_sales_undone after delete on collection_sales
  referencing old table as changed for each statement execute function update_collection_volumes();

-- Runs before a sale is deleted, while its price can still be read: the foreign key deletes its rows afterwards.
create or replace function leave_collections() returns trigger language plpgsql as $$
begin
  delete from collection_sales where sale_id = old.sale_id;
  return old;
end $$;
comment on function leave_collections is
  'Removes a sale from its collections before it is deleted.';
create or replace trigger sales_leave before delete on sales for each row execute function leave_collections();
