import { type Fragment, json, limitOf, type Queryable } from '../db/connect.ts'

/** What only the pages of the storefront ask. Collections by rank, items by any filter, what happened, who holds what. */
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
}

export type CollectionSort = 'volume' | 'floor' | 'listed' | 'owners' | 'name'

/** Collections in the order of a sort, from a place in it on; looked for by name or slug, or one by its slug. */
export function listCollections(
  sql: Queryable,
  page: {
    sort: CollectionSort
    q: string | null
    slug: string | null
    now: Date
    offset: number
    rows: number
  },
): Promise<CollectionRank[]> {
  const { sort, q, slug, now, offset, rows } = page
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const like = q === null ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const order = {
    volume: sql`coalesce(v.week, 0) desc, f.listed_count desc`,
    floor: sql`f.floor_sats desc nulls last`,
    listed: sql`f.listed_count desc`,
    owners: sql`n.owner_count desc`,
    name: sql`lower(c.name)`,
  }[sort]
  return sql<CollectionRank[]>`
    with week as (select height from blocks where mined_at <= ${ago(7)} order by height desc limit 1),
    v as (
      select k.collection_id, sum(s.price_sats)::bigint as week,
        coalesce(sum(s.price_sats) filter (where s.sold_at > ${ago(1)}), 0)::bigint as day,
        (count(*) filter (where s.sold_at > ${ago(1)}))::int as day_count
      from collection_sales k join sales s using (sale_id)
      where k.height > coalesce((select height from week), -1) and s.sold_at > ${ago(7)} group by 1
    )
    select c.collection_id, c.slug, c.name, c.description, c.kind, c.verification_status, c.card_background_color,
      c.image_rendering_hint, c.preview_inscription_id, coalesce(d.content_type, i.content_type) as preview_content_type,
      n.item_count, coalesce(v.day, 0) as volume_day_sats, coalesce(v.week, 0) as volume_week_sats,
      coalesce(v.day_count, 0) as sales_day_count
    from collections c join collection_floors f using (collection_id) join collection_counts n using (collection_id)
      left join v using (collection_id)
      left join inscriptions i on i.inscription_id = c.preview_inscription_id
      left join inscriptions d on d.inscription_id = i.delegate_id
    where ${slug === null ? sql`true` : sql`c.slug = ${slug}`}
      ${like === null ? sql`` : sql`and (c.name ilike ${like} or c.slug ilike ${like})`}
    order by ${order}, c.slug offset ${offset} limit ${limitOf(sql, rows)}`
}

/** The first item of a collection, as a picture of it where none was chosen. */
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

export interface TraitRow {
  type: string
  value: string
  count: number
  floorSats: number | null
}

/** Live listings in the book. */
const standing = (sql: Queryable, now: Date) =>
  sql`l.state = 'buyable' and (l.expires_at is null or l.expires_at > ${now})`

/** The traits of a collection with the floor of each value; or of some of its items alone. */
export function listTraits(sql: Queryable, collectionId: string, now: Date): Promise<TraitRow[]> {
  return sql<TraitRow[]>`
    with floors as (
      select t.type, t.value, min(l.price_sats) as floor_sats
      from collection_items m join listings l using (inscription_id), jsonb_to_recordset(m.traits) as t (type text, value text)
      where m.collection_id = ${collectionId} and ${standing(sql, now)} group by 1, 2
    )
    select c.trait_type as type, c.trait_value as value, c.item_count as count, f.floor_sats
    from trait_counts c left join floors f on f.type = c.trait_type and f.value = c.trait_value
    where c.collection_id = ${collectionId} order by c.trait_type, c.item_count desc, c.trait_value`
}

export async function findTopBid(sql: Queryable, collectionId: string, now: Date): Promise<number | null> {
  const [row] = await sql<{ top: number | null }[]>`
    select max(price_sats) as top from collection_offers
    where collection_id = ${collectionId} and state = 'active' and expires_at > ${now}`
  return row!.top
}

export interface ItemFilter {
  collectionId: string
  sort: 'price' | 'price-desc' | 'recent' | 'oldest' | 'newest' | 'rarity'
  traits: readonly { type: string; values: readonly string[] }[]
  listedOnly: boolean
  minSats: number | null
  maxSats: number | null
  /** Only these; null: any. */
  among: readonly string[] | null
  q: string | null
  after: { key: number; inscriptionId: string } | null
  rows: number
  now: Date
}

