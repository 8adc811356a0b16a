-- Collections as operators import them, and their items; an item may be known before the index has seen it.
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
  imported_at timestamptz not null
);

create table collection_items (
  collection_id uuid not null references collections,
  inscription_id text not null,
  -- place in the imported file, from 0
  ordinal integer not null,
  -- inscription sequence; 2^52 + ordinal until the index has seen the inscription
  sort_key bigint not null,
  item_name text not null,
  traits jsonb not null,
  primary key (collection_id, inscription_id)
);
create unique index collection_items_order on collection_items (collection_id, sort_key);
create index collection_items_inscription on collection_items (inscription_id);

-- Rollup: how many items of a collection have a trait.
create table trait_counts (
  collection_id uuid not null references collections,
  trait_type text not null,
  trait_value text not null,
  item_count integer not null,
  primary key (collection_id, trait_type, trait_value)
);
