import { type Fragment, limitOf, type Queryable, type Transaction } from '../db/connect.ts'
import { BETWEEN, type Card, type Slice } from '../http/cursor.ts'

export interface CollectionRow {
  collectionId: string
  slug: string
  name: string
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified'
  cardBackgroundColor: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  previewInscriptionId: string | null
  tradingEnabled: boolean
  royaltyScript: Uint8Array | null
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
}

export async function findCollection(sql: Queryable, slug: string): Promise<CollectionRow | null> {
  const [row] = await sql<CollectionRow[]>`
    select collection_id, slug, name, kind, verification_status, card_background_color, image_rendering_hint,
      preview_inscription_id, trading_enabled, royalty_script, seller_royalty_bps, buyer_royalty_bps
    from collections where slug = ${slug.toLowerCase()}`
  return row ?? null
}

/** Of these inscriptions, those that the collection holds. */
export async function listMembers(
  sql: Queryable,
  collectionId: string,
  inscriptionIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from collection_items
    where collection_id = ${collectionId} and inscription_id = any(${inscriptionIds as string[]}::text[])`
  return new Set(rows.map((row) => row.inscriptionId))
}

/** Which items of a collection a page is about; `after` is the last sort key of the page before. */
export interface ItemPage {
  slug: string
  newest: boolean
  after: number | null
  /** One more than the page holds. */
  rows: number
  now: Date
}

/** The rows of a page (index collection_items_order), in order. */
const pageOfItems = (sql: Queryable, { slug, newest, after, rows }: ItemPage, columns: Fragment) => sql`
  select ${columns} from collection_items
  where collection_id = (select collection_id from collections where slug = ${slug})
    ${after === null ? sql`` : newest ? sql`and sort_key < ${after}` : sql`and sort_key > ${after}`}
  order by sort_key ${newest ? sql`desc` : sql`asc`} limit ${limitOf(sql, rows)}`

type ItemSlice = Slice & { collectionId: string | null; lastKey: number | null }

/** A page as its cards. */
export async function sliceItems(sql: Queryable, page: ItemPage): Promise<ItemSlice> {
  const columns = sql`sort_key, card, card_expires_at`
  const [row] = await sql<ItemSlice[]>`
    select (select collection_id from collections where slug = ${page.slug}) as collection_id,
      string_agg(card, ${BETWEEN}) as cards, count(*) as row_count, (array_agg(sort_key))[${page.rows - 1}::int] as last_key,
      bool_or(card is null or card_expires_at <= ${page.now}) as stale, min(card_expires_at) as expires_at
    from (${pageOfItems(sql, page, columns)}) page`
  return row!
}

export interface ItemRow {
  collectionId: string
  slug: string
  cardBackgroundColor: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  inscriptionId: string
  card: string | null
  cardVersion: number
  cardExpiresAt: Date | null
  sortKey: number
  itemName: string
  traits: { type: string; value: string }[]
  traitCounts: Record<string, number>
  itemCount: number
  collections: string[]
  inscriptionNumber: number | null
  contentType: string | null
  txid: string | null
  vout: number | null
  satOffset: number | null
  ownerScript: Uint8Array | null
  listingId: string | null
  listingState: 'buyable' | 'hidden_locked' | 'pending_public' | null
  priceSats: number | null
  listedAt: Date | null
  listingExpiresAt: Date | null
  lastSaleSats: number | null
}

/** A page with everything that its cards show. */
export function listItems(sql: Queryable, page: ItemPage): Promise<ItemRow[]> {
  return sql<ItemRow[]>`
    select page.collection_id, c.slug, c.card_background_color, c.image_rendering_hint, page.inscription_id,
      page.card, page.card_version, page.card_expires_at, page.sort_key, page.item_name, page.traits, counts.item_count,
      i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, i.txid, i.vout, i.sat_offset,
      i.owner_script, l.listing_id, l.state as listing_state, l.price_sats, l.listed_at,
      l.expires_at as listing_expires_at,
      (select s.price_sats from sales s where s.inscription_id = page.inscription_id
        order by s.height desc, s.sale_id desc limit 1) as last_sale_sats,
      (select array_agg(o.slug order by o.slug) from collection_items m join collections o using (collection_id)
        where m.inscription_id = page.inscription_id) as collections,
      (select coalesce(jsonb_object_agg(t.trait_type || chr(31) || t.trait_value, t.item_count), '{}')
        from jsonb_to_recordset(page.traits) as x (type text, value text)
        join trait_counts t on t.collection_id = page.collection_id and t.trait_type = x.type and t.trait_value = x.value)
        as trait_counts
    from (${pageOfItems(sql, page, sql`*`)}) page
    join collections c using (collection_id)
    join collection_counts counts using (collection_id)
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join listings l on l.inscription_id = page.inscription_id
      and l.state in ('buyable', 'hidden_locked', 'pending_public')
      and (l.expires_at is null or l.expires_at > ${page.now})
    order by page.sort_key ${page.newest ? sql`desc` : sql`asc`}`
}

/** Keeps cards, each where its row is still what it was rendered from. */
export async function writeItemCards(
  sql: Queryable,
  collectionId: string,
  cards: readonly (Card & { expiresAt: Date | null })[],
): Promise<void> {
  await sql`
    update collection_items m set card = fresh.card, card_expires_at = fresh.expires_at
    from (
      select m.collection_id, m.inscription_id, x.card, x.expires_at
      from unnest(${cards.map((each) => each.id)}::text[], ${cards.map((each) => each.version)}::int[],
        ${cards.map((each) => each.card)}::text[], ${cards.map((each) => each.expiresAt?.toISOString() ?? null)}::timestamptz[])
        as x (id, version, card, expires_at)
      join collection_items m on m.collection_id = ${collectionId} and m.inscription_id = x.id
        and m.card_version = x.version and m.card is null
      for no key update of m skip locked
    ) fresh
    where m.collection_id = fresh.collection_id and m.inscription_id = fresh.inscription_id`
}

export interface FloorSlice {
  /** Null when none of the slugs is known. */
  cards: string | null
  stale: boolean | null
  validUntil: Date | null
  collectionIds: string[] | null
}

/** Statistics of collections as their cards, in the order of the slugs. */
export async function sliceFloors(sql: Queryable, slugs: readonly string[], now: Date): Promise<FloorSlice> {
  const [row] = await sql<FloorSlice[]>`
    select string_agg(card, ',' order by n) as cards, bool_or(card is null or card_until <= ${now}) as stale,
      min(card_until) as valid_until, array_agg(collection_id) as collection_ids
    from unnest(${slugs as string[]}::text[]) with ordinality as wanted (slug, n) join collection_floors using (slug)`
  return row!
}

export interface FloorRow {
  collectionId: string
  cardVersion: number
  card: string | null
  cardUntil: Date | null
  slug: string
  floorSats: number | null
  listedCount: number
  ownerCount: number
  rolledAt: Date
  /** When an ask ends by itself and with it these figures. */
  nextExpiryAt: Date | null
  floorDayAgoSats: number | null
  floorWeekAgoSats: number | null
  /** When the floors of a day and a week ago change, as time goes on. */
  dayAgoUntil: Date | null
  weekAgoUntil: Date | null
}

/**
 * Floors of collections, now and a day and a week ago. The book's own figures, but where an ask has run out that the jobs
 * have not closed yet: then the book is looked through.
 */
export function listFloors(sql: Queryable, slugs: readonly string[], now: Date): Promise<FloorRow[]> {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const then = (at: Date) => sql`
    select (select floor_sats from floor_history h where h.collection_id = f.collection_id and since <= ${at}
        order by since desc limit 1) as floor_sats,
      (select min(since) from floor_history h where h.collection_id = f.collection_id and since > ${at}) as until`
  const standing = sql`
    from asks a where a.collection_id = f.collection_id and a.closed_at is null
      and (a.expires_at is null or a.expires_at > ${now})`
  return sql<FloorRow[]>`
    select f.collection_id, f.slug, f.card, f.card_version, f.card_until, n.owner_count, f.rolled_at,
      case when f.next_expiry_at <= ${now} then (select min(price_sats) ${standing}) else f.floor_sats end as floor_sats,
      case when f.next_expiry_at <= ${now} then (select count(*)::int ${standing}) else f.listed_count end as listed_count,
      f.next_expiry_at, day.floor_sats as floor_day_ago_sats, week.floor_sats as floor_week_ago_sats,
      day.until + interval '1 day' as day_ago_until, week.until + interval '7 days' as week_ago_until
    from unnest(${slugs as string[]}::text[]) with ordinality as wanted (slug, n)
    join collection_floors f using (slug) join collection_counts n using (collection_id),
      lateral (${then(ago(1))}) day, lateral (${then(ago(7))}) week
    order by wanted.n`
}

/** Keeps cards, each where its row is still what it was rendered from; also in place of one that has run out. */
export async function writeFloorCards(
  sql: Queryable,
  cards: readonly (Card & { until: Date | null })[],
): Promise<void> {
  await sql`
    update collection_floors f set card = fresh.card, card_until = fresh.until
    from (
      select f.collection_id, x.card, x.until
      from unnest(${cards.map((each) => each.id)}::uuid[], ${cards.map((each) => each.version)}::int[],
        ${cards.map((each) => each.card)}::text[],
        ${cards.map((each) => each.until?.toISOString() ?? null)}::timestamptz[]) as x (id, version, card, until)
      join collection_floors f on f.collection_id = x.id and f.card_version = x.version
      for no key update of f skip locked
    ) fresh
    where f.collection_id = fresh.collection_id`
}

/** Gives seen items their place by sequence, or back the one from before they were seen. */
export async function updateSortKeys(
  tx: Transaction,
  changes: readonly { inscriptionId: string; sequence: number | null }[],
): Promise<void> {
  if (changes.length === 0) return
  await tx`
    update collection_items m set sort_key = coalesce(c.sequence, ${UNSEEN}::bigint + m.ordinal), card = null,
      card_version = m.card_version + 1, card_expires_at = null
    from unnest(${changes.map((each) => each.inscriptionId)}::text[], ${changes.map((each) => each.sequence)}::bigint[])
      as c (inscription_id, sequence)
    where m.inscription_id = c.inscription_id`
}

/** Sort keys from here on are of items that the index has not seen: 2^52 + place in the file. */
export const UNSEEN = 2 ** 52

export interface NewCollection {
  slug: string
  name: string
  description: string | null
  previewInscriptionId: string | null
}

/** Makes or renews a collection; its id, its orders and its settings stay. */
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

/**
 * Makes a collection's items these, in batches that keep memory and statements small. What is as before is not touched;
 * what is derived of the rest follows. Gives how many items came, went or changed.
 */
export async function replaceItems(
  tx: Transaction,
  collectionId: string,
  items: readonly NewItem[],
  onProgress?: (done: number) => void,
): Promise<number> {
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
  const gone = await tx<{ inscriptionId: string }[]>`
    delete from collection_items m where m.collection_id = ${collectionId} and not exists (
      select 1 from new_items n where (n.inscription_id, n.ordinal, n.item_name, n.traits)
        = (m.inscription_id, m.ordinal, m.item_name, m.traits))
    returning inscription_id`
  const come = await tx<{ inscriptionId: string }[]>`
    insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
    select ${collectionId}, n.inscription_id, n.ordinal, coalesce(i.sequence, ${UNSEEN}::bigint + n.ordinal), n.item_name,
      n.traits
    from new_items n left join inscriptions i using (inscription_id)
    where not exists (select 1 from collection_items m
      where m.collection_id = ${collectionId} and m.inscription_id = n.inscription_id)
    returning inscription_id`
  const changed = [...new Set([...gone, ...come].map((row) => row.inscriptionId))]
  if (changed.length === 0) return 0
  // Other collections' cards, listings and sales show these too.
  for (let at = 0; at < changed.length; at += 5000) {
    const batch = changed.slice(at, at + 5000)
    await tx`
      with elsewhere as (
        select m.inscription_id from unnest(${batch}::text[]) as x (inscription_id)
        join collection_items m using (inscription_id) where m.collection_id <> ${collectionId}),
      listed as (
        select l.inscription_id from unnest(${batch}::text[]) as x (inscription_id)
        join listings l using (inscription_id) where l.state in ('buyable', 'hidden_locked', 'pending_public')),
      sold as (
        select s.inscription_id from unnest(${batch}::text[]) as x (inscription_id) join sales s using (inscription_id))
      select reset_listing_cards(array(select inscription_id from listed)),
        reset_sale_cards(array(select inscription_id from sold)),
        reset_item_cards(array(select inscription_id from elsewhere))`
  }
  await tx`select rebuild_collection(${collectionId})`
  return changed.length
}

/** False when there is no such collection. */
export async function setRoyalty(
  sql: Queryable,
  slug: string,
  royalty: { script: Uint8Array | null; sellerBps: number; buyerBps: number },
): Promise<boolean> {
  const rows = await sql`
    update collections set royalty_script = ${royalty.script}, seller_royalty_bps = ${royalty.sellerBps},
      buyer_royalty_bps = ${royalty.buyerBps}
    where slug = ${slug.toLowerCase()} returning 1`
  return rows.length === 1
}
