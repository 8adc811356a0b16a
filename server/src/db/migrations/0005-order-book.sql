-- The order book: listings, the log of each, and the escrow coins.

create table listings (
  listing_id uuid primary key,
  anchor_utxo_id uuid not null unique,
  recovery_handle uuid not null,
  collection_id uuid not null references collections,
  inscription_id text not null,
  wallet_binding_id uuid not null references wallet_bindings,
  seller_script bytea not null,
  price_sats bigint not null,
  terms jsonb not null,
  economics jsonb not null,
  transfer_txid text not null,
  -- block of a transfer that confirmed without its sale
  transfer_height integer,
  transfer_signature bytea not null,
  leg_signature bytea not null,
  -- null: no recovery was signed, so its owner asks for a reclaim
  recovery_signature bytea,
  -- the batch that the recovery covers, and this item's place in it
  recovery_batch uuid not null,
  recovery_index integer not null,
  state text not null
    check (state in ('buyable', 'hidden_locked', 'pending_public', 'sold', 'cancelled', 'expired', 'invalidated', 'replaced')),
  listed_at timestamptz not null,
  expires_at timestamptz,
  ended_at timestamptz,
  -- offset of the inscription's sat in its coin
  sat_offset bigint not null default 0,
  rendered_row text,
  rendered_version integer not null default 0,
  -- the coin that the listing was signed over
  coin_txid text not null,
  coin_vout bigint not null,
  -- height of the index when the chain made the listing impossible
  invalidated_height integer,
  -- of its escrow coin: `transfer_txid` is the transaction that makes it, a move's where one moved it
  escrow_vout bigint not null default 0,
  generation integer not null default 0
) with (fillfactor = 70);
create index listings_coin on listings (coin_txid, coin_vout) where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_collection on listings (collection_id, listed_at);
create index listings_expiry on listings (expires_at) where state in ('buyable', 'hidden_locked', 'pending_public');
-- the floors of a day and a week ago are read from it
create index listings_inscription on listings (inscription_id, listed_at);
create index listings_invalidated on listings (invalidated_height) where state = 'invalidated';
-- one live listing per inscription: it settles races
create unique index listings_live on listings (inscription_id) where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_price on listings ((-price_sats), listed_at, listing_id) where state = 'buyable';
create index listings_recent on listings (listed_at desc, listing_id desc) where state = 'buyable';
create index listings_seller on listings (seller_script, listed_at desc, listing_id desc) where state = 'buyable';
create index listings_transfer on listings (transfer_txid);
create index listings_waiting on listings (listing_id) where state in ('hidden_locked', 'pending_public');

-- Append-only: each move of a listing, with its reason; `height` where a block caused it, so that a reorg can take it back.
create table order_events (
  event_id bigint generated always as identity primary key,
  listing_id uuid not null references listings,
  from_state text,
  to_state text not null,
  reason text not null,
  height integer,
  occurred_at timestamptz not null,
  -- the safety of the seller of an ended listing: the market refuses to co-sign; the anchor is spent, in no block yet; the pre-signed
  -- transfer can never confirm
  guarantee text check (guarantee in ('refused', 'anchor-spent', 'impossible')),
  -- the event of an undone block that this one takes back
  undoes bigint references order_events
);
create index order_events_height on order_events (height) where height is not null;
create index order_events_listing on order_events (listing_id, event_id);
create index order_events_recent on order_events (occurred_at desc);

-- Escrow coins, made by the transfer of a listing or a counter, or by a move. Each price on one is a leg with a generation
-- of its own, so that the signer can refuse the older ones.
create table escrows (
  txid text not null,
  vout bigint not null,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- the owner of the inscription, wherever it rests
  seller_script bytea not null,
  -- the kernel's TransferTerms, and the seller's signature on the transfer
  terms jsonb not null,
  transfer_signature bytea not null,
  -- of the next leg: no generation is given out twice
  next_generation integer not null default 1,
  -- the lowest generation that may still be signed, and the floor that the signer confirmed
  floor integer not null default 0,
  signer_floor integer not null default 0,
  -- block of the transaction that makes it
  made_height integer,
  -- the reclaim or the move that was written last
  leaving_txid text,
  created_at timestamptz not null,
  primary key (txid, vout)
);
create index escrows_inscription on escrows (inscription_id);
create index escrows_made on escrows (made_height) where made_height is not null;
create index escrows_owner on escrows (seller_script, created_at desc, txid, vout);
create index escrows_floor_due on escrows (txid) where floor > signer_floor;
