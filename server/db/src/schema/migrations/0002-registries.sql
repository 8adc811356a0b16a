-- oldest code: 0001

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

-- install: registries.sql beaf512832e2
