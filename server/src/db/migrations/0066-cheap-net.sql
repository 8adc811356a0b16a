-- The same without numeric, which took most of the time of a query over thousands of bids. As in bitcoin/src/sats.ts, a
-- fee forgives a millionth of a sat of binary noise.
create or replace function seller_net(receive_sats bigint, settlement_vsize bigint, package_vsize bigint, paid_sats bigint, rate float8)
returns bigint language sql immutable as $$
  select receive_sats - case when settlement_vsize * rate <= paid_sats then 0
    else greatest(ceil(package_vsize * rate - 0.000001)::bigint - paid_sats, 0) end
$$;
