-- Live listings: by the inscriptions on their coins, and their states by chain and mempool.

create or replace function live_listing_with(id text) returns setof listings language sql stable rows 1 as $$
  select l.* from inscriptions_with(id) as o (id) join listings l on l.inscription_id = o.id
  where l.state in ('buyable', 'hidden_locked', 'pending_public')
$$;
comment on function live_listing_with is
  'The live listing of the coin that an inscription is on. A coin has at most one.';

create or replace function item_of(l listings, c uuid) returns text language sql stable as $$
  select m.inscription_id from unnest(l.inscription_ids) with ordinality as each (id, n)
  join collection_items m on m.inscription_id = each.id and m.collection_id = c order by each.n limit 1
$$;
comment on function item_of is
  'The item that a listing shows in a collection: the first inscription on its sat that is a member. Null if none is.';

create or replace function listing_coin(l listings) returns table (txid text, vout bigint) language sql immutable as $$
  select case when l.transfer_height is null then l.coin_txid else l.transfer_txid end,
    case when l.transfer_height is null then l.coin_vout else l.escrow_vout end
$$;
comment on function listing_coin is
  'Coin of an active listing: the one it was signed for, or its escrow coin once the transfer has confirmed.';

-- A spend by the listing's own transfer does not change the state.
create or replace function listing_state(l listings) returns text language sql stable as $$
  select case
    when exists (select 1 from settlements s
      where s.state in ('intended', 'broadcast') and moves_with(l.inscription_id, s.inscription_ids)) then 'hidden_locked'
    when exists (select 1 from mempool_spends m
      where m.txid = c.txid and m.vout = c.vout and m.spender <> l.transfer_txid) then 'hidden_locked'
    when exists (select 1 from inscriptions i
      where i.inscription_id = l.inscription_id and i.txid = c.txid and i.vout = c.vout) then 'buyable'
    else 'pending_public' end
  from listing_coin(l) c
$$;
comment on function listing_state is
  'Expected state of an active listing, from settlements, mempool and index.';
