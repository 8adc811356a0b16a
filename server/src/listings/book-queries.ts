import { type Fragment, limitOf, type Queryable } from '../db/connect.ts'
import { BETWEEN, type Card, type Slice } from '../http/cursor.ts'

/** Which listings a page of the book is about. */
export interface BookPage {
  byPrice: boolean
  /** The last row of the page before; its time to the microsecond, as PostgreSQL writes it. */
  after: { priceSats: number; listedAt: string; listingId: string } | null
  /** Null: any. */
  collectionSlug: string | null
  inscriptionId: string | null
  sellerScript: Uint8Array | null
  /** One more than the page holds. */
  rows: number
  now: Date
}

/** The rows of a page (indexes listings_recent, _price and _seller, asks_recent and _price), in order. */
const pageOfBook = (sql: Queryable, page: BookPage, columns: Fragment) => {
  const { byPrice, after, collectionSlug, inscriptionId, sellerScript, rows, now } = page
  const book =
    collectionSlug === null
      ? sql`listings l where l.state = 'buyable'`
      : sql`asks k join listings l using (listing_id)
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})
            and k.closed_at is null`
  // The columns that the index of the order begins with.
  const key = collectionSlug === null ? sql`l` : sql`k`
  // Cheapest first is dearest last: so both sorts run one way, and one comparison finds where a page begins.
  const sort = byPrice ? sql`-${key}.price_sats, ${key}.listed_at` : sql`${key}.listed_at`
  const order = byPrice
    ? sql`-${key}.price_sats desc, ${key}.listed_at desc, ${key}.listing_id desc`
    : sql`${key}.listed_at desc, ${key}.listing_id desc`
  const last =
    after &&
    (byPrice
      ? sql`-${after.priceSats}::bigint, ${after.listedAt}::text::timestamptz`
      : sql`${after.listedAt}::text::timestamptz`)
  return sql`
    select ${columns} from ${book} and (${key}.expires_at is null or ${key}.expires_at > ${now})
      ${after && last ? sql`and (${sort}, ${key}.listing_id) < (${last}, ${after.listingId}::uuid)` : sql``}
      ${
        inscriptionId === null
          ? sql``
          : sql`and l.inscription_id in (
              select other.inscription_id from inscription_rows named
              join inscription_rows other on other.sat_id = named.sat_id
              where named.inscription_id = ${inscriptionId})`
      }
      ${sellerScript === null ? sql`` : sql`and l.seller_script = ${sellerScript}`}
    order by ${order} limit ${limitOf(sql, rows)}`
}

type BookSlice = Slice & {
  collectionId: string | null
  lastPriceSats: number | null
  lastListedAt: string | null
  lastListingId: string | null
}

/** A page of the book as its cards. */
export async function sliceBook(sql: Queryable, page: BookPage): Promise<BookSlice> {
  const last = sql`[${page.rows - 1}::int]`
  const [row] = await sql<BookSlice[]>`
    select ${
      page.collectionSlug === null
        ? sql`null::uuid as collection_id,`
        : sql`(select collection_id from collections where slug = ${page.collectionSlug}) as collection_id,`
    }
      string_agg(card, ${BETWEEN}) as cards, count(*) as row_count, bool_or(card is null) as stale,
      min(expires_at) as expires_at, (array_agg(price_sats))${last} as last_price_sats,
      (array_agg(listed_at))${last}::text as last_listed_at, (array_agg(listing_id))${last} as last_listing_id
    from (${pageOfBook(sql, page, sql`l.card, l.expires_at, l.price_sats, l.listed_at, l.listing_id`)}) page`
  return row!
}

export interface BookRow {
  listingId: string
  card: string | null
  cardVersion: number
  inscriptionId: string
  inscriptionNumber: number
  itemName: string | null
  slug: string | null
  collectionName: string | null
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified' | null
  sellerScript: Uint8Array
  priceSats: number
  listedAt: Date
  listedAtText: string
  expiresAt: Date | null
  sat: number | null
  txid: string
  vout: number
  outputValueSats: number
  satOffset: number
}

/** A page with everything that its cards show. */
export function listBook(sql: Queryable, page: BookPage): Promise<BookRow[]> {
  return sql<BookRow[]>`
    select l.listing_id, l.card, l.card_version, l.inscription_id, i.inscription_number, m.item_name, c.slug,
      c.name as collection_name, c.kind, c.verification_status, l.seller_script, l.price_sats, l.listed_at,
      l.listed_at::text as listed_at_text, l.expires_at, i.sat, i.txid, i.vout, i.output_value_sats, i.sat_offset
    from (${pageOfBook(sql, page, sql`l.*`)}) l
    join inscriptions i on i.inscription_id = l.inscription_id
    left join collections c on c.collection_id = l.collection_id
    left join collection_items m on m.collection_id = l.collection_id and m.inscription_id = l.inscription_id
    order by ${page.byPrice ? sql`l.price_sats asc,` : sql``} l.listed_at desc, l.listing_id desc`
}

/** Keeps cards, each where its row is still what it was rendered from. */
export async function writeListingCards(sql: Queryable, cards: readonly Card[]): Promise<void> {
  await sql`
    update listings l set card = fresh.card
    from (
      select l.listing_id, x.card
      from unnest(${cards.map((each) => each.id)}::uuid[], ${cards.map((each) => each.version)}::int[],
        ${cards.map((each) => each.card)}::text[]) as x (id, version, card)
      join listings l on l.listing_id = x.id and l.card_version = x.version and l.card is null
      for no key update of l skip locked
    ) fresh
    where l.listing_id = fresh.listing_id`
}
