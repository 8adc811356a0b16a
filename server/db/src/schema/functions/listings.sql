-- State of an active listing, from chain and mempool.

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
