import { first, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

/** Sets the sort keys of items. */
export async function updateSortKeys(
  tx: Transaction,
  changes: readonly { inscriptionId: string; sequence: number | null }[],
): Promise<void> {
  if (changes.length === 0) return
  await tx`
    update collection_items m set sort_key = coalesce(c.sequence, ${UNSEEN}::bigint + m.ordinal), rendered_row = null,
      rendered_version = m.rendered_version + 1, rendered_expires_at = null
    from unnest(${changes.map((each) => each.inscriptionId)}::text[], ${changes.map((each) => each.sequence)}::bigint[])
      as c (inscription_id, sequence)
    where m.inscription_id = c.inscription_id`
}

/** Sets the sort keys of items inscribed in a block (index inscriptions_height). */
export async function sortInscribedAt(tx: Transaction, height: number): Promise<void> {
  await tx`
    update collection_items m set sort_key = i.sequence, rendered_row = null, rendered_version = m.rendered_version + 1,
      rendered_expires_at = null
    from inscription_rows i where i.height = ${height} and m.inscription_id = i.inscription_id`
}

/** First sort key of unindexed items. */
const UNSEEN = 2 ** 52

export interface NewCollection {
  slug: string
  name: string
  description: string | null
  previewInscriptionId: string | null
}

export interface ChainCollection {
  collectionId: string
  kind: 'parent_child' | 'gallery'
  sourceId: string
  slug: string
  name: string
}

/** Returns the collection that has or had a slug. */
export function findSlugOwner(sql: Queryable, slug: string) {
  return first(sql<{ collectionId: string; slug: string; sourceId: string | null }[]>`
    select collection_id, slug, source_inscription_id as source_id from collections
    where slug = ${slug} or collection_id = (select collection_id from collection_aliases where slug = ${slug})
    order by slug = ${slug} desc limit 1`)
}

/** Returns false if a collection of this source exists. */
export async function insertChainCollection(
  tx: Transaction,
  { collectionId, kind, sourceId, slug, name }: ChainCollection,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    insert into collections (collection_id, slug, name, kind, verification_status, source_inscription_id,
      preview_inscription_id, imported_at)
    values (${collectionId}, ${slug}, ${name}, ${kind}, 'unverified', ${sourceId}, ${sourceId}, ${now})
    on conflict do nothing returning 1`
  return rows.length === 1
}

export interface PropertiesRow {
  inscriptionId: string
  properties: Uint8Array | null
  propertyEncoding: string | null
}

export function findProperties(tx: Transaction, inscriptionId: string) {
  return first(tx<PropertiesRow[]>`
    select inscription_id, properties, property_encoding from inscriptions where inscription_id = ${inscriptionId}`)
}

/** A child. `known` is its item in the collection, if it has one; then the properties are null. */
export type ChildRow = PropertiesRow & { known: Pick<NewItem, 'name' | 'traits'> | null }

/**
 * Returns the children of any of the inscriptions, oldest first (index inscriptions_parents), with their items in a collection. The
 * properties of items are not read again: they never change, and thousands of children can have megabytes each.
 */
export function listChildren(
  tx: Transaction,
  { collectionId, name }: { collectionId: string | null; name: string },
  parentIds: readonly string[],
): Promise<ChildRow[]> {
  return tx<ChildRow[]>`
    with children as (
      select inscription_id, sequence, properties, property_encoding, row_number() over (order by sequence) as n
      from inscription_rows where parent_ids <> '{}' and parent_ids && ${parentIds as string[]}::text[])
    select c.inscription_id, case when m.inscription_id is null then c.properties end as properties, c.property_encoding,
      case when m.inscription_id is not null then jsonb_build_object('name', m.item_name, 'traits', m.traits) end as known
    from children c left join collection_items m
      on m.collection_id = ${collectionId}::uuid and m.inscription_id = c.inscription_id and m.ordinal = c.n - 1
        -- a name that was made from an earlier name of the collection
        and (m.item_name = ${name} || ' #' || c.n or m.item_name not like '%#' || c.n)
    order by c.sequence`
}

/** Returns the parents of a collection after the first. */
export async function listFurtherParents(tx: Transaction, collectionId: string): Promise<string[]> {
  const rows = await tx<{ inscriptionId: string }[]>`
    select inscription_id from collection_parents where collection_id = ${collectionId} order by inscription_id`
  return rows.map(({ inscriptionId }) => inscriptionId)
}

/** Sets what defines a collection on chain. Returns false if another collection has the same kind and source. */
export async function updateSources(
  tx: Transaction,
  collectionId: string,
  kind: ChainCollection['kind'],
  [sourceId, ...further]: readonly string[],
): Promise<boolean> {
  const updated = await tx`
    update collections set kind = ${kind}, source_inscription_id = ${sourceId!},
      preview_inscription_id =
        case when preview_inscription_id = source_inscription_id then ${sourceId!} else preview_inscription_id end
    where collection_id = ${collectionId} and not exists (
      select 1 from collections o
      where o.source_inscription_id = ${sourceId!} and o.kind = ${kind} and o.collection_id <> ${collectionId})
    returning 1`
  if (updated.length === 0) return false
  await tx`delete from collection_parents where collection_id = ${collectionId}`
  await tx`
    insert into collection_parents (collection_id, inscription_id)
    select ${collectionId}, unnest(${further}::text[]) on conflict do nothing`
  return true
}

export function findCollectionById(tx: Transaction, collectionId: string) {
  return first(tx<CollectionRow[]>`
    select collection_id, slug, name, kind, source_inscription_id as source_id from collections
    where collection_id = ${collectionId}`)
}

/** Returns the collection that an inscription defines. */
export function findCollectionBySource(tx: Transaction, kind: ChainCollection['kind'], sourceId: string) {
  return first(tx<CollectionRow[]>`
    select collection_id, slug, name, kind, source_inscription_id as source_id from collections
    where source_inscription_id = ${sourceId} and kind = ${kind}`)
}

export interface CollectionRow {
  collectionId: string
  slug: string
  name: string
  kind: ChainCollection['kind'] | null
  sourceId: string | null
}

/** Returns the items of a collection as imported. */
export function listItems(sql: Queryable, collectionId: string): Promise<NewItem[]> {
  return sql<NewItem[]>`
    select inscription_id, item_name as name, traits from collection_items
    where collection_id = ${collectionId} order by ordinal`
}

/** Changes a collection's slug. The previous slug redirects to it. */
export async function renameCollection(
  tx: Transaction,
  collectionId: string,
  to: { slug: string; name: string | null },
): Promise<void> {
  await tx`
    insert into collection_aliases (slug, collection_id)
    select slug, collection_id from collections where collection_id = ${collectionId}
    on conflict (slug) do update set collection_id = excluded.collection_id`
  await tx`delete from collection_aliases where slug = ${to.slug}`
  await tx`
    update collections set slug = ${to.slug}, name = coalesce(${to.name}, name) where collection_id = ${collectionId}`
  await tx`
    update collection_floors set slug = ${to.slug}, rendered_row = null, rendered_version = rendered_version + 1
    where collection_id = ${collectionId}`
  await tx`select drop_rendered_collection(${collectionId})`
}

export async function setVerified(sql: Queryable, slug: string, verified: boolean): Promise<boolean> {
  const rows = await sql`
    update collections set verification_status = ${verified ? 'verified' : 'unverified'} where slug = ${slug} returning 1`
  return rows.length === 1
}

export interface NameRow {
  slug: string
  name: string
  verificationStatus: string
  items: number
}

export function listNames(sql: Queryable): Promise<NameRow[]> {
  return sql<NameRow[]>`
    select slug, name, verification_status, (select count(*)::int from collection_items m where m.collection_id = c.collection_id) as items
    from collections c order by slug`
}

/** Creates or updates an imported collection. Returns its id. */
export async function upsertCollection(
  tx: Transaction,
  collectionId: string,
  collection: NewCollection,
  now: Date,
): Promise<string> {
  const [row] = await tx<{ collectionId: string }[]>`
    insert into collections (collection_id, slug, name, description, verification_status, preview_inscription_id, imported_at)
    values (${collectionId}, ${collection.slug}, ${collection.name}, ${collection.description}, 'unverified',
      ${collection.previewInscriptionId}, ${now})
    on conflict (slug) do update set name = excluded.name, description = excluded.description,
      preview_inscription_id = excluded.preview_inscription_id, imported_at = excluded.imported_at
    returning collection_id`
  return row!.collectionId
}

export interface NewItem {
  inscriptionId: string
  name: string
  traits: { type: string; value: string }[]
}

/** What an import changed in a collection. */
export interface ItemChanges {
  /** Number of items that are new, changed or removed. */
  changed: number
  /** Items that are no longer in the collection. */
  removed: string[]
}

/** Number of new items from which statistics are renewed. */
const MANY = 1000

/** Replaces a collection's items and updates derived rows. Keeps items with an active listing or offer. */
export async function replaceItems(
  tx: Transaction,
  collectionId: string,
  items: readonly NewItem[],
  onProgress?: (done: number) => void,
): Promise<ItemChanges> {
  await tx`
    create temporary table if not exists new_items (
      inscription_id text primary key, ordinal integer not null, item_name text not null, traits jsonb not null
    ) on commit delete rows`
  await tx`truncate new_items`
  for (let at = 0; at < items.length; at += 5000) {
    const batch = items.slice(at, at + 5000)
    await tx`
      insert into new_items
      select x.inscription_id, ${at}::int + x.n::int - 1, x.item_name, x.traits::jsonb
      from unnest(${batch.map((item) => item.inscriptionId)}::text[], ${batch.map((item) => item.name)}::text[],
        ${batch.map((item) => JSON.stringify(item.traits))}::text[]) with ordinality as x (inscription_id, item_name, traits, n)`
    onProgress?.(at + batch.length)
  }
  await tx`analyze new_items`
  const removed = await tx<{ inscriptionId: string }[]>`
    delete from collection_items m where m.collection_id = ${collectionId} and not exists (
      select 1 from new_items n where (n.inscription_id, n.ordinal, n.item_name, n.traits)
        = (m.inscription_id, m.ordinal, m.item_name, m.traits))
      and (m.inscription_id in (select inscription_id from new_items) or not exists (
        select 1 from listings l where l.inscription_id = m.inscription_id and l.collection_id = ${collectionId}
          and l.state in ('buyable', 'hidden_locked', 'pending_public')
        union all select 1 from offers o where o.inscription_id = m.inscription_id and o.collection_id = ${collectionId}
          and o.state in ('active', 'accepting')))
    returning inscription_id`
  const added = await tx<{ inscriptionId: string }[]>`
    insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
    select ${collectionId}, n.inscription_id, n.ordinal, coalesce(i.sequence, ${UNSEEN}::bigint + n.ordinal), n.item_name,
      n.traits
    from new_items n left join inscriptions i using (inscription_id)
    where not exists (select 1 from collection_items m
      where m.collection_id = ${collectionId} and m.inscription_id = n.inscription_id)
    returning inscription_id`
  const changed = [...new Set([...removed, ...added].map((row) => row.inscriptionId))]
  if (changed.length === 0) return { changed: 0, removed: [] }
  // Sales indexed before the import have no collection yet.
  for (let at = 0; at < added.length; at += 5000)
    await tx`
      update sales set collection_id = ${collectionId}
      where inscription_id = any(${added.slice(at, at + 5000).map((row) => row.inscriptionId)}::text[])
        and collection_id is null`
  // Other rendered rows include these items.
  for (let at = 0; at < changed.length; at += 5000) {
    const batch = changed.slice(at, at + 5000)
    await tx`
      with elsewhere as (
        select m.inscription_id from unnest(${batch}::text[]) as x (inscription_id)
        join collection_items m using (inscription_id) where m.collection_id <> ${collectionId}),
      sold as (
        select s.inscription_id from unnest(${batch}::text[]) as x (inscription_id) join sales s using (inscription_id))
      select drop_rendered_listings(${batch}::text[]),
        drop_rendered_sales(array(select inscription_id from sold)),
        drop_rendered_items(array(select inscription_id from elsewhere))`
  }
  // Otherwise, the planner takes a new collection for empty, and rebuilding takes time in the square of its items.
  if (added.length >= MANY) await tx`analyze collection_items`
  await tx`select rebuild_collection(${collectionId})`
  const present = new Set(added.map((row) => row.inscriptionId))
  const gone = removed.map((row) => row.inscriptionId).filter((id) => !present.has(id))
  return { changed: changed.length, removed: gone }
}

/** Returns true if a collection contains one of the inscriptions. */
export async function containsAny(
  tx: Transaction,
  collectionId: string,
  inscriptionIds: readonly string[],
): Promise<boolean> {
  const rows = await tx`
    select 1 from collection_items
    where collection_id = ${collectionId} and inscription_id = any(${inscriptionIds as string[]}::text[]) limit 1`
  return rows.length === 1
}

/** Counts the items of collections, and those whose inscription is not in the index. */
export async function countItems(
  sql: Queryable,
  collectionIds: readonly string[],
): Promise<{ items: number; unknown: number }> {
  const [row] = await sql<{ items: number; unknown: number }[]>`
    select count(*) as items, count(*) filter (where sort_key >= ${UNSEEN}) as unknown
    from collection_items where collection_id = any(${collectionIds as string[]}::uuid[])`
  return row!
}
