-- What the chain and the mempool say of orders, both ways: what they make impossible may become possible again.

-- The coin that a listing is signed over, before its transfer.
alter table listings add column coin_txid text, add column coin_vout bigint;
update listings set coin_txid = terms -> 'inscriptionCoin' ->> 'txid', coin_vout = (terms -> 'inscriptionCoin' ->> 'vout')::bigint;
alter table listings alter column coin_txid set not null, alter column coin_vout set not null;
create index listings_coin on listings (coin_txid, coin_vout)
  where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_waiting on listings (listing_id) where state in ('hidden_locked', 'pending_public');
-- Height of the index when the chain made it impossible.
alter table listings add column invalidated_height integer;
create index listings_invalidated on listings (invalidated_height) where state = 'invalidated';
drop index listings_expiry;
create index listings_expiry on listings (expires_at) where state in ('buyable', 'hidden_locked', 'pending_public');

-- Where a live listing should stand: its coin is the escrow's once its transfer is in a block.
create function listing_state(l listings) returns text language sql stable as $$
  select case
    when exists (select 1 from settlements s
      where s.state in ('intended', 'broadcast') and l.inscription_id = any(s.inscription_ids)) then 'hidden_locked'
    when l.transfer_height is null and exists (select 1 from mempool_spends m
      where m.txid = l.coin_txid and m.vout = l.coin_vout and m.spender <> l.transfer_txid) then 'hidden_locked'
    when l.transfer_height is not null and exists (select 1 from mempool_spends m
      where m.txid = l.transfer_txid and m.vout = 0) then 'hidden_locked'
    when exists (select 1 from inscriptions i where i.inscription_id = l.inscription_id
      and i.txid = case when l.transfer_height is null then l.coin_txid else l.transfer_txid end
      and i.vout = case when l.transfer_height is null then l.coin_vout else 0 end) then 'buyable'
    else 'pending_public' end
$$;

-- Why a coin that offers rest on is not there; null while it is. Offers that ended for it keep their rows until they would
-- have expired.
alter table backing_coins
  add column gone text,
  -- the node is to be asked again
  add column asked_anew boolean not null default false;
create index backing_coins_asked on backing_coins (txid, vout) where asked_anew;
