import { type Fragment, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import { rankOf } from '@ordbook/market/collections/queries.ts'
import { capped } from '../collections/collection-queries.ts'

export interface ActivityRow {
  key: string
  kind:
    | 'listed'
    | 'delisted'
    | 'expired'
    | 'sold'
    | 'invalidated'
    | 'offer'
    | 'offer_ended'
    | 'trade'
    | 'transfer'
    | 'inscribed'
  at: Date
  atText: string
  inscriptionId: string
  itemName: string | null
  inscriptionNumber: number | null
  contentType: string | null
  slug: string | null
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  floorSats: number | null
  rank: number | null
  priceSats: number | null
  wasSats: number | null
  itemCount: number
  fromScript: Uint8Array | null
  toScript: Uint8Array | null
  txid: string | null
  external: boolean
}

type ActivityKind = 'sales' | 'listings' | 'offers' | 'trades' | 'transfers'

interface ActivityPage {
  /** Only events of these collections; null: all events. */
  slugs: readonly string[] | null
  inscriptionId: string | null
  script: Uint8Array | null
  kind: ActivityKind | null
  /** Null: any, including events without a price. */
  minSats: number | null
  /** Earliest time to read (findLookedAtFrom); null: no limit. */
  from: string | null
  after: { at: string; key: string } | null
  rows: number
}

/** Entries of each kind that a search for rare events reads. */
const LOOKED_AT = 5000

const anySlug = (sql: Queryable, slugs: readonly string[]) => sql`any(${slugs as string[]}::text[])`

const onInscription = (sql: Queryable, { slugs, inscriptionId }: ActivityPage, id: Fragment) => sql`
  ${
    slugs === null
      ? sql``
      : sql`and exists (select 1 from collection_items m join collections c using (collection_id)
      where m.inscription_id = ${id} and c.slug = ${anySlug(sql, slugs)})`
  }
  ${inscriptionId === null ? sql`` : sql`and ${id} = ${inscriptionId}`}`

const inTimeRange = (sql: Queryable, { from }: ActivityPage, at: Fragment) =>
  from === null ? sql`` : sql`and ${at} >= ${from}::text::timestamptz`

const aboveMinPrice = (sql: Queryable, { minSats }: ActivityPage, price: Fragment) =>
  minSats === null ? sql`` : sql`and ${price} >= ${minSats}`

const afterCursor = (sql: Queryable, { after }: ActivityPage, at: Fragment, key: Fragment) =>
  after === null ? sql`` : sql`and (${at}, ${key}) < (${after.at}::text::timestamptz, ${after.key}::text)`

function listingEvents(sql: Queryable, page: ActivityPage): Fragment {
  const { script, rows } = page
  return sql`
    (select 'e' || e.event_id as key,
      case e.to_state when 'buyable' then 'listed' when 'cancelled' then 'delisted' else e.to_state end as kind,
      e.occurred_at as at, l.inscription_id, l.price_sats,
      case when e.to_state = 'buyable' then (select n.price_sats from listings n where n.inscription_id = l.inscription_id
        and n.listed_at <= l.listed_at and n.listing_id <> l.listing_id and n.state = 'replaced' and n.ended_at >= l.listed_at
        order by n.listed_at desc limit 1) end as was_sats,
      1 as item_count, l.seller_script as from_script, null::bytea as to_script, null as txid, false as external
    from order_events e join listings l using (listing_id)
    where (e.to_state = 'buyable' and e.from_state is null or e.to_state in ('cancelled', 'expired', 'invalidated')
        and e.from_state is distinct from e.to_state)
      -- The sale already implies the end of any other listing of the inscription.
      and not (e.to_state = 'invalidated' and exists (
        select 1 from sales s where s.inscription_id = l.inscription_id and s.height = e.height)) ${onInscription(sql, page, sql`l.inscription_id`)}
      ${script === null ? sql`` : sql`and l.seller_script = ${script}`}
      ${inTimeRange(sql, page, sql`e.occurred_at`)} ${aboveMinPrice(sql, page, sql`l.price_sats`)}
      ${afterCursor(sql, page, sql`e.occurred_at`, sql`'e' || e.event_id`)}
    order by e.occurred_at desc, 'e' || e.event_id desc limit ${limitOf(sql, rows)})`
}

function saleEvents(sql: Queryable, page: ActivityPage): Fragment {
  const { script, rows } = page
  return sql`
    (select 's' || s.sale_id as key, 'sold' as kind, s.sold_at as at, s.inscription_id, s.price_sats, null::bigint as was_sats,
      1 as item_count, s.seller_script as from_script, s.buyer_script as to_script, s.txid, s.sale_type = 'external' as external
    from sales s where true ${onInscription(sql, page, sql`s.inscription_id`)}
      ${script === null ? sql`` : sql`and (s.seller_script = ${script} or s.buyer_script = ${script})`}
      ${inTimeRange(sql, page, sql`s.sold_at`)} ${aboveMinPrice(sql, page, sql`s.price_sats`)}
      ${afterCursor(sql, page, sql`s.sold_at`, sql`'s' || s.sale_id`)}
    order by s.sold_at desc, 's' || s.sale_id desc limit ${limitOf(sql, rows)})`
}

/** Selects offers by their time `at`; `mark` prefixes the keys. Accepted offers are shown as sales, counters only to their parties. */
function offerEvents(
  sql: Queryable,
  page: ActivityPage,
  kind: Fragment,
  at: Fragment,
  mark: Fragment,
): Fragment {
  const { script, rows } = page
  return sql`
    (select ${mark} || o.offer_id as key, ${kind} as kind, ${at} as at, o.inscription_id, o.price_sats, null::bigint as was_sats,
      1 as item_count, o.buyer_script as from_script, o.seller_script as to_script, null as txid, false as external
    from offers o where o.kind = 'buyer_offer' and ${at} is not null and o.state not in ('accepting', 'accepted') ${onInscription(sql, page, sql`o.inscription_id`)}
      ${script === null ? sql`` : sql`and (o.buyer_script = ${script} or o.seller_script = ${script})`}
      ${inTimeRange(sql, page, at)} ${aboveMinPrice(sql, page, sql`o.price_sats`)}
      ${afterCursor(sql, page, at, sql`${mark} || o.offer_id`)}
    order by ${at} desc, ${mark} || o.offer_id desc limit ${limitOf(sql, rows)})`
}

const offersMade = (sql: Queryable, page: ActivityPage): Fragment =>
  offerEvents(sql, page, sql`'offer'`, sql`o.created_at`, sql`'o'`)

const offersEnded = (sql: Queryable, page: ActivityPage): Fragment =>
  offerEvents(sql, page, sql`'offer_ended'`, sql`o.ended_at`, sql`'p'`)

function tradeEvents(sql: Queryable, page: ActivityPage): Fragment {
  const { script, slugs, inscriptionId, rows } = page
  return sql`
    (select 't' || t.settlement_id as key, 'trade' as kind, b.mined_at as at, t.inscription_ids[1] as inscription_id,
      null::bigint as price_sats, null::bigint as was_sats, cardinality(t.inscription_ids) as item_count,
      p.creator_script as from_script, a.acceptor_script as to_script, t.settlement_txid as txid, false as external
    from settlements t join blocks b on b.height = t.confirmed_height
      join acceptances a on a.settlement_id = t.settlement_id join proposals p using (proposal_id)
    where t.kind = 'swap' and t.state = 'confirmed'
      ${
        slugs === null
          ? sql``
          : sql`and exists (select 1 from collection_items m join collections c using (collection_id)
        where m.inscription_id = any(t.inscription_ids) and c.slug = ${anySlug(sql, slugs)})`
      }
      ${inTimeRange(sql, page, sql`b.mined_at`)}
      ${inscriptionId === null ? sql`` : sql`and ${inscriptionId} = any(t.inscription_ids)`}
      ${script === null ? sql`` : sql`and (p.creator_script = ${script} or a.acceptor_script = ${script})`}
      ${afterCursor(sql, page, sql`b.mined_at`, sql`'t' || t.settlement_id`)}
    order by b.mined_at desc, 't' || t.settlement_id desc limit ${limitOf(sql, rows)})`
}

/** Inscribed and transferred items. Each selection uses one index. */
function transferEvents(sql: Queryable, page: ActivityPage): Fragment {
  return page.script === null
    ? transferRows(sql, page, sql``)
    : sql`${transfersOfSide(sql, page, sql`t.from_script`)} union all ${transfersOfSide(sql, page, sql`t.to_script`)}`
}

const transfersOfSide = (sql: Queryable, page: ActivityPage, side: Fragment): Fragment =>
  transferRows(sql, page, sql`and sha256(${side}) = sha256(${page.script}::bytea) and ${side} is not null`)

function transferRows(sql: Queryable, page: ActivityPage, more: Fragment): Fragment {
  const { slugs, rows } = page
  const one = slugs?.length === 1
  const key = one ? sql`k` : sql`t`
  return sql`
    (select transfer_key(t.transfer_id) as key, case when t.from_script is null then 'inscribed' else 'transfer' end as kind,
      t.at, t.inscription_id, null::bigint as price_sats, null::bigint as was_sats, 1 as item_count, t.from_script,
      t.to_script, t.txid, false as external
    from ${
      one
        ? sql`collection_transfers k join item_transfers t using (transfer_id)
          where k.collection_id = (select collection_id from collections where slug = ${slugs[0]!})`
        : sql`item_transfers t where true`
    }
      ${onInscription(sql, one ? { ...page, slugs: null } : page, sql`t.inscription_id`)} ${more}
      ${inTimeRange(sql, page, sql`${key}.at`)}
      ${afterCursor(sql, page, sql`${key}.at`, sql`transfer_key(${key}.transfer_id)`)}
    order by ${key}.at desc, transfer_key(${key}.transfer_id) desc limit ${limitOf(sql, rows)})`
}

const offersOf = (sql: Queryable, page: ActivityPage): Fragment =>
  sql`${offersMade(sql, page)} union all ${offersEnded(sql, page)}`

const pricedEvents = (sql: Queryable, page: ActivityPage): Fragment =>
  sql`${listingEvents(sql, page)} union all ${saleEvents(sql, page)} union all ${offersOf(sql, page)}`

/** Lists events, newest first, optionally of one kind. */
export async function listActivityRows(sql: Queryable, page: ActivityPage): Promise<ActivityRow[]> {
  const { kind, minSats, rows } = page
  if (minSats !== null && (kind === 'trades' || kind === 'transfers')) return []
  const happened =
    kind === 'sales'
      ? saleEvents(sql, page)
      : kind === 'listings'
        ? listingEvents(sql, page)
        : kind === 'offers'
          ? offersOf(sql, page)
          : kind === 'trades'
            ? tradeEvents(sql, page)
            : kind === 'transfers'
              ? transferEvents(sql, page)
              : minSats !== null
                ? pricedEvents(sql, page)
                : sql`${pricedEvents(sql, page)} union all ${tradeEvents(sql, page)} union all ${transferEvents(sql, page)}`
  return sql<ActivityRow[]>`
    with happened as (${happened})
    select h.*, h.at::text as at_text, m.item_name, m.slug, m.collection_name, m.verification_status, m.floor_sats, m.rank,
      i.inscription_number, coalesce(d.content_type, i.content_type) as content_type
    from (select * from happened order by at desc, key desc limit ${limitOf(sql, rows)}) h
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral (select m.item_name, c.slug, c.name as collection_name, c.verification_status, f.floor_sats,
        ${rankOf(sql, sql`m`)} as rank
      from collection_items m join collections c using (collection_id) join collection_floors f using (collection_id)
      where m.inscription_id = h.inscription_id order by c.slug limit 1) m on true
    order by h.at desc, h.key desc`
}

/**
 * Returns the time at which a search for rare events stops: the time of the `LOOKED_AT`-th latest entry before `before`, or null if there
 * are fewer. Trades are few and not counted.
 */
export async function findLookedAtFrom(
  sql: Queryable,
  kind: ActivityKind | null,
  before: string | null,
): Promise<string | null> {
  const back = (of: ActivityKind, at: Fragment, from: Fragment) => sql`
    (select ${at} as at from ${from} and ${kind === null || kind === of}
      ${before === null ? sql`` : sql`and ${at} < ${before}::text::timestamptz`}
    order by ${at} desc offset ${LOOKED_AT} limit 1)`
  const [row] = await sql<{ at: string | null }[]>`
    select max(at)::text as at from (
      ${back('listings', sql`occurred_at`, sql`order_events where true`)}
      union all ${back('sales', sql`sold_at`, sql`sales where true`)}
      union all ${back('transfers', sql`at`, sql`item_transfers where true`)}
      union all ${back('offers', sql`created_at`, sql`offers where true`)}
      union all ${back('offers', sql`ended_at`, sql`offers where ended_at is not null`)}) entries`
  return row!.at
}

/** Sums the sales since a time, in total and by hour. Block times can be ahead of the clock, so later sales count in the last hour. */
export async function sumSales(
  sql: Queryable,
  from: Date,
  hours: number,
): Promise<{
  volumeSats: number
  sales: number
  buyers: number
  largestSats: number | null
  hours: { hour: number; volumeSats: number }[]
}> {
  const rows = await sql<
    {
      hour: number | null
      volumeSats: number
      sales: number
      buyers: number
      largestSats: number | null
    }[]
  >`
    select h.hour, ${capped(sql, sql`coalesce(sum(h.price_sats), 0)`)} as volume_sats, count(h.hour)::int as sales,
      count(distinct h.buyer_script)::int as buyers, max(h.price_sats) as largest_sats
    from (select least(floor(extract(epoch from sold_at - ${from}::timestamptz) / 3600)::int, ${hours}::int - 1) as hour, price_sats, buyer_script
      from sales where sold_at > ${from} and counted) h
    group by grouping sets ((), (h.hour)) order by 1`
  const { hour: _, ...sums } = rows.find(({ hour }) => hour === null)!
  const byHour = rows.flatMap(({ hour, volumeSats }) => (hour === null ? [] : [{ hour, volumeSats }]))
  return { ...sums, hours: byHour }
}
