-- When expiries become final.

create or replace function final_time(wall timestamptz) returns timestamptz language sql stable as $$
  select case when (select value from settings where name = 'chain') = 'regtest' then wall
    else least(wall, (select mined_at + interval '2 hours' from blocks order by height desc limit 1)) end
$$;
comment on function final_time is
  'Time up to which expiries are final: the wall clock, but except on regtest at most two hours after the last block.';
