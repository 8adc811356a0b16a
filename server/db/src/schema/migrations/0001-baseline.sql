-- All tables, grouped by subject. Functions, triggers and the view `inscriptions` are in ../functions; an install line inserts the
-- file with that name and hash. `npm run generate -- schema` prints the comments above tables as docs/reference/schema.md.

-- Functions used in columns and indexes.

-- install: index-keys.sql 895ce91a045f
-- install: name-skeleton.sql 9e0b4764c292
-- install: search-phrases.sql 5d104232e9f6

-- ## Chain

-- Indexed blocks, without gaps in height.
create table blocks (
  height integer primary key,
  block_hash text not null unique,
  mined_at timestamptz not null,
  -- ord's counters after this block
  next_sequence bigint not null,
  blessed_count bigint not null,
  cursed_count bigint not null,
  unbound_count bigint not null,
  lost_sats bigint not null
);

-- All inscriptions. The view `inscriptions` adds their locations (functions/inscribed-sats.sql).
create table inscription_rows (
  sequence bigint primary key,
  inscription_id text not null,
  inscription_number bigint not null,
  height integer not null,
  inscribed_at timestamptz not null,
  cursed boolean not null,
  vindicated boolean not null,
  unbound boolean not null,
  reinscription boolean not null,
  parent_ids text[] not null,
  delegate_id text,
  pointer bigint,
  content_type text,
  content_encoding text,
  metaprotocol text,
  metadata bytea,
  -- size of the body; null without a body. The body of an adopted inscription stays at the `ord` server.
  content_length integer,
  body bytea,
  -- sat number; null if unknown
  sat bigint,
  -- CBOR as inscribed (ord handbook, "Properties"), and how it is compressed
  properties bytea,
  property_encoding text,
  -- set if the inscription was copied from an `ord` server at this height instead of read from a block
  adopted_height integer,
  -- share of the reveal transaction's fee, as in ord; null if unknown
  fee_sats bigint,
  -- set if the sat was not in a spendable output after the reveal
  born_in text,
  -- references inscribed_sats; an unbound inscription has a placeholder row there
  sat_id bigint not null,
  unique (inscription_id),
  constraint inscriptions_born_in_check check (born_in in ('op_return', 'lost'))
);
create index inscriptions_adopted on inscription_rows (adopted_height) where adopted_height is not null;
create index inscriptions_delegate on inscription_rows (delegate_id) where delegate_id is not null;
create index inscriptions_height on inscription_rows (height);
create index inscriptions_number on inscription_rows (inscription_number);
create index inscriptions_on_sat on inscription_rows (sat_id, sequence);
create index inscriptions_parents on inscription_rows using gin (parent_ids) where parent_ids <> '{}';
create index inscriptions_sat on inscription_rows (sat, sequence) where sat is not null;

-- Locations of inscribed sats: one balanced tree per coin (bitcoin/src/sat-tree.ts). The id is the sequence
-- number of the first inscription on the sat.
create table inscribed_sats (
  sat_id bigint primary key,
  -- of the subtree
  levels smallint not null,
  -- null for the root of a coin
  parent_id bigint,
  -- relative to the parent's sat; for a root, to its output
  sat_offset bigint not null,
  -- the lowest id in the subtree
  first_id bigint not null,
  -- roots only: the output, and the offsets of the first and last inscribed sat in it. Value and script are null if the sats
  -- are lost or unbound.
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  check ((parent_id is null) = (txid is not null))
);
-- in the order of the pages of an owner's inscriptions
create index inscribed_sats_held on inscribed_sats (sha256(owner_script), first_id) where owner_script is not null;
create index inscribed_sats_parent on inscribed_sats (parent_id) where parent_id is not null;
create index inscribed_sats_place on inscribed_sats (txid_key(txid)) where txid is not null;

-- Changes of inscribed_sats by recent blocks, for reorgs. Holds the previous rows.
create table inscribed_sat_undo (
  height integer not null,
  sat_id bigint not null,
  levels smallint not null,
  parent_id bigint,
  sat_offset bigint not null,
  first_id bigint not null,
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  primary key (height, sat_id)
);

-- Moves of inscribed sats between outputs. Adjacent sats share a row.
create table coin_moves (
  height integer not null,
  position integer not null,
  -- the coinbase that lost the sats; null if the transaction of the new output moved them
  moved_by text,
  from_txid text not null,
  from_vout bigint not null,
  from_script bytea not null,
  -- offset of the first sat, and distance to the last
  from_offset bigint not null,
  span bigint not null,
  to_txid text not null,
  to_vout bigint not null,
  to_script bytea,
  to_offset bigint not null,
  primary key (height, position)
);
create index coin_moves_to on coin_moves (txid_key(to_txid), to_vout, to_offset);

-- Inscriptions that collections or orders refer to. A move updates only these rows, however many
-- other inscriptions the coin holds.
create table watched_inscriptions (
  inscription_id text primary key,
  txid text,
  vout bigint,
  owner_script bytea
);
create index watched_inscriptions_place on watched_inscriptions (txid_key(txid)) where txid is not null;

-- Inscriptions with facts still to be requested from ord. If the index was seeded from ord, these are the sat, parents, and earlier
-- inscriptions on the same sat.
create table incomplete_inscriptions (
  sequence bigint primary key references inscription_rows on delete cascade,
  -- the envelope names parents that the index did not find among the inputs
  claims_parents boolean not null,
  -- failed requests to ord
  tries integer not null default 0
);
create index incomplete_inscriptions_next on incomplete_inscriptions (tries, sequence);

-- The first sat of each block (uncommon or rarer) and its location. The market never spends these sats as payment.
create table rare_sats (
  born_height integer primary key,
  -- null once lost in fees that no coinbase claimed
  txid text,
  vout bigint,
  sat_offset bigint
);
create index rare_sats_place on rare_sats (txid_key(txid)) where txid is not null;

-- Moves of rare sats, for reorgs. The origin is null if the block created the sat.
create table rare_sat_moves (
  height integer not null,
  born_height integer not null,
  from_txid text,
  from_vout bigint,
  from_offset bigint,
  primary key (height, born_height)
);

