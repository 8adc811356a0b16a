-- Tables for the reads. Each of them is derived: a function `..._of` computes it from the tables that are true, and
-- triggers keep it so in the transaction of the change (db/functions). `operate -- rollups` compares the two.

-- A book entry is one time that a listing stood in the book, in each collection of its inscription. Derived from the order log.
create table book_entries (
  collection_id uuid not null references collections,
  listing_id uuid not null references listings,
  -- the event that put the listing into the book
  opened_by bigint not null,
  price_sats bigint not null,
  listed_at timestamptz not null,
  expires_at timestamptz,
  opened_at timestamptz not null,
  -- null while it stands; never after its expiry
  closed_at timestamptz,
  primary key (listing_id, opened_by, collection_id)
);
create index book_entries_closed on book_entries (collection_id, closed_at) where closed_at is not null;
create index book_entries_expiry on book_entries (collection_id, expires_at) where closed_at is null and expires_at is not null;
create index book_entries_opened on book_entries (collection_id, opened_at);
-- cheapest first and, of one price, newest first: all in one direction, so that one comparison finds where a page begins
create index book_entries_price on book_entries (collection_id, (-price_sats), listed_at, listing_id) where closed_at is null;
create index book_entries_recent on book_entries (collection_id, listed_at, listing_id) where closed_at is null;

-- Floor, number of book entries and the rendered statistics of each collection.
create table collection_floors (
  collection_id uuid primary key references collections,
  -- a slug never moves to another collection
  slug text not null unique,
  floor_sats bigint,
  listed_count integer not null,
  -- the next time that a book entry ends by itself
  next_expiry_at timestamptz,
  rolled_at timestamptz not null,
  -- the rendered row; true until rendered_until, when the floors of a day and a week ago move on
  rendered_row text,
  rendered_version integer not null default 0,
  rendered_until timestamptz
) with (fillfactor = 50);

-- The floor from a moment on, until the next row; null while nothing stands in the book.
create table floor_history (
  collection_id uuid not null references collections,
  since timestamptz not null,
  floor_sats bigint,
  primary key (collection_id, since)
);

-- Sales by collection of their inscription.
create table collection_sales (
  collection_id uuid not null references collections,
  height integer not null,
  sale_id bigint not null references sales on delete cascade,
  primary key (collection_id, height, sale_id)
);
create index collection_sales_sale on collection_sales (sale_id);

-- Owners by the hash of their script: a script may be longer than an index entry (2,704 bytes).
create table collection_owners (
  collection_id uuid not null references collections,
  item_count integer not null,
  owner_hash bytea not null,
  primary key (collection_id, owner_hash)
);

-- Items and owners of each collection.
create table collection_counts (
  collection_id uuid primary key references collections,
  item_count integer not null,
  owner_count integer not null
);

-- Public proposals by the collections that they offer from or want, each once.
create table proposal_collections (
  collection_id uuid not null references collections,
  created_at timestamptz not null,
  proposal_id uuid not null references proposals on delete cascade,
  primary key (collection_id, created_at, proposal_id)
);
create index proposal_collections_proposal on proposal_collections (proposal_id);

-- The events of GET /events, written by triggers in the transaction of each change. Readers go in the order of transactions, and
-- read only what is older than every open transaction, so that they miss none that commits late. Kept for a day.
create table live_events (
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id bigint generated always as identity,
  kind text not null check (kind in ('listing', 'sale', 'offer', 'collection_offer', 'proposal', 'floor', 'block')),
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (transaction_id, event_id)
);
create index live_events_age on live_events (occurred_at);
