-- Trades that are sent: purchases and packages of every kind, their coins, and the sales that blocks confirm.

-- Preflights of every trade, by the handle that the submit names; then the answer, for a submit that is repeated.
create table preflights (
  handle text primary key,
  kind text not null,
  wallet_binding_id uuid not null references wallet_bindings,
  -- a later preflight of the same wallet, kind and subject replaces this one
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

-- The kinds of settlements. Each has its handlers in server/src/settlement-kinds.ts; a later migration may add a row.
create table settlement_kinds (
  name text primary key
);
insert into settlement_kinds values ('purchase'), ('offer'), ('counter'), ('fill'), ('swap');

-- Packages of transactions that the market sends: one mechanism follows those of every kind.
create table settlements (
  settlement_id uuid primary key,
  kind text not null references settlement_kinds,
  settlement_txid text not null,
  inscription_ids text[] not null,
  -- [{txid, hex, feeSats}] in broadcast order, the settlement last of those it needs
  transactions jsonb not null,
  state text not null check (state in ('intended', 'broadcast', 'confirmed', 'failed')),
  failure text,
  -- height of the tip when the package was first sent
  broadcast_height integer,
  confirmed_height integer,
  -- the market's latest child of the settlement, of market_transactions, and what it pays: {txid, feeSats}
  bump jsonb,
  created_at timestamptz not null default now(),
  -- the wallet whose submit had the package sent
  caused_by uuid
);
create index settlements_height on settlements (confirmed_height) where confirmed_height is not null;
create index settlements_live on settlements (state) where state in ('intended', 'broadcast');
create index settlements_txid on settlements (settlement_txid);

-- The coins that settlements spend. One live settlement per coin.
create table settlement_coins (
  settlement_id uuid not null,
  txid text not null,
  vout bigint not null,
  live boolean not null
);
create unique index settlement_coins_live on settlement_coins (txid, vout) where live;
create index settlement_coins_settlement on settlement_coins (settlement_id);

-- Change of settlements that were sent: it may pay for its owner's next trade before a block has it.
create table change_coins (
  txid text not null,
  vout bigint not null,
  settlement_id uuid not null references settlements,
  value_sats bigint not null,
  script bytea not null,
  primary key (txid, vout)
);
create index change_coins_script on change_coins (script);

-- Submitted purchases. The settlement of the same id follows them.
create table purchases (
  -- the handle of its preflight: purchaseAnchorUtxoId; also the id of its settlement
  purchase_id uuid primary key,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  -- the kernel's PurchaseTerms and all signatures but the market's
  settlement jsonb not null
);

create table purchase_listings (
  purchase_id uuid not null references purchases on delete cascade,
  position integer not null,
  listing_id uuid not null references listings,
  pending_sale_id uuid not null,
  primary key (purchase_id, position)
);
create index purchase_listings_listing on purchase_listings (listing_id);

-- Confirmed sales: of this market, and external ones.
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
  -- the rule that recognised an external sale, and its confidence (docs/concepts/external-sales.md); null for this market's own
  rule text check (rule in ('signature', 'gain')),
  confidence text check (confidence in ('high', 'medium', 'low')),
  -- false where the sale may as well be a transfer to oneself, a loan or a refund: it counts in no volume
  counted boolean not null default true,
  unique (txid, inscription_id),
  constraint sales_external check ((sale_type = 'external') = (rule is not null and confidence is not null)) not valid
) with (fillfactor = 60);
create index sales_collection on sales (collection_id);
create index sales_inscription on sales (inscription_id, height desc, sale_id desc);
create index sales_recent on sales (height desc, sale_id desc);
create index sales_time on sales (sold_at desc);
