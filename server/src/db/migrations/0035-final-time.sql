-- Expiries up to this time are final: the wall clock, but no more than two hours after the last block. Blocks of regtest
-- come when asked for, so the wall clock decides there alone. An order that a jump of the clock has run out may come back.
create function final_time(wall timestamptz) returns timestamptz language sql stable as $$
  select case when (select value from settings where name = 'chain') = 'regtest' then wall
    else least(wall, (select mined_at + interval '2 hours' from blocks order by height desc limit 1)) end
$$;
