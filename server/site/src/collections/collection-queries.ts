import { MAX_SATS } from '@ordbook/contract/amounts.ts'
import { type Fragment, first, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

export interface CollectionRank {
  collectionId: string
  slug: string
  name: string
  description: string | null
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified'
  cardBackgroundColor: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  previewInscriptionId: string | null
  previewContentType: string | null
  itemCount: number
  volumeDaySats: number
  volumeWeekSats: number
  salesDayCount: number
  sellerRoyaltyBps: number
  volumeSats: number
  salesCount: number
}

export type CollectionSort = 'volume' | 'sales' | 'floor' | 'listed' | 'owners' | 'name' | 'new'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Returns the end of the hour of `from`. Later sales are summed by hour, earlier ones individually. */
const hourAfter = (from: Date) => new Date(Math.floor(from.getTime() / HOUR + 1) * HOUR)

/** Hourly sums since a time; null: all time. */
const wholeHours = (sql: Queryable, from: Date | null) =>
  from === null ? sql`hour = '-infinity'` : sql`hour >= ${hourAfter(from)}`

/** Sales between a time and the end of its hour; null: none. */
const hourBegun = (sql: Queryable, from: Date | null) =>
  from === null ? sql`false` : sql`s.sold_at > ${from} and s.sold_at < ${hourAfter(from)}`

const soldSince = (sql: Queryable, from: Date | null) =>
  from === null
    ? sql`hour = '-infinity'`
    : sql`(hour >= ${hourAfter(from)} or sold_at > ${from} and sold_at < ${hourAfter(from)})`

/** The largest amount of the contract. Sales among one's own wallets can exceed it in sum. */
export const capped = (sql: Queryable, sats: Fragment): Fragment =>
  sql`least(${sats}, ${MAX_SATS}::bigint)::bigint`

/** Lists collections in a sort order, optionally filtered by name or slug. */
export function listCollections(
  sql: Queryable,
  page: {
    sort: CollectionSort
    /** Start of the window; null: all time. */
    since: Date | null
    q: string | null
    slugs: readonly string[] | null
    now: Date
    offset: number
    rows: number
  },
): Promise<CollectionRank[]> {
  const { sort, since, q, slugs, now, offset, rows } = page
  const week = new Date(now.getTime() - 7 * DAY)
  const day = new Date(now.getTime() - DAY)
  const anySlug = sql`any(${slugs as string[]}::text[])`
  const like = q === null ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const order = {
    volume: sql`coalesce(v.volume, 0) desc, f.listed_count desc`,
    sales: sql`coalesce(v.sales, 0) desc, f.listed_count desc`,
    floor: sql`f.floor_sats desc nulls last`,
    listed: sql`f.listed_count desc`,
    owners: sql`n.owner_count desc`,
    name: sql`lower(c.name)`,
    new: sql`c.imported_at desc`,
  }[sort]
  return sql<CollectionRank[]>`
    with v as (
      select collection_id, ${capped(sql, sql`coalesce(sum(sats) filter (where ${soldSince(sql, week)}), 0)`)} as week,
        ${capped(sql, sql`coalesce(sum(sats) filter (where ${soldSince(sql, day)}), 0)`)} as day,
        coalesce(sum(sales) filter (where ${soldSince(sql, day)}), 0)::int as day_count,
        ${capped(sql, sql`coalesce(sum(sats) filter (where ${soldSince(sql, since)}), 0)`)} as volume,
        coalesce(sum(sales) filter (where ${soldSince(sql, since)}), 0)::int as sales
      from (
        select collection_id, hour, null::timestamptz as sold_at, volume_sats as sats, sale_count as sales
        from collection_volumes where (${wholeHours(sql, week)} or ${wholeHours(sql, since)})
          ${slugs === null ? sql`` : sql`and collection_id = any(array(select collection_id from collections where slug = ${anySlug}))`}
        union all
        select k.collection_id, null, s.sold_at, s.price_sats, 1
        from sales s join collection_sales k using (sale_id)
        where s.counted and (${hourBegun(sql, week)} or ${hourBegun(sql, day)} or ${hourBegun(sql, since)})
          ${slugs === null ? sql`` : sql`and k.collection_id = any(array(select collection_id from collections where slug = ${anySlug}))`}
      ) parts group by 1
    )
    select c.collection_id, c.slug, c.name, c.description, c.kind, c.verification_status, c.card_background_color,
      c.image_rendering_hint, c.preview_inscription_id, c.seller_royalty_bps, coalesce(d.content_type, i.content_type) as preview_content_type,
      n.item_count, coalesce(v.day, 0) as volume_day_sats, coalesce(v.week, 0) as volume_week_sats,
      coalesce(v.day_count, 0) as sales_day_count, coalesce(v.volume, 0) as volume_sats, coalesce(v.sales, 0) as sales_count
    from collections c join collection_floors f using (collection_id) join collection_counts n using (collection_id)
      left join v using (collection_id)
      left join inscriptions i on i.inscription_id = c.preview_inscription_id
      left join inscriptions d on d.inscription_id = i.delegate_id
    where ${slugs === null ? sql`true` : sql`c.slug = ${anySlug}`}
      ${like === null ? sql`` : sql`and (c.name ilike ${like} or c.slug ilike ${like})`}
    order by ${order}, c.slug offset ${offset} limit ${limitOf(sql, rows)}`
}

export interface CollectionDetail {
  collectionId: string
  floorThenSats: number | null
  topOfferSats: number | null
  lastSold: { inscriptionId: string; contentType: string | null }[]
  floorLine: (number | null)[]
}

/** Lists more figures of collections, by index lookups only. `line` contains the times of the floor chart. */
export function listDetails(
  sql: Queryable,
  collectionIds: readonly string[],
  { since, now, line }: { since: Date; now: Date; line: readonly Date[] },
): Promise<CollectionDetail[]> {
  return sql<CollectionDetail[]>`
    select c.collection_id, (
        select floor_sats from floor_history h where h.collection_id = c.collection_id and h.since <= ${since}
        order by h.since desc limit 1) as floor_then_sats, (
        select max(price_sats) from collection_offers o where o.collection_id = c.collection_id and o.state = 'active'
          and o.executable and o.expires_at > ${now} and o.target ->> 'kind' = 'all') as top_offer_sats, (
        select coalesce(jsonb_agg(jsonb_build_object('inscriptionId', s.inscription_id,
          'contentType', coalesce(d.content_type, i.content_type)) order by s.height desc, s.sale_id desc), '[]')
        from (select s.sale_id, s.height, s.inscription_id from collection_sales k join sales s using (sale_id)
          where k.collection_id = c.collection_id order by k.height desc, k.sale_id desc limit 3) s
          left join inscriptions i using (inscription_id) left join inscriptions d on d.inscription_id = i.delegate_id
        ) as last_sold, (
        select jsonb_agg((
          select floor_sats from floor_history h where h.collection_id = c.collection_id and h.since <= p.at
          order by h.since desc limit 1) order by p.at)
        from unnest(${line.map((at) => at.toISOString())}::timestamptz[]) as p (at)) as floor_line
    from unnest(${collectionIds as string[]}::uuid[]) as c (collection_id)`
}

/** Returns the first item of each collection, its default image. */
export async function findFirstItems(
  sql: Queryable,
  collectionIds: readonly string[],
): Promise<Map<string, { inscriptionId: string; contentType: string | null }>> {
  const rows = await sql<{ collectionId: string; inscriptionId: string; contentType: string | null }[]>`
    select c.collection_id, m.inscription_id, coalesce(d.content_type, i.content_type) as content_type
    from unnest(${collectionIds as string[]}::uuid[]) as c (collection_id), lateral (
      select inscription_id from collection_items m where m.collection_id = c.collection_id order by sort_key limit 1) m
      left join inscriptions i using (inscription_id) left join inscriptions d on d.inscription_id = i.delegate_id`
  return new Map(rows.map((row) => [row.collectionId, row]))
}

/**
 * Returns the verified collection that each unverified one imitates, by the id of the unverified one (index collections_verified_names).
 */
export async function listLookAlikes(
  sql: Queryable,
  collectionIds: readonly string[],
): Promise<Map<string, { slug: string; name: string }>> {
  const rows = await sql<{ collectionId: string; slug: string; name: string }[]>`
    select c.collection_id, v.slug, v.name
    from collections c, lateral (
      select slug, name from collections v
      where v.verification_status = 'verified' and v.name_skeleton = c.name_skeleton order by slug limit 1) v
    where c.collection_id = any(${collectionIds as string[]}::uuid[]) and c.verification_status <> 'verified'
      and c.name_skeleton <> ''`
  return new Map(rows.map(({ collectionId, ...verified }) => [collectionId, verified]))
}

/** Selects open book entries `b`. */
export const openEntry = (sql: Queryable, now: Date) =>
  sql`b.closed_at is null and (b.expires_at is null or b.expires_at > ${now})`

/** Returns the best offer that any item of the collection can accept. */
export async function findTopBid(sql: Queryable, collectionId: string, now: Date): Promise<number | null> {
  const [row] = await sql<{ top: number | null }[]>`
    select max(price_sats) as top from collection_offers
    where collection_id = ${collectionId} and state = 'active' and executable and expires_at > ${now}
      and target ->> 'kind' = 'all'`
  return row!.top
}

/** Returns the best offer for items with certain traits (index collection_offers_book). */
export function findTraitBid(sql: Queryable, collectionId: string, now: Date) {
  return first(sql<{ priceSats: number; scopeLabel: string }[]>`
    select price_sats, scope_label from collection_offers
    where collection_id = ${collectionId} and state = 'active' and executable and expires_at > ${now}
      and target ->> 'kind' <> 'all'
    order by price_sats desc, created_at, offer_id limit 1`)
}

/** Counts active offers, at most `most`. */
export async function countOffers(
  sql: Queryable,
  collectionId: string,
  { now, most }: { now: Date; most: number },
): Promise<number> {
  const [row] = await sql<{ offers: number }[]>`
    select count(*)::int as offers from (
      select 1 from collection_offers
      where collection_id = ${collectionId} and state = 'active' and expires_at > ${now} limit ${limitOf(sql, most)}) active`
  return row!.offers
}

/** Counts the open public proposals that offer or request items of a collection, up to `most`. */
export async function countProposals(
  sql: Queryable,
  collectionId: string,
  { now, most }: { now: Date; most: number },
): Promise<number> {
  const [row] = await sql<{ proposals: number }[]>`
    select count(*)::int as proposals from (
      select 1 from proposal_collections k join proposals p using (proposal_id)
      where k.collection_id = ${collectionId} and p.expires_at > ${now} limit ${limitOf(sql, most)}) active`
  return row!.proposals
}

/** Returns the last confirmed sale of a collection, or null. */
export function findLastSale(sql: Queryable, collectionId: string) {
  return first(sql<{ priceSats: number; soldAt: Date }[]>`
    select s.price_sats, s.sold_at from collection_sales k join sales s using (sale_id)
    where k.collection_id = ${collectionId} and s.counted order by k.height desc, k.sale_id desc limit 1`)
}

export async function findNextExpiry(sql: Queryable, collectionId: string): Promise<Date | null> {
  const [row] = await sql<{ nextExpiryAt: Date | null }[]>`
    select next_expiry_at from collection_floors where collection_id = ${collectionId}`
  return row?.nextExpiryAt ?? null
}

export function listSats(sql: Queryable, slug: string): Promise<{ inscriptionId: string; sat: number }[]> {
  return sql`
    select inscription_id, sat from collection_items join inscriptions using (inscription_id)
    where collection_id = (select collection_id from collections where slug = ${slug}) and sat is not null`
}

/** Lists floor changes since a time, preceded by the floor at that time. */
export function listFloorSteps(
  sql: Queryable,
  collectionId: string,
  from: Date,
): Promise<{ since: Date; floorSats: number | null }[]> {
  return sql`
    (select ${from}::timestamptz as since, floor_sats from floor_history
      where collection_id = ${collectionId} and since <= ${from} order by floor_history.since desc limit 1)
    union all
    (select since, floor_sats from floor_history
      where collection_id = ${collectionId} and since > ${from} order by since desc limit 1000)
    order by since`
}

export function listSalePoints(
  sql: Queryable,
  collectionId: string,
  from: Date,
): Promise<{ soldAt: Date; priceSats: number; inscriptionId: string }[]> {
  return sql`
    select sold_at, price_sats, inscription_id from (
      select s.sold_at, s.price_sats, s.inscription_id from collection_sales k join sales s using (sale_id)
      where k.collection_id = ${collectionId} and s.sold_at > ${from} and s.counted order by k.height desc, k.sale_id desc limit 500) latest
    order by sold_at`
}

/**
 * Returns the volume per part of a window, numbered from 0. Parts without sales are omitted. Block times can be ahead of the clock, so
 * later sales count in the last part.
 */
export function listVolume(
  sql: Queryable,
  collectionId: string,
  { from, partSeconds, parts }: { from: Date; partSeconds: number; parts: number },
): Promise<{ part: number; sats: number; sales: number }[]> {
  return sql`
    with first as (select height from blocks where mined_at <= ${from} order by height desc limit 1)
    select least(floor(extract(epoch from s.sold_at - ${from}::timestamptz) / ${partSeconds}::int)::int, ${parts}::int - 1) as part,
      ${capped(sql, sql`sum(s.price_sats)`)} as sats, count(*)::int as sales
    from collection_sales k join sales s using (sale_id)
    where k.collection_id = ${collectionId} and k.height > coalesce((select height from first), -1)
      and s.sold_at > ${from} and s.counted
    group by 1 order by 1`
}
