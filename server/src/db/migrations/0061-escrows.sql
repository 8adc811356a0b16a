-- Escrow coins, made by the transfer of a listing or a counter, or by a move. Each price on one is a leg with a generation
-- of its own, so that the signer can refuse the older ones.
create table escrows (
  txid text not null,
  vout bigint not null,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- whose inscription it is, wherever it rests
  seller_script bytea not null,
  -- the kernel's TransferTerms, and the seller's signature on the transfer
  terms jsonb not null,
  transfer_signature bytea not null,
  -- of the next leg: no generation is given out twice
  next_generation integer not null default 1,
  -- the lowest generation that may still be signed, and what the signer knows of it
  floor integer not null default 0,
  floor_told integer not null default 0,
  -- the block that holds the transaction which makes it
  made_height integer,
  -- the reclaim or the move that was written last
  leaving_txid text,
  created_at timestamptz not null,
  primary key (txid, vout)
);
create index escrows_owner on escrows (seller_script, created_at desc, txid, vout);
create index escrows_inscription on escrows (inscription_id);
create index escrows_untold on escrows (txid) where floor > floor_told;
create index escrows_made on escrows (made_height) where made_height is not null;

alter table listings
  -- of its escrow coin: `transfer_txid` is the transaction that makes it, a move's where one moved it
  add column escrow_vout bigint not null default 0,
  add column generation integer not null default 0,
  -- null: nothing was signed for it, the owner asks for a reclaim
  alter column recovery_signature drop not null;

create or replace function listing_coin(l listings) returns table (txid text, vout bigint) language sql immutable as $$
  select case when l.transfer_height is null then l.coin_txid else l.transfer_txid end,
    case when l.transfer_height is null then l.coin_vout else l.escrow_vout end
$$;

alter table drafts drop constraint drafts_kind_check;
alter table drafts add constraint drafts_kind_check
  check (kind in ('offer', 'counter', 'counter-acceptance', 'collection-offer', 'fill', 'swap', 'relist', 'reclaim', 'move'));
alter table market_transactions drop constraint market_transactions_purpose_check;
alter table market_transactions add constraint market_transactions_purpose_check
  check (purpose in ('split', 'void', 'recovery', 'bump', 'reclaim', 'move'));