/** Ids of items by a filter, in order, each with its place in that order; and how many there are in all. */
export async function listItemIds(
  sql: Queryable,
  filter: ItemFilter,
): Promise<{ inscriptionId: string; key: number; total: number }[]> {
  const { collectionId, traits, listedOnly, minSats, maxSats, among, q, after, rows, now } = filter
  // What has no price, or no time, comes last: no listing is dearer than all sats.
  const key: Fragment = {
    price: sql`coalesce(l.price_sats, 9000000000000000)`,
    'price-desc': sql`coalesce(-l.price_sats, 1)`,
    recent: sql`coalesce(-(extract(epoch from l.listed_at) * 1000)::bigint, 1)`,
    oldest: sql`m.sort_key`,
    newest: sql`-m.sort_key`,
    rarity: sql`-(select coalesce(sum(1e6 * n.item_count / t.item_count), 0)::bigint
      from jsonb_to_recordset(m.traits) as x (type text, value text) join trait_counts t
        on t.collection_id = m.collection_id and t.trait_type = x.type and t.trait_value = x.value,
        collection_counts n where n.collection_id = m.collection_id)`,
  }[filter.sort]
  const like = q === null ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const number = q !== null && /^#?\d{1,12}$/.test(q) ? Number(q.replace('#', '')) : null
  return sql`
    with items as (
      select m.inscription_id, ${key} as key
      from collection_items m
      left join inscriptions i using (inscription_id)
      left join listings l on l.inscription_id = m.inscription_id and ${standing(sql, now)}
      where m.collection_id = ${collectionId}
        ${traits.length === 0 ? sql`` : sql`and matches_target(${json(sql, { kind: 'traits', traits })}, m.traits)`}
        ${listedOnly ? sql`and l.listing_id is not null` : sql``}
        ${minSats === null ? sql`` : sql`and l.price_sats >= ${minSats}`}
        ${maxSats === null ? sql`` : sql`and l.price_sats <= ${maxSats}`}
        ${among === null ? sql`` : sql`and m.inscription_id = any(${among as string[]}::text[])`}
        ${
          like === null
            ? sql``
            : sql`and (m.item_name ilike ${like} or m.inscription_id = ${q!}
                ${number === null ? sql`` : sql`or i.inscription_number = ${number}`})`
        }
    )
    select inscription_id, key, (select count(*)::int from items) as total from items
    ${after === null ? sql`` : sql`where (key, inscription_id collate "C") > (${after.key}::bigint, ${after.inscriptionId}::text)`}
    order by key, inscription_id collate "C" limit ${limitOf(sql, rows)}`
}

/** The sats of a collection's items. */
export function listSats(
  sql: Queryable,
  collectionId: string,
): Promise<{ inscriptionId: string; sat: number }[]> {
  return sql`
    select inscription_id, sat from collection_items join inscriptions using (inscription_id)
    where collection_id = ${collectionId} and sat is not null`
}

