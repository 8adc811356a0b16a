-- Collections that the chain itself defines, and slugs that were another's name before.
alter table inscriptions
  -- CBOR as inscribed (ord handbook, "Properties"), and how it is compressed
  add column properties bytea,
  add column property_encoding text;
create index inscriptions_parents on inscriptions using gin (parent_ids) where parent_ids <> '{}';

-- The parent, or the gallery; null for what an operator imported.
alter table collections
  add column source_inscription_id text,
  add constraint collections_source_kind check (source_inscription_id is null or kind is not null);
create unique index collections_source on collections (source_inscription_id, kind)
  where source_inscription_id is not null;

-- What a renamed collection was called: an import under the old slug renews it instead of making another.
create table collection_aliases (
  slug text primary key,
  collection_id uuid not null references collections
);
