import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Fragment, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

/** Search queries. Each reads a limited number of index entries, because anyone can inscribe thousands of items with one name. */

/** Entries read per word of a name. */
const LOOKED_AT = 50

export const MAX_FOUND = 5

/** Normalizes a name or query. Returns an empty string if it has no letters, digits or symbols. */
export async function searchText(sql: Queryable, q: string): Promise<string> {
  const [row] = await sql<{ text: string }[]>`select coalesce(search_phrase(${q}, 1), '') as text`
  return row!.text
}

/**
 * Selects rows of `from` whose `phrase` begins with the text. Each phrase starts at a word of a name (indexes ..._word_1, ..._word_2, …).
 */
const beginning = (
  sql: Queryable,
  text: string,
  columns: Fragment,
  from: Fragment,
  phrase: Fragment,
): Fragment => sql`
  (select ${columns}, ${phrase} collate "C" as phrase from ${from}
  where ${phrase} collate "C" >= ${text} and ${phrase} collate "C" < ${text} || chr(1114111)
  order by ${phrase} collate "C" limit ${limitOf(sql, LOOKED_AT)})`

export interface FoundTrait {
  collectionSlug: string
  collectionName: string
  verificationStatus: 'verified' | 'unverified'
  type: string
  value: string
  count: number
}

const traitsBeginning = (sql: Queryable, text: string, phrase: Fragment): Fragment =>
  beginning(
    sql,
    text,
    sql`t.collection_id, t.trait_type, t.trait_value, t.item_count`,
    sql`trait_counts t`,
    phrase,
  )

/** Finds trait values, verified collections first, then by number of items. */
export function findTraits(sql: Queryable, text: string): Promise<FoundTrait[]> {
  return sql<FoundTrait[]>`
    with found as (
      ${traitsBeginning(sql, text, sql`search_phrase(t.trait_value, 1)`)}
      union all ${traitsBeginning(sql, text, sql`search_phrase(t.trait_value, 2)`)})
    select c.slug as collection_slug, c.name as collection_name, c.verification_status, f.trait_type as type,
      f.trait_value as value, f.item_count as count
    from (select distinct collection_id, trait_type, trait_value, item_count from found) f join collections c using (collection_id)
    order by c.verification_status = 'verified' desc, f.item_count desc, c.slug, f.trait_type, f.trait_value
    limit ${limitOf(sql, MAX_FOUND)}`
}

export interface FoundCollection {
  collectionId: string
  slug: string
  name: string
  verificationStatus: 'verified' | 'unverified'
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  cardBackgroundColor: string | null
  itemCount: number
  floorSats: number | null
}

const collectionsBeginning = (sql: Queryable, text: string, phrase: Fragment): Fragment =>
  beginning(sql, text, sql`c.collection_id`, sql`collections c`, phrase)

/** Finds collections, verified ones first. Verified collections are searched separately, so that namesakes cannot hide them. */
export function findCollections(sql: Queryable, text: string): Promise<FoundCollection[]> {
  return sql<FoundCollection[]>`
    with found as (
      ${collectionsBeginning(sql, text, sql`search_phrase(c.name, 1)`)}
      union all ${collectionsBeginning(sql, text, sql`search_phrase(c.name, 2)`)}
      union all ${collectionsBeginning(sql, text, sql`search_phrase(c.name, 3)`)}
      union all ${collectionsBeginning(sql, text, sql`search_phrase(c.slug, 1)`)}
      union all
      select c.collection_id, '' from collections c
      where c.verification_status = 'verified' and (starts_with(search_phrase(c.name, 1), ${text})
        or starts_with(search_phrase(c.name, 2), ${text}) or starts_with(search_phrase(c.name, 3), ${text})
        or starts_with(search_phrase(c.slug, 1), ${text})))
    select c.collection_id, c.slug, c.name, c.verification_status, c.preview_inscription_id,
      coalesce(d.content_type, i.content_type) as preview_content_type, c.image_rendering_hint, c.card_background_color,
      n.item_count, f.floor_sats
    from collections c join collection_counts n using (collection_id) join collection_floors f using (collection_id)
      left join inscriptions i on i.inscription_id = c.preview_inscription_id
      left join inscriptions d on d.inscription_id = i.delegate_id
    where c.collection_id in (select collection_id from found)
    order by c.verification_status = 'verified' desc, f.listed_count desc, n.item_count desc, c.slug
    limit ${limitOf(sql, MAX_FOUND)}`
}

const itemsBeginning = (sql: Queryable, text: string, phrase: Fragment): Fragment =>
  beginning(sql, text, sql`m.collection_id, m.inscription_id`, sql`collection_items m`, phrase)