/** Steps of a floor from a moment on, the one that held then first. */
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
      where k.collection_id = ${collectionId} and s.sold_at > ${from} order by k.height desc, k.sale_id desc limit 500) latest
    order by sold_at`
}

export interface ActivityRow {
  key: string
  kind: 'listed' | 'delisted' | 'expired' | 'sold' | 'invalidated'
  at: Date
  atText: string
  inscriptionId: string
  itemName: string | null
  inscriptionNumber: number | null
  contentType: string | null
  slug: string | null
  priceSats: number
  fromScript: Uint8Array | null
  toScript: Uint8Array | null
  txid: string | null
  external: boolean
}

/** What happened to listings and what was sold, newest first. */
export function listActivityRows(
  sql: Queryable,
  page: {
    slug: string | null
    inscriptionId: string | null
    script: Uint8Array | null
    after: { at: string; key: string } | null
    rows: number
  },
): Promise<ActivityRow[]> {
  const { slug, inscriptionId, script, after, rows } = page
  const about = (alias: Fragment) => sql`
    ${
      slug === null
        ? sql``
        : sql`and exists (select 1 from collection_items m join collections c using (collection_id)
        where m.inscription_id = ${alias}.inscription_id and c.slug = ${slug})`
    }
    ${inscriptionId === null ? sql`` : sql`and ${alias}.inscription_id = ${inscriptionId}`}`
  const older = (at: Fragment, key: Fragment) =>
    after === null ? sql`` : sql`and (${at}, ${key}) < (${after.at}::text::timestamptz, ${after.key}::text)`
  return sql<ActivityRow[]>`
    with happened as (
      (select 'e' || e.event_id as key,
        case e.to_state when 'buyable' then 'listed' when 'cancelled' then 'delisted' else e.to_state end as kind,
        e.occurred_at as at, l.inscription_id, l.price_sats, l.seller_script as from_script, null::bytea as to_script,
        null as txid, false as external
      from order_events e join listings l using (listing_id)
      where (e.to_state = 'buyable' and e.from_state is null or e.to_state in ('cancelled', 'expired', 'invalidated')
          and e.from_state is distinct from e.to_state) ${about(sql`l`)}
        ${script === null ? sql`` : sql`and l.seller_script = ${script}`}
        ${older(sql`e.occurred_at`, sql`'e' || e.event_id`)}
      order by e.occurred_at desc, 'e' || e.event_id desc limit ${limitOf(sql, rows)})
      union all
      (select 's' || s.sale_id, 'sold', s.sold_at, s.inscription_id, s.price_sats, s.seller_script, s.buyer_script, s.txid,
        s.sale_type = 'external'
      from sales s where true ${about(sql`s`)}
        ${script === null ? sql`` : sql`and (s.seller_script = ${script} or s.buyer_script = ${script})`}
        ${older(sql`s.sold_at`, sql`'s' || s.sale_id`)}
      order by s.sold_at desc, 's' || s.sale_id desc limit ${limitOf(sql, rows)})
    )
    select h.*, h.at::text as at_text, m.item_name, m.slug, i.inscription_number,
      coalesce(d.content_type, i.content_type) as content_type
    from (select * from happened order by at desc, key desc limit ${limitOf(sql, rows)}) h
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral (select m.item_name, c.slug from collection_items m join collections c using (collection_id)
      where m.inscription_id = h.inscription_id order by c.slug limit 1) m on true
    order by h.at desc, h.key desc`
}

export interface FullInscription {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  contentType: string | null
  contentBytes: number | null
  ownerScript: Uint8Array | null
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  sat: number | null
  cursed: boolean
  height: number
  inscribedAt: Date
  delegateId: string | null
  metaprotocol: string | null
  parentIds: string[]
}

export async function findFull(sql: Queryable, inscriptionId: string): Promise<FullInscription | null> {
  const [row] = await sql<FullInscription[]>`
    select i.inscription_id, i.sequence, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      length(coalesce(d.body, i.body)) as content_bytes, i.owner_script, i.txid, i.vout, i.sat_offset, i.output_value_sats,
      i.sat, i.cursed, i.height, i.inscribed_at, i.delegate_id, i.metaprotocol, i.parent_ids
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.inscription_id = ${inscriptionId}`
  return row ?? null
}

export interface RelativeRow {
  inscriptionId: string
  inscriptionNumber: number | null
  contentType: string | null
}

/** Inscriptions by id, or the one of a number. */
export function listRelatives(
  sql: Queryable,
  which: { ids: readonly string[] } | { number: number },
): Promise<RelativeRow[]> {
  return sql<RelativeRow[]>`
    select i.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where ${
      'ids' in which
        ? sql`i.inscription_id = any(${which.ids as string[]}::text[])`
        : sql`i.inscription_number = ${which.number}`
    } order by i.sequence limit 50`
}

/** The first children of an inscription, and how many there are (index inscriptions_parents). */
export function listChildren(
  sql: Queryable,
  inscriptionId: string,
  page: { offset: number; rows: number },
): Promise<(RelativeRow & { total: number })[]> {
  return sql`
    select i.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      (count(*) over ())::int as total
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.parent_ids @> array[${inscriptionId}]::text[] order by i.sequence
    offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

export interface MembershipRow {
  collectionId: string
  slug: string
  name: string
  verificationStatus: 'verified' | 'unverified'
  imageRenderingHint: 'auto' | 'pixelated' | null
  itemName: string
  itemCount: number
  floorSats: number | null
  traits: TraitRow[]
}

/** The collections of an inscription, with its traits in each. */
export function listMemberships(sql: Queryable, inscriptionId: string, now: Date): Promise<MembershipRow[]> {
  return sql<MembershipRow[]>`
    select c.collection_id, c.slug, c.name, c.verification_status, c.image_rendering_hint, m.item_name, n.item_count,
      f.floor_sats, (
        select coalesce(jsonb_agg(jsonb_build_object('type', x.type, 'value', x.value,
          'count', coalesce(t.item_count, 0), 'floorSats', (
            select min(l.price_sats) from collection_items o join listings l using (inscription_id)
            where o.collection_id = c.collection_id and ${standing(sql, now)}
              and o.traits @> jsonb_build_array(jsonb_build_object('type', x.type, 'value', x.value))))
          order by n), '[]')
        from rows from (jsonb_to_recordset(m.traits) as (type text, value text)) with ordinality as x (type, value, n)
        left join trait_counts t on t.collection_id = c.collection_id and t.trait_type = x.type and t.trait_value = x.value
      ) as traits
    from collection_items m join collections c using (collection_id) join collection_counts n using (collection_id)
      join collection_floors f using (collection_id)
    where m.inscription_id = ${inscriptionId} order by c.slug`
}