-- Sat ranges of every unspent output and of the lost sats, if the index numbers sats (bitcoin/src/sat-ropes/codec.ts).
create table sat_coins (
  -- as serialized: txid and output index
  outpoint bytea not null,
  -- up to 128 ranges, or a list of chunks
  body bytea not null
);
-- eight bytes of the txid, and the output index: unique enough, and smaller than the outpoint
create index sat_coins_place on sat_coins (substr(outpoint, 25, 12));

-- Ranges of large coins. A chunk never changes.
create table sat_chunks (
  id bigint primary key,
  body bytea not null
);

-- Changes of sat_coins by recent blocks, for reorgs. In parts of bounded size.
create table sat_undo (
  height integer not null,
  part integer not null,
  -- the first chunk that the block could add
  chunk_from bigint not null,
  -- coins that the block spent, and the outpoints that it created
  body bytea not null,
  -- chunks that no coin has after the block. They are deleted with this row.
  dead_chunks bigint[] not null,
  primary key (height, part)
);
-- the bodies are packed
alter table sat_coins alter column body set storage external;
alter table sat_chunks alter column body set storage external;
alter table sat_undo alter column body set storage external;

-- The last poll of the node's mempool. One row.
create unlogged table mempool_poll (
  one boolean primary key default true check (one),
  -- null during the first poll
  polled_at timestamptz,
  transaction_count integer,
  -- transactions that the current poll has yet to read
  unread integer
);

-- Coins spent in the mempool, as of the last poll. Unlogged: a crash may lose them.
create unlogged table mempool_spends (
  txid text not null,
  vout bigint not null,
  spender text not null,
  primary key (txid, vout)
);
create index mempool_spends_spender on mempool_spends (spender);

-- The block that failed to index, with the reason. Trading is paused while the row exists.
create table index_fault (
  one boolean primary key default true check (one),
  height integer not null,
  block_hash text not null,
  txid text,
  reason text not null,
  since timestamptz not null
);

-- ## Accounts

-- Users, one per ordinals address.
create table profiles (
  profile_id uuid primary key,
  username text,
  bio text,
  avatar_url text,
  banner_url text,
  created_at timestamptz not null default now(),
  -- a profile belongs to one ordinals address, which may sign in with several payment addresses
  ordinals_script bytea unique
);

-- Pairs of an ordinals and a payment address, stored as scripts.
create table wallet_bindings (
  wallet_binding_id uuid primary key,
  profile_id uuid not null references profiles,
  label text not null,
  provider text not null,
  ordinals_script bytea not null,
  payment_script bytea not null,
  is_public boolean not null,
  created_at timestamptz not null default now(),
  -- public key of a payment address that is not taproot, from the last sign-in; needed to spend the payment of an accepted offer
  payment_key bytea,
  -- last sign-in; the latest binding of a profile has its current payment address
  signed_in_at timestamptz not null default clock_timestamp(),
  constraint wallet_bindings_pair unique (ordinals_script, payment_script)
);
create index wallet_bindings_payment on wallet_bindings (payment_script);
create index wallet_bindings_profile on wallet_bindings (profile_id);

-- Pending sign-ins. The challenge text is rendered from the row.
create table auth_requests (
  auth_request_id uuid primary key,
  ordinals_script bytea not null,
  payment_script bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- api: bearer token; web: cookie
  surface text not null default 'api' check (surface in ('api', 'web')),
  -- hash of the client, to limit pending sign-ins per client
  client bytea not null,
  host text not null,
  nonce bytea not null,
  issued_at timestamptz not null,
  ordinals_challenge_id uuid not null,
  -- null if both addresses are the same
  payment_challenge_id uuid
);
create index auth_requests_client on auth_requests (client, expires_at);
create index auth_requests_expiry on auth_requests (expires_at);

-- Sessions, keyed by the SHA-256 of their token.
create table sessions (
  token_sha256 bytea primary key,
  profile_id uuid not null references profiles,
  expires_at timestamptz not null,
  surface text not null default 'api' check (surface in ('api', 'web')),
  -- the token of a storefront session is renewed hourly
  began_at timestamptz not null default now(),
  issued_at timestamptz not null default now(),
  -- stays the same when the token is renewed
  session_id uuid not null default gen_random_uuid(),
  last_used_at timestamptz not null default now(),
  client bytea,
  client_hint text
);
create index sessions_client on sessions (client, issued_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_issued on sessions (issued_at);
create index sessions_profile on sessions (profile_id, issued_at);

-- Writes with an Idempotency-Key, by the hash of the key. The response is null while the request is running.
create table idempotency_keys (
  profile_id uuid not null references profiles,
  key_sha256 bytea not null,
  request_sha256 bytea not null,
  -- the request that executes the call; another one may take over after a timeout
  claim_id uuid not null,
  began_at timestamptz not null,
  status int,
  body bytea,
  primary key (profile_id, key_sha256),
  check ((status is null) = (body is null))
);
create index idempotency_keys_age on idempotency_keys (began_at);

-- ## Collections

-- Collections, imported or defined on chain (by a parent inscription or gallery).
create table collections (
  collection_id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9_-]+$'),
  name text not null,
  description text,
  kind text check (kind in ('parent_child', 'gallery')),
  verification_status text not null check (verification_status in ('verified', 'unverified')),
  card_background_color text,
  image_rendering_hint text check (image_rendering_hint in ('auto', 'pixelated')),
  preview_inscription_id text,
  trading_enabled boolean not null default true,
  imported_at timestamptz not null,
  royalty_script bytea,
  seller_royalty_bps integer not null default 0 check (seller_royalty_bps between 0 and 5000),
  buyer_royalty_bps integer not null default 0 check (buyer_royalty_bps between 0 and 5000),
  -- the parent inscription or the gallery; null for imported collections
  source_inscription_id text,
  -- equal for look-alike names
  name_skeleton text not null generated always as (name_skeleton(name)) stored,
  constraint collections_source_kind check (source_inscription_id is null or kind is not null)
);
create index collections_preview on collections (preview_inscription_id);
create unique index collections_source on collections (source_inscription_id, kind) where source_inscription_id is not null;
create index collections_verified_names on collections (name_skeleton) where verification_status = 'verified';
create index collections_slug_words on collections (search_phrase(slug, 1) collate "C");
create index collections_word_1 on collections (search_phrase(name, 1) collate "C");
create index collections_word_2 on collections (search_phrase(name, 2) collate "C");
create index collections_word_3 on collections (search_phrase(name, 3) collate "C");

