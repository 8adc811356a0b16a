-- Collections as operators import them or the chain defines them, and their items.

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
  -- the parent inscription, or the gallery; null for an import
  source_inscription_id text,
  constraint collections_source_kind check (source_inscription_id is null or kind is not null)
);
create index collections_preview on collections (preview_inscription_id);
create unique index collections_source on collections (source_inscription_id, kind) where source_inscription_id is not null;

-- Former slugs of renamed collections: an import under one updates the collection instead of making another.
create table collection_aliases (
  slug text primary key,
  collection_id uuid not null references collections
);

-- The items of collections. An item may be known before the index has seen its inscription.
create table collection_items (
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- place in the imported file, from 0
  ordinal integer not null,
  -- inscription sequence; 2^52 + ordinal until the index has seen the inscription
  sort_key bigint not null,
  item_name text not null,
  traits jsonb not null,
  -- the rendered row (db/functions/rendered-rows.sql)
  rendered_row text,
  rendered_version integer not null default 0,
  -- when the rendered row stops being true by itself, because its listing expires
  rendered_expires_at timestamptz,
  primary key (collection_id, inscription_id)
) with (fillfactor = 60);
create index collection_items_inscription on collection_items (inscription_id);
create unique index collection_items_order on collection_items (collection_id, sort_key);
-- items that the index has not seen
create index collection_items_unseen on collection_items (inscription_id) where sort_key >= 4503599627370496;

-- The number of items of a collection with each trait.
create table trait_counts (
  collection_id uuid not null references collections,
  trait_type text not null,
  trait_value text not null,
  item_count integer not null,
  primary key (collection_id, trait_type, trait_value)
);