/** Finds item ids by name: exact names first, then verified collections. */
export async function findItems(sql: Queryable, text: string): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    with found as (
      ${itemsBeginning(sql, text, sql`search_phrase(m.item_name, 1)`)}
      union all ${itemsBeginning(sql, text, sql`search_phrase(m.item_name, 2)`)}
      union all ${itemsBeginning(sql, text, sql`search_phrase(m.item_name, 3)`)}
      union all ${itemsBeginning(sql, text, sql`search_phrase(m.item_name, 0)`)})
    select f.inscription_id from (
      select inscription_id, collection_id, min(phrase) as phrase from found group by 1, 2) f
      join collections c using (collection_id)
    order by f.phrase = ${text} desc, c.verification_status = 'verified' desc, f.phrase, f.inscription_id
    limit ${limitOf(sql, MAX_FOUND)}`
  return rows.map((row) => row.inscriptionId)
}

/** Finds inscription ids by number (index inscriptions_number). */
export async function findByNumber(sql: Queryable, number: number): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows where inscription_number = ${number} limit ${limitOf(sql, MAX_FOUND)}`
  return rows.map((row) => row.inscriptionId)
}

/** Finds the ids of the first inscriptions on a sat (index inscriptions_sat). */
export async function findOnSat(sql: Queryable, sat: number): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows where sat is not null and sat = ${sat} order by sequence
    limit ${limitOf(sql, MAX_FOUND)}`
  return rows.map((row) => row.inscriptionId)
}

/** Inscribed sats of a coin that a satpoint search reads. */
const SATS_LOOKED_AT = 1000

/** Finds ids in a coin; with `offset`, only on that sat (index inscribed_sats_place). */
export async function findInCoin(
  sql: Queryable,
  { txid, vout }: Outpoint,
  offset: number | null,
): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select i.inscription_id from (
      select s.sat_id, s.sat_offset from inscribed_sats r, lateral sats_in(r.sat_id) s
      where txid_key(r.txid) = txid_key(${txid}) and r.txid = ${txid} and r.vout = ${vout} limit ${limitOf(sql, SATS_LOOKED_AT)}) s
      join inscription_rows i using (sat_id)
    ${offset === null ? sql`` : sql`where s.sat_offset = ${offset}`} limit ${limitOf(sql, MAX_FOUND)}`
  return rows.map((row) => row.inscriptionId)
}

/** Selects the first distinct scripts of a range, with one index lookup per script. `rows` is a table and its conditions. */
const scriptsIn = (
  sql: Queryable,
  column: Fragment,
  rows: Fragment,
  from: Uint8Array,
  to: Uint8Array,
): Fragment => sql`
  (with recursive step as (
    (select ${column} as script from ${rows} and ${column} >= ${from} and ${column} <= ${to} order by ${column} limit 1)
    union all
    select (select ${column} from ${rows} and ${column} > step.script and ${column} <= ${to} order by ${column} limit 1)
    from step where step.script is not null)
  select script from step where script is not null limit ${limitOf(sql, MAX_FOUND)})`

/** Finds scripts of a range that sold, bought or have live listings. */
export async function findScripts(sql: Queryable, from: Uint8Array, to: Uint8Array): Promise<Uint8Array[]> {
  const rows = await sql<{ script: Uint8Array }[]>`
    select distinct script from (
      ${scriptsIn(sql, sql`s.seller_script`, sql`sales s where s.seller_script is not null`, from, to)}
      union all ${scriptsIn(sql, sql`s.buyer_script`, sql`sales s where s.buyer_script is not null`, from, to)}
      union all ${scriptsIn(sql, sql`l.seller_script`, sql`listings l where l.state = 'buyable'`, from, to)}) found
    order by script limit ${limitOf(sql, MAX_FOUND)}`
  return rows.map((row) => row.script)
}

export interface FoundInscription {
  inscriptionId: string
  inscriptionNumber: number | null
  itemName: string | null
  contentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  collectionSlug: string | null
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  priceSats: number | null
}

/** Returns inscriptions with names and prices, in the order of the ids. Includes unindexed collection items. */
export function describeFound(
  sql: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<FoundInscription[]> {
  return sql<FoundInscription[]>`
    select o.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      m.item_name, m.image_rendering_hint, m.collection_slug, m.collection_name, m.verification_status, (
        select l.price_sats from live_listing_with(o.inscription_id) l
        where l.state = 'buyable' and (l.expires_at is null or l.expires_at > ${now})) as price_sats
    from unnest(${ids as string[]}::text[]) with ordinality as o (inscription_id, n)
      left join inscriptions i using (inscription_id)
      left join inscriptions d on d.inscription_id = i.delegate_id
      left join lateral (
        select m.item_name, c.image_rendering_hint, c.slug as collection_slug, c.name as collection_name, c.verification_status
        from collection_items m join collections c using (collection_id)
        where m.inscription_id = o.inscription_id order by c.verification_status = 'verified' desc, c.slug limit 1) m on true
    where i.inscription_id is not null or m.item_name is not null
    order by o.n`
}