-- Previous slugs of renamed collections. An import under a previous slug updates the collection.
create table collection_aliases (
  slug text primary key,
  collection_id uuid not null references collections
);

-- Items of collections. An item may be imported before its inscription is indexed.
create table collection_items (
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- position in the imported file, from 0
  ordinal integer not null,
  -- inscription sequence; 2^52 + ordinal until the inscription is indexed
  sort_key bigint not null,
  item_name text not null,
  traits jsonb not null,
  -- the rendered row (db/functions/rendered-rows.sql)
  rendered_row text,
  rendered_version integer not null default 0,
  -- expiry of the listing that the rendered row shows
  rendered_expires_at timestamptz,
  rarity_rank integer,
  -- the number at the end of the name, for sorting
  name_number bigint not null
    generated always as (coalesce(substring(item_name from '([0-9]{1,15})[^0-9]*$')::bigint, 9007199254740991)) stored,
  primary key (collection_id, inscription_id)
) with (fillfactor = 60);
create index collection_items_inscription on collection_items (inscription_id);
-- sort orders of the storefront
create unique index collection_items_order on collection_items (collection_id, sort_key);
create index collection_items_number on collection_items (collection_id, name_number, sort_key);
create index collection_items_rarity on collection_items (collection_id, rarity_rank);
-- items that are not indexed yet
create index collection_items_unseen on collection_items (inscription_id) where sort_key >= 4503599627370496;
create index collection_items_word_1 on collection_items (search_phrase(item_name, 1) collate "C");
create index collection_items_word_2 on collection_items (search_phrase(item_name, 2) collate "C");
create index collection_items_word_3 on collection_items (search_phrase(item_name, 3) collate "C");
create index collection_items_last_word on collection_items (search_phrase(item_name, 0) collate "C");

-- Number of items per trait value of a collection. Written by imports.
create table trait_counts (
  collection_id uuid not null references collections,
  trait_type text not null,
  trait_value text not null,
  item_count integer not null,
  primary key (collection_id, trait_type, trait_value)
);
create index trait_counts_word_1 on trait_counts (search_phrase(trait_value, 1) collate "C");
create index trait_counts_word_2 on trait_counts (search_phrase(trait_value, 2) collate "C");

-- ## The market's own coins

-- Anchors, tail coins, and the coins that they are split from. docs/reference/market-coins.md documents the states.
create table market_coins (
  txid text not null,
  vout bigint not null,
  value_sats bigint not null,
  -- null if the block with the coin was undone
  height integer,
  spent_height integer,
  -- handle of the order that the coin is reserved for
  reserved_for uuid,
  -- an anchor whose transfer must never confirm; only the market itself spends it
  retired boolean not null default false,
  -- when an anchor was retired; it is spent soon after
  retired_at timestamptz,
  -- the market's own transaction that spends the coin, once written
  spending_txid text,
  -- the unfunded wallet that the coin is reserved for; such wallets share a small budget
  taken_by uuid,
  -- a coinbase output, not spendable before 100 confirmations
  coinbase boolean not null default false,
  immature boolean not null default false,
  -- when a preflight last offered the coin; the oldest is offered first
  named_at timestamptz,
  -- the wallet for whose order the coin is reserved
  caused_by uuid,
  -- the confirmed transaction that spends it
  spent_txid text,
  -- the coin's share of the fee of the split that created it, until it is booked to the wallet that uses the coin
  cost_sats bigint not null default 0,
  state text not null generated always as (case
    when spent_height is not null then 'spent'
    when height is null then 'absent'
    when spending_txid is not null then 'spending'
    when retired then 'retired'
    when reserved_for is not null then 'held'
    when immature then 'immature'
    else 'free' end) stored,
  primary key (txid, vout)
);
create index market_coins_caused on market_coins (caused_by) where state in ('held', 'retired', 'spending');
create index market_coins_free on market_coins (value_sats, named_at) where state = 'free';
create index market_coins_height on market_coins (height);
create index market_coins_immature on market_coins (height) where immature;
create index market_coins_reserved on market_coins (reserved_for);
create index market_coins_retired on market_coins (retired_at) where state = 'retired';
create index market_coins_spent on market_coins (spent_height) where spent_height is not null;
create index market_coins_taken on market_coins (taken_by) where taken_by is not null and spent_height is null;

-- Allowed state transitions of market_coins. Enforced by functions/market-coins.sql; a test compares them with
-- server/market/src/market-coins/states.ts.
create table market_coin_moves (
  from_state text not null,
  to_state text not null,
  primary key (from_state, to_state)
);
insert into market_coin_moves values
  ('new', 'free'), ('new', 'immature'), ('immature', 'free'), ('free', 'immature'),
  ('free', 'held'), ('free', 'spending'), ('held', 'free'), ('held', 'retired'), ('held', 'spending'),
  ('retired', 'held'), ('retired', 'spending'),
  ('spending', 'free'), ('spending', 'held'), ('spending', 'retired'),
  ('free', 'spent'), ('held', 'spent'), ('retired', 'spent'), ('spending', 'spent'),
  ('spent', 'free'), ('spent', 'held'), ('spent', 'retired'), ('spent', 'spending'),
  ('held', 'absent'), ('retired', 'absent'), ('spending', 'absent'),
  ('absent', 'held'), ('absent', 'retired'), ('absent', 'spending');

-- Transactions that spend market_coins, stored before they are broadcast.
create table market_transactions (
  txid text primary key,
  handle uuid not null,
  raw_hex text not null,
  state text not null check (state in ('intended', 'confirmed', 'failed')),
  confirmed_height integer,
  created_at timestamptz not null default now(),
  purpose text not null default 'split' check (purpose in ('split', 'merge', 'void', 'recovery', 'bump', 'reclaim', 'move'))
);