export interface LiveListing {
  listingId: string
  state: 'buyable' | 'hidden_locked' | 'pending_public'
  priceSats: number
  listedAt: Date
  expiresAt: Date | null
}

export async function findLiveListing(
  sql: Queryable,
  inscriptionId: string,
  now: Date,
): Promise<LiveListing | null> {
  const [row] = await sql<LiveListing[]>`
    select listing_id, state, price_sats, listed_at, expires_at from listings
    where inscription_id = ${inscriptionId} and state in ('buyable', 'hidden_locked', 'pending_public')
      and (expires_at is null or expires_at > ${now})`
  return row ?? null
}

export interface MoveRow {
  height: number
  at: Date
  txid: string
  fromScript: Uint8Array | null
  toScript: Uint8Array | null
  priceSats: number | null
  external: boolean
}

/** Where an inscription went, latest first (index inscription_moves_sequence). */
export function listMoves(sql: Queryable, sequence: number, inscriptionId: string): Promise<MoveRow[]> {
  return sql<MoveRow[]>`
    select m.height, b.mined_at as at, m.txid, m.from_script, m.to_script, s.price_sats,
      coalesce(s.sale_type = 'external', false) as external
    from inscription_moves m join blocks b using (height)
      left join sales s on s.txid = m.txid and s.inscription_id = ${inscriptionId}
    where m.sequence = ${sequence} order by m.height desc, m.position desc limit 100`
}

export interface HoldingRow {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  contentType: string | null
  txid: string
  vout: number
  outputValueSats: number
  itemName: string | null
  slug: string | null
  collectionName: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  collectionFloorSats: number | null
  traits: { type: string; value: string }[]
  listingId: string | null
  listingState: LiveListing['state'] | null
  priceSats: number | null
  topOfferSats: number | null
}

/** What an address holds, latest inscribed first (index inscriptions_owner). */
export function listHoldingRows(
  sql: Queryable,
  page: { script: Uint8Array; slug: string | null; after: number | null; rows: number; now: Date },
): Promise<HoldingRow[]> {
  const { script, slug, after, rows, now } = page
  return sql<HoldingRow[]>`
    select i.inscription_id, i.sequence, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      i.txid, i.vout, i.output_value_sats, m.item_name, m.slug, m.name as collection_name, m.image_rendering_hint,
      m.floor_sats as collection_floor_sats, coalesce(m.traits, '[]') as traits, l.listing_id, l.state as listing_state,
      l.price_sats,
      (select max(o.price_sats) from offers o where o.inscription_id = i.inscription_id and o.kind = 'buyer_offer'
        and o.state = 'active' and o.expires_at > ${now}) as top_offer_sats
    from inscriptions i
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral (
      select m.item_name, m.traits, c.slug, c.name, c.image_rendering_hint, f.floor_sats
      from collection_items m join collections c using (collection_id) join collection_floors f using (collection_id)
      where m.inscription_id = i.inscription_id ${slug === null ? sql`` : sql`and c.slug = ${slug}`} order by c.slug limit 1
    ) m on true
    left join listings l on l.inscription_id = i.inscription_id
      and l.state in ('buyable', 'hidden_locked', 'pending_public') and (l.expires_at is null or l.expires_at > ${now})
    where i.owner_script = ${script} and i.output_value_sats is not null
      ${slug === null ? sql`` : sql`and m.slug is not null`}
      ${after === null ? sql`` : sql`and i.sequence < ${after}`}
    order by i.sequence desc limit ${limitOf(sql, rows)}`
}

/** Public proposals whose every leg what these scripts hold could fill, newest first. */
export async function listMatching(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  now: Date,
): Promise<string[]> {
  if (scripts.length === 0) return []
  const rows = await sql<{ proposalId: string }[]>`
    with held as (
      select inscription_id, m.collection_id, m.traits
      from inscriptions i join collection_items m using (inscription_id)
      where i.owner_script in ${sql(scripts as Uint8Array[])}
    )
    select p.proposal_id from proposals p
    where p.state = 'active' and p.visibility = 'public' and p.available and p.expires_at > ${now}
      and p.creator_script not in ${sql(scripts as Uint8Array[])}
      and exists (select 1 from proposal_legs g where g.proposal_id = p.proposal_id)
      and not exists (
        select 1 from proposal_legs g where g.proposal_id = p.proposal_id and g.quantity > (
          select count(*) from held h where h.collection_id = g.collection_id
            and case g.target ->> 'kind' when 'all' then true
              when 'inscriptions' then g.target -> 'inscriptionIds' ? h.inscription_id
              else matches_target(g.target, h.traits) end))
    order by p.created_at desc, p.proposal_id desc limit 50`
  return rows.map((row) => row.proposalId)
}