-- The purposes to which each transaction's cost is booked.
create table market_causes (
  txid text not null,
  n integer not null,
  purpose text not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  -- null: an equal share of the remainder
  sats bigint,
  -- when a package with it was last broadcast; null if never
  sent_at timestamptz,
  primary key (txid, n)
);
create index market_causes_sent on market_causes (sent_at) where purpose = 'transfer';
create index market_causes_void on market_causes (inscription_id, sent_at) where purpose = 'void';

-- Every confirmed change of the market's coins, in sats. The sum equals the value of its unspent coins.
create table market_ledger (
  entry_id bigint generated always as identity primary key,
  height integer not null,
  txid text not null,
  purpose text not null,
  sats bigint not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  booked_at timestamptz not null
);
create index market_ledger_height on market_ledger (height);
create index market_ledger_inscription on market_ledger (inscription_id, booked_at) where inscription_id is not null;
create index market_ledger_time on market_ledger (booked_at) where wallet_binding_id is not null;
create index market_ledger_wallet on market_ledger (wallet_binding_id, booked_at) where wallet_binding_id is not null;

-- ## The order book

-- Fixed-price listings, active and ended.
create table listings (
  listing_id uuid primary key,
  anchor_utxo_id uuid not null unique,
  recovery_handle uuid not null,
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- all inscriptions on its sat when it was listed, in order of sequence
  inscription_ids text[] not null,
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
  -- null if no recovery was signed; the owner then requests a reclaim
  recovery_signature bytea,
  -- the batch that the recovery covers, and the position in it
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
  -- index height when the listing became impossible
  invalidated_height integer,
  -- the escrow coin is transfer_txid:escrow_vout; after a move, transfer_txid is the moving transaction
  escrow_vout bigint not null default 0,
  generation integer not null default 0
) with (fillfactor = 70);
-- at most one live listing per coin, whichever of its inscriptions it names; decides races
create unique index listings_coin on listings (coin_txid, coin_vout) where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_collection on listings (collection_id, listed_at);
create index listings_expiry on listings (expires_at) where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_inscription on listings (inscription_id, listed_at);
create index listings_invalidated on listings (invalidated_height) where state = 'invalidated';
-- at most one live listing per inscription; decides races
create unique index listings_live on listings (inscription_id) where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_price on listings ((-price_sats), listed_at, listing_id) where state = 'buyable';
create index listings_recent on listings (listed_at desc, listing_id desc) where state = 'buyable';
create index listings_seller on listings (seller_script, listed_at desc, listing_id desc) where state = 'buyable';
create index listings_soonest on listings (coalesce(expires_at, 'infinity'::timestamptz), listing_id) where state = 'buyable';
create index listings_of_seller on listings (seller_script, listed_at desc, listing_id desc)
  where state in ('buyable', 'hidden_locked', 'pending_public', 'expired', 'invalidated');
create index listings_transfer on listings (transfer_txid);
create index listings_waiting on listings (listing_id) where state in ('hidden_locked', 'pending_public');

-- State changes of listings with their reason. Append-only. `height` is set if a block caused the change, so that a reorg can
-- revert it.
create table order_events (
  event_id bigint generated always as identity primary key,
  listing_id uuid not null references listings,
  from_state text,
  to_state text not null,
  reason text not null,
  height integer,
  occurred_at timestamptz not null,
  -- why an ended listing can no longer be bought: the market refuses to co-sign; the anchor is spent in the mempool; the pre-signed
  -- transfer can never confirm
  guarantee text check (guarantee in ('refused', 'anchor-spent', 'impossible')),
  -- the event of an undone block that this one reverts
  undoes bigint references order_events
);
create index order_events_height on order_events (height) where height is not null;
create index order_events_listing on order_events (listing_id, event_id);
create index order_events_recent on order_events (occurred_at desc);

-- Escrow coins. Created by the transfer of a listing or counter-offer, or by a move. Each signed price has a higher generation than the
-- previous one, so that the signer can reject older prices.
create table escrows (
  txid text not null,
  vout bigint not null,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- the owner of the inscription
  seller_script bytea not null,
  -- TransferTerms of bitcoin/trade, and the seller's signature on the transfer
  terms jsonb not null,
  transfer_signature bytea not null,
  -- never used twice
  next_generation integer not null default 1,
  -- the lowest generation that may still be signed, and the value that the signer confirmed
  floor integer not null default 0,
  signer_floor integer not null default 0,
  -- block of the transaction that created it
  made_height integer,
  -- the latest reclaim or move
  leaving_txid text,
  created_at timestamptz not null,
  primary key (txid, vout)
);
create index escrows_inscription on escrows (inscription_id);
create index escrows_leaving on escrows (leaving_txid) where leaving_txid is not null;
create index escrows_made on escrows (made_height) where made_height is not null;
create index escrows_owner on escrows (seller_script, created_at desc, txid, vout);
create index escrows_floor_due on escrows (txid) where floor > signer_floor;

-- ## Settlements and sales

-- Preflights by handle, with the response of their submit for retries.
create table preflights (
  handle text primary key,
  kind text not null,
  wallet_binding_id uuid not null references wallet_bindings,
  -- a later preflight with the same wallet, kind and subject replaces this one
  subject text,
  -- the request that submit must repeat
  request jsonb not null,
  -- the packed terms, coins and economics
  prepared jsonb not null,
  expires_at timestamptz not null,
  answer jsonb
);
create index preflights_waiting on preflights (wallet_binding_id, expires_at desc) where answer is null;
create index preflights_abandoned on preflights (expires_at) where answer is null;
create index preflights_answered on preflights (expires_at) where answer is not null;

-- Kinds of settlements. A test compares them with server/market/src/settlement-kinds.ts.
create table settlement_kinds (
  name text primary key
);
insert into settlement_kinds values ('purchase'), ('offer'), ('counter'), ('fill'), ('swap');

-- Transaction packages that settle trades.
create table settlements (
  settlement_id uuid primary key,
  kind text not null references settlement_kinds,
  settlement_txid text not null,
  inscription_ids text[] not null,
  -- [{txid, hex, feeSats}] in broadcast order, the settlement last of those it needs
  transactions jsonb not null,
  state text not null check (state in ('intended', 'broadcast', 'confirmed', 'failed')),
  failure text,
  -- tip height at the first broadcast
  broadcast_height integer,
  confirmed_height integer,
  -- the latest fee-bumping child, in market_transactions: {txid, feeSats}
  bump jsonb,
  created_at timestamptz not null default now(),
  -- the wallet that submitted it
  caused_by uuid
);
create index settlements_height on settlements (confirmed_height) where confirmed_height is not null;
create index settlements_live on settlements (state) where state in ('intended', 'broadcast');
create index settlements_swapped on settlements (confirmed_height desc) where kind = 'swap' and state = 'confirmed';
create index settlements_txid on settlements (settlement_txid);

-- Coins that settlements spend. A coin is in at most one active settlement.
create table settlement_coins (
  settlement_id uuid not null,
  txid text not null,
  vout bigint not null,
  live boolean not null
);
create unique index settlement_coins_live on settlement_coins (txid, vout) where live;
create index settlement_coins_settlement on settlement_coins (settlement_id);

-- Change outputs of settlements. Their owner may spend them in the next trade before they confirm.
create table change_coins (
  txid text not null,
  vout bigint not null,
  settlement_id uuid not null references settlements,
  value_sats bigint not null,
  script bytea not null,
  primary key (txid, vout)
);
create index change_coins_script on change_coins (script);

-- Submitted purchases. The settlement has the same id.
create table purchases (
  -- the handle of its preflight: purchaseAnchorUtxoId; also the id of its settlement
  purchase_id uuid primary key,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  -- PurchaseTerms of bitcoin/trade, and all signatures except the market's
  settlement jsonb not null
);

-- Listings of each purchase.
create table purchase_listings (
  purchase_id uuid not null references purchases on delete cascade,
  position integer not null,
  listing_id uuid not null references listings,
  -- the inscription on the listing's sat that the buyer named
  inscription_id text not null,
  pending_sale_id uuid not null,
  primary key (purchase_id, position)
);
create index purchase_listings_listing on purchase_listings (listing_id);

-- Confirmed sales, internal and external (docs/explanation/external-sales.md).
create table sales (
  sale_id bigint generated always as identity primary key,
  sale_type text not null check (sale_type in ('internal', 'external')),
  txid text,
  inscription_id text not null,
  collection_id uuid references collections,
  seller_script bytea,
  buyer_script bytea,
  price_sats bigint not null,
  price_usd double precision,
  sold_at timestamptz not null,
  height integer not null,
  rendered_row text,
  rendered_version integer not null default 0,
  -- external sales only: the rule that recognised it, and the confidence (docs/explanation/external-sales.md)
  rule text check (rule in ('signature', 'gain')),
  confidence text check (confidence in ('high', 'medium', 'low')),
  -- false if it may be a transfer to oneself, a loan or a refund; then excluded from volumes
  counted boolean not null default true,
  unique (txid, inscription_id),
  constraint sales_external check ((sale_type = 'external') = (rule is not null and confidence is not null))
) with (fillfactor = 60);
create index sales_collection on sales (collection_id);
create index sales_inscription on sales (inscription_id, height desc, sale_id desc);
create index sales_recent on sales (height desc, sale_id desc);
create index sales_time on sales (sold_at desc);
create index sales_seller on sales (seller_script, sold_at desc, sale_id desc) where seller_script is not null;
create index sales_buyer on sales (buyer_script, sold_at desc, sale_id desc) where buyer_script is not null;

-- ## Offers

-- Offers on one inscription, and counter-offers.
create table offers (
  offer_id uuid primary key,
  kind text not null check (kind in ('buyer_offer', 'seller_counter')),
  parent_offer_id uuid references offers,
  collection_id uuid not null references collections,
  inscription_id text not null,
  buyer_binding_id uuid not null references wallet_bindings,
  buyer_script bytea not null,
  -- the owner of the inscription when the offer was made
  seller_script bytea not null,
  -- counters only
  seller_binding_id uuid references wallet_bindings,
  price_sats bigint not null,
  -- value of the inscription's coin
  postage_sats bigint not null,
  economics jsonb not null,
  -- OfferTerms or CounterTerms of bitcoin/trade
  terms jsonb not null,
  -- the maker's, in the order of the layout
  signatures jsonb not null,
  fee_rate_sat_vb double precision not null,
  floor_sats bigint,
  top_offer_sats bigint,
  -- null for a counter until it is accepted
  settlement_txid text,
  payout_txid text,
  settlement_id uuid,
  anchor_utxo_id uuid unique,
  transfer_txid text,
  transfer_height integer,
  -- accepting: an acceptance is stored, but not known to be broadcast
  state text not null check (state in ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  recovery_handle uuid,
  -- The seller pays the part of the network fee that the bidder has not paid: none while paid_sats covers settlement_vsize,
  -- otherwise the rest for package_vsize.
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  -- whether it can be accepted at the current fee rate; updated by a job
  executable boolean not null default true,
  -- the rendered row (db/functions/rendered-rows.sql)
  rendered_row text,
  rendered_version integer not null default 0,
  check ((kind = 'seller_counter') = (parent_offer_id is not null and anchor_utxo_id is not null))
);
create index offers_collection on offers (collection_id);
create unique index offers_countered on offers (parent_offer_id) where state in ('active', 'accepting');
create index offers_expiry on offers (expires_at) where state = 'active';
create index offers_history on offers (inscription_id, created_at desc, offer_id desc);
create index offers_live on offers (inscription_id, price_sats desc, created_at, offer_id) where state = 'active';
create index offers_made on offers (created_at desc, offer_id desc);
create index offers_over on offers (ended_at desc) where ended_at is not null;
create index offers_received on offers (seller_script, inscription_id) where state = 'active';
create unique index offers_recovery on offers (recovery_handle) where recovery_handle is not null;
-- identical offers are rejected
create unique index offers_same on offers (settlement_txid) where kind <> 'seller_counter' and state in ('active', 'accepting');
create index offers_sent on offers (buyer_script, created_at desc, offer_id desc) where state = 'active';
create index offers_settlement on offers (settlement_id) where settlement_id is not null;
create index offers_transfer on offers (transfer_txid) where transfer_txid is not null;

-- History of offers, readable by both sides. Append-only.
create table offer_events (
  event_id bigint generated always as identity primary key,
  offer_id uuid not null references offers,
  event_type text not null check (event_type in ('created', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  buyer_script bytea not null,
  seller_script bytea not null,
  occurred_at timestamptz not null
);
create index offer_events_buyer on offer_events (buyer_script, occurred_at desc, event_id desc);
create index offer_events_seller on offer_events (seller_script, occurred_at desc, event_id desc);

-- Sorted inscriptions that collection offers accept, as of their creation.
create table eligible_sets (
  eligible_root text primary key,
  inscription_ids text[] not null
);

-- Collection and trait offers.
create table collection_offers (
  offer_id uuid primary key,
  collection_id uuid not null references collections,
  wallet_binding_id uuid not null references wallet_bindings,
  -- canonical CollectionOfferTarget, and the text that is hashed
  target jsonb not null,
  scope_label text not null,
  criteria text not null,
  criteria_hash text not null,
  eligible_root text not null references eligible_sets,
  eligible_count integer not null,
  sample_inscription_id text not null,
  price_sats bigint not null,
  -- CollectionOfferTerms of bitcoin/trade
  terms jsonb not null,
  -- of the payments, on the funding transaction
  signatures jsonb not null,
  funding_txid text not null,
  secret_hash text not null unique,
  state text not null check (state in ('active', 'filling', 'filled', 'cancelled', 'replaced', 'expired', 'invalidated')),
  reason text,
  -- the pending or confirmed fill
  settlement_id uuid,
  filled_inscription_id text,
  filled_sat_offset bigint,
  seller_script bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- when the guardian confirmed the cancellation
  revoked_at timestamptz,
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  executable boolean not null default true,
  rendered_row text,
  rendered_version integer not null default 0
);
create index collection_offers_book on collection_offers (collection_id, price_sats desc, created_at, offer_id)
  where state = 'active';
create index collection_offers_collection on collection_offers (collection_id);
create index collection_offers_expiry on collection_offers (expires_at) where state = 'active';
create index collection_offers_own on collection_offers (wallet_binding_id, criteria_hash) where state = 'active';
create index collection_offers_revocable on collection_offers (ended_at)
  where state in ('cancelled', 'replaced') and revoked_at is null;
create index collection_offers_root on collection_offers (eligible_root);
create unique index collection_offers_same on collection_offers (funding_txid) where state in ('active', 'filling');
create index collection_offers_sample on collection_offers (sample_inscription_id);
create index collection_offers_settlement on collection_offers (settlement_id) where settlement_id is not null;

-- Coins that active offers, acceptances and proposals depend on.
create table backing_coins (
  txid text not null,
  vout bigint not null,
  offer_id uuid not null,
  -- why the coin is missing, or null. Offers that ended because of it keep their rows until their expiry
  gone text,
  -- whether to ask the node about the coin again
  recheck boolean not null default false,
  primary key (txid, vout, offer_id)
);
create index backing_coins_to_recheck on backing_coins (txid, vout) where recheck;
create index backing_coins_offer on backing_coins (offer_id);

-- Inscriptions whose current owner has turned off collection and trait offers.
create table declined_bids (
  inscription_id text primary key,
  owner_script bytea not null,
  declined_at timestamptz not null
);

-- ## Proposals

-- Peer-to-peer swap proposals.
create table proposals (
  proposal_id uuid primary key,
  creator_script bytea not null,
  visibility text not null check (visibility in ('public', 'private')),
  state text not null check (state in ('active', 'accepted', 'cancelled', 'expired')),
  offered_btc_sats bigint not null check (offered_btc_sats >= 0),
  requested_btc_sats bigint not null check (requested_btc_sats >= 0),
  marketplace_fee_sats bigint not null check (marketplace_fee_sats >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- false if an offered inscription is not in its creator's wallet, or in a pending settlement
  available boolean not null default true,
  -- the rendered row with placeholders for floors, and the collections of the floors (proposals/rendered-proposal.ts)
  rendered_row text,
  rendered_collections uuid[] not null default '{}',
  rendered_version integer not null default 0,
  creator_binding_id uuid references wallet_bindings,
  -- the coins that pay the offered sats: {payer, coins}
  payment jsonb,
  settlement_id uuid references settlements
) with (fillfactor = 60);
create index proposals_creator on proposals (creator_script, created_at desc, proposal_id desc);
create index proposals_expiry on proposals (expires_at) where state = 'active';
create index proposals_feed on proposals (created_at desc, proposal_id desc)
  where state = 'active' and visibility = 'public' and available;

-- Inscriptions that proposals offer.
create table proposal_items (
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  inscription_id text not null,
  primary key (proposal_id, position)
);
create index proposal_items_inscription on proposal_items (inscription_id);

-- Inscriptions that proposals request: named ones, or a number of a collection or trait.
create table proposal_requests (
  request_id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  collection_id uuid not null references collections,
  quantity integer not null check (quantity between 1 and 50),
  -- WantedTarget of the contract
  target jsonb not null,
  unique (proposal_id, position)
);
create index proposal_requests_collection on proposal_requests (collection_id);

-- Acceptances of proposals, signed by the acceptor. The proposer signs last.
create table acceptances (
  acceptance_id uuid primary key,
  proposal_id uuid not null references proposals,
  acceptor_binding_id uuid not null references wallet_bindings,
  acceptor_script bytea not null,
  state text not null check (state in ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  -- [{legId, inscriptionId}]
  fills jsonb not null,
  -- SwapTerms of bitcoin/trade, and the inscriptions with their coins: [{inscriptionId, from, txid, vout, valueSats}]
  terms jsonb not null,
  items jsonb not null,
  -- the acceptor's, in input order
  signatures jsonb not null,
  settlement_txid text not null,
  settlement_id uuid references settlements,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index acceptances_acceptor on acceptances (acceptor_script, created_at desc, acceptance_id desc);
create index acceptances_expiry on acceptances (expires_at) where state = 'active';
create index acceptances_proposal on acceptances (proposal_id, created_at desc, acceptance_id desc);
create unique index acceptances_same on acceptances (settlement_txid) where state in ('active', 'accepting', 'accepted');
create index acceptances_settlement on acceptances (settlement_id) where settlement_id is not null;

-- ## Order log

-- Changes that do not have a position in the log yet.
create table order_log_queue (
  change_id bigint generated always as identity primary key,
  change jsonb not null
);

-- Every public change of an order. Append-only; positions never change.
create table order_log (
  position bigint primary key,
  change jsonb not null
);

-- Hash of each change, written by a job (order-log/hash.ts).
create table order_log_hashes (
  position bigint primary key,
  -- SHA-256 of the line
  hash bytea not null check (length(hash) = 32),
  -- length of the line, including the line break
  bytes integer not null check (bytes > 0)
);

-- The latest head that the market signed. One row.
create table order_log_head (
  is_only boolean primary key default true check (is_only),
  position bigint not null,
  hash bytea not null check (length(hash) = 32),
  signature bytea not null check (length(signature) = 64)
);

-- ## Derived tables
-- Triggers update these tables in the transaction of the change. Functions named `..._of` compute the expected rows, and
-- `ordbook market rollups` compares the two.

-- Periods in which a listing was active, per collection of an inscription on its coin. Derived from order_events.
create table book_entries (
  collection_id uuid not null references collections,
  listing_id uuid not null references listings,
  -- the item of the collection that the entry shows: the first on the coin's sat
  inscription_id text not null,
  -- the event that put the listing into the book
  opened_by bigint not null,
  price_sats bigint not null,
  listed_at timestamptz not null,
  expires_at timestamptz,
  opened_at timestamptz not null,
  -- null while open; never later than the expiry
  closed_at timestamptz,
  primary key (listing_id, opened_by, collection_id)
);
create index book_entries_closed on book_entries (collection_id, closed_at) where closed_at is not null;
create index book_entries_expiry on book_entries (collection_id, expires_at) where closed_at is null and expires_at is not null;
create index book_entries_item on book_entries (inscription_id) where closed_at is null;
create index book_entries_opened on book_entries (collection_id, opened_at);
-- cheapest first, then newest first; all columns in one direction, so that one row comparison finds the start of a page
create index book_entries_price on book_entries (collection_id, (-price_sats), listed_at, listing_id) where closed_at is null;
create index book_entries_recent on book_entries (collection_id, listed_at, listing_id) where closed_at is null;
create index book_entries_soonest on book_entries (collection_id, coalesce(expires_at, 'infinity'::timestamptz), listing_id)
  where closed_at is null;

-- Floor, number of listings, next expiry and rendered statistics of each collection. Derived from book_entries.
create table collection_floors (
  collection_id uuid primary key references collections,
  -- a slug is never reused for another collection
  slug text not null unique,
  floor_sats bigint,
  listed_count integer not null,
  -- the next expiry of a book entry
  next_expiry_at timestamptz,
  rolled_at timestamptz not null,
  -- the rendered row, valid until rendered_until, when the floors of a day and a week ago change
  rendered_row text,
  rendered_version integer not null default 0,
  rendered_until timestamptz
) with (fillfactor = 50);

-- Floor price from `since` until the next row; null while nothing is listed. Derived from book_entries.
create table floor_history (
  collection_id uuid not null references collections,
  since timestamptz not null,
  floor_sats bigint,
  primary key (collection_id, since)
);

-- Sales per collection. Derived from sales and collection_items.
create table collection_sales (
  collection_id uuid not null references collections,
  height integer not null,
  sale_id bigint not null references sales on delete cascade,
  primary key (collection_id, height, sale_id)
);
create index collection_sales_sale on collection_sales (sale_id);

-- Volume per collection and hour, and of all time. Derived from collection_sales and sales.
create table collection_volumes (
  collection_id uuid not null references collections,
  -- start of the hour; -infinity for the all-time sums
  hour timestamptz not null,
  volume_sats bigint not null,
  sale_count integer not null,
  primary key (collection_id, hour)
);
create index collection_volumes_hour on collection_volumes (hour);

-- Number of items per owner and collection. Owners are keyed by the hash of their script, since a script may exceed the size of an
-- index entry (2,704 bytes).
create table collection_owners (
  collection_id uuid not null references collections,
  item_count integer not null,
  owner_hash bytea not null,
  primary key (collection_id, owner_hash)
);

-- Number of items and owners per collection.
create table collection_counts (
  collection_id uuid primary key references collections,
  item_count integer not null,
  owner_count integer not null
);

-- Public proposals per collection that they offer or request.
create table proposal_collections (
  collection_id uuid not null references collections,
  created_at timestamptz not null,
  proposal_id uuid not null references proposals on delete cascade,
  primary key (collection_id, created_at, proposal_id)
);
create index proposal_collections_proposal on proposal_collections (proposal_id);

-- Items inscribed, or transferred without a trade. At most one row per item and block; escrow is not an owner.
create table item_transfers (
  transfer_id bigint generated always as identity primary key,
  inscription_id text not null,
  height integer not null,
  -- the time of the block
  at timestamptz not null,
  -- null if inscribed
  from_script bytea,
  -- null if unknown or lost
  to_script bytea,
  txid text not null
);
create unique index item_transfers_inscribed on item_transfers (inscription_id) where from_script is null;
create index item_transfers_height on item_transfers (height);
create index item_transfers_recent on item_transfers (at desc, transfer_key(transfer_id) desc);
create index item_transfers_inscription on item_transfers (inscription_id, at desc, transfer_key(transfer_id) desc);
-- A script may be longer than an index entry.
create index item_transfers_from on item_transfers (sha256(from_script), at desc, transfer_key(transfer_id) desc)
  where from_script is not null;
create index item_transfers_to on item_transfers (sha256(to_script), at desc, transfer_key(transfer_id) desc)
  where to_script is not null;

-- Transfers per collection. Derived from item_transfers and collection_items.
create table collection_transfers (
  collection_id uuid not null references collections,
  at timestamptz not null,
  transfer_id bigint not null references item_transfers on delete cascade,
  primary key (collection_id, transfer_id)
);
create index collection_transfers_transfer on collection_transfers (transfer_id);
create index collection_transfers_recent on collection_transfers (collection_id, at desc, transfer_key(transfer_id) desc);

-- Events of GET /events, kept for a day. Written by triggers. Readers stop before the oldest open transaction, so that they do not
-- miss events of a transaction that commits late.
create table live_events (
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id bigint generated always as identity,
  kind text not null check (kind in ('listing', 'sale', 'offer', 'collection_offer', 'proposal', 'floor', 'block')),
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (transaction_id, event_id)
);
create index live_events_age on live_events (occurred_at);

-- ## Thumbnails

-- Content to render, and the render queue.
create table previews (
  -- SHA-256 of media type, encoding and bytes, and of the inscription id if the content can read its own address
  content_key bytea primary key,
  -- the inscription under whose address the content is rendered
  inscription_id text not null,
  kind text not null check (kind in ('raster', 'text', 'document', 'video', 'audio', 'model', 'other')),
  state text not null check (state in ('waiting', 'done', 'failed')),
  place bigint not null generated always as identity,
  attempts integer not null default 0,
  -- while it is being rendered: when another renderer may take it
  due_at timestamptz not null,
  failure text,
  -- 4 by 4 pixels as in a bitmap; null if the thumbnail is transparent
  placeholder bytea,
  rendered_at timestamptz,
  check ((state = 'done') = (rendered_at is not null)),
  check (state <> 'failed' or failure is not null)
);
create index previews_waiting on previews (place) where state = 'waiting';
create index previews_state on previews (state, rendered_at);

-- Rendered thumbnails by size.
create table thumbnails (
  content_key bytea not null references previews on delete cascade,
  size integer not null,
  bytes integer not null,
  body bytea not null,
  primary key (content_key, size)
);
-- PostgreSQL 15 cannot parse this in `create table`.
alter table thumbnails alter column body set storage external;
create index thumbnails_bytes on thumbnails (size, bytes);

-- The row of previews for each inscription.
create table previewed_inscriptions (
  inscription_id text primary key references inscription_rows (inscription_id) on delete cascade,
  content_key bytea not null references previews
);
create index previewed_inscriptions_content on previewed_inscriptions (content_key);

-- ## Processes

-- Secrets shared by all server processes of a market.
create table secrets (
  name text primary key,
  secret bytea not null
);

-- Facts about this database. Its market and chain, the format of rendered rows, and checkpoints of the signers' journals.
create table settings (
  name text primary key,
  value text not null
);

-- Leases of the follower and the jobs. Each role runs in one process at a time. Acquiring a lease increments its token. Each
-- transaction of the holder starts with hold_lease, which fails if the lease was lost.
create table leases (
  role text primary key check (role in ('follower', 'jobs')),
  holder uuid,
  -- the database session that renews the lease; once it has ended, the lease is free even before its expiry
  backend integer,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  -- makes a new token a key update, which waits for transactions that hold the row FOR KEY SHARE; a new expiry does not wait
  unique (role, token)
);
insert into leases (role) values ('follower'), ('jobs');

-- ## Registries

-- Further parents of a collection of children. The first parent is `collections.source_inscription_id`.
create table collection_parents (
  collection_id uuid not null references collections,
  inscription_id text not null,
  primary key (collection_id, inscription_id)
);
create index collection_parents_inscription on collection_parents (inscription_id);

-- What followed registries say about their collections. Entries are never deleted.
create table registry_entries (
  -- URL or absolute path
  registry text not null,
  -- slug in the registry
  slug text not null,
  status text not null check (status in ('listed', 'needs_info', 'disputed', 'removed')),
  -- the entry as last read
  entry jsonb not null,
  -- null until the collection is imported
  collection_id uuid references collections,
  primary key (registry, slug)
);
create index registry_entries_collection on registry_entries (collection_id);

-- Every change of a registry entry. Append-only.
create table registry_changes (
  change_id bigint generated always as identity primary key,
  registry text not null,
  slug text not null,
  changed_at timestamptz not null,
  change text not null check (change in ('added', 'changed', 'renamed', 'removed', 'returned')),
  -- a line for each difference
  details text[] not null,
  -- the entry before the change; null if new
  previous jsonb
);
create index registry_changes_slug on registry_changes (registry, slug);

-- ## Functions, triggers and the view, in dependency order

-- install: inscribed-sats.sql 9e9c9c5b479d
-- install: listings.sql 5b37e13b8d59
-- install: announcements.sql 31ad2539f640
-- install: rendered-rows.sql 12fff8ad945c
-- install: append-only.sql a1315e9b68dd
-- install: book-entries.sql 908814acc197
-- install: collection-floors.sql 44886f0cb927
-- install: collection-sales.sql 5d00a40c52c3
-- install: collection-volumes.sql 846bf72c5ac8
-- install: collection-owners.sql e33dbb45e366
-- install: item-transfers.sql 89d0312ce754
-- install: trait-counts.sql a53e3d95503f
-- install: rarity-ranks.sql a3f5c050c0e3
-- install: proposals.sql 96ff86b43da7
-- install: collections.sql afbe5506868f
-- install: watched-inscriptions.sql 1df7d7fe0b78
-- install: bids.sql e42d0736f30e
-- install: live-events.sql 2e0decdfa2b8
-- install: order-log.sql cb01e627fcdd
-- install: market-coins.sql ec71b05a320b
-- install: leases.sql 981abd7ad6cc
-- install: final-time.sql 8e04f8f02227
-- install: registries.sql beaf512832e2
