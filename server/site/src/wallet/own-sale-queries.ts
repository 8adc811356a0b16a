import { type Fragment, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * Selects what the buyer of a sale `s` paid and its seller received, without network fees and postage (indexes settlements_txid,
 * offers_settlement, collection_offers_settlement). Uses the fees at the time of the order.
 */
const paymentsOf = (sql: Queryable): Fragment => sql`
  select (e.economics ->> 'buyerPayTotalSats')::bigint as paid_sats, (e.economics ->> 'sellerReceiveSats')::bigint as received_sats
  from settlements t, lateral (
    select l.economics from purchase_listings p join listings l using (listing_id)
      where p.purchase_id = t.settlement_id and l.inscription_id = s.inscription_id
    union all
    select o.economics from offers o where o.settlement_id = t.settlement_id and o.inscription_id = s.inscription_id
    union all
    select jsonb_build_object('buyerPayTotalSats', c.price_sats, 'sellerReceiveSats', nullif(c.receive_sats, 0))
      from collection_offers c where c.settlement_id = t.settlement_id and c.filled_inscription_id = s.inscription_id) e
  where t.settlement_txid = s.txid and t.state = 'confirmed' and s.sale_type = 'internal' limit 1`

export interface OwnSaleRow {
  saleId: number
  side: 'bought' | 'sold'
  soldAt: Date
  soldAtText: string
  txid: string
  inscriptionId: string
  inscriptionNumber: number
  itemName: string | null
  collectionSlug: string | null
  collectionName: string | null
  priceSats: number
  paidSats: number | null
  receivedSats: number | null
  costSats: number | null
  priceUsd: number | null
}

interface OwnSales {
  scripts: readonly Uint8Array[]
  since: Date | null
  until: Date | null
  after: { soldAt: string; saleId: number; side: string } | null
  rows: number
}

const ofSide = (
  sql: Queryable,
  { scripts, since, until, after, rows }: OwnSales,
  side: 'bought' | 'sold',
) => sql`
  (select s.*, ${side}::text as side from sales s
  where s.sale_type = 'internal'
    and ${side === 'bought' ? sql`s.buyer_script` : sql`s.seller_script`} = any(${scripts as Uint8Array[]}::bytea[])
    ${since === null ? sql`` : sql`and s.sold_at >= ${since}`} ${until === null ? sql`` : sql`and s.sold_at < ${until}`}
    ${
      after === null
        ? sql``
        : sql`and (s.sold_at, s.sale_id, ${side}::text) < (${after.soldAt}::text::timestamptz, ${after.saleId}::bigint, ${after.side}::text)`
    }
  order by s.sold_at desc, s.sale_id desc limit ${limitOf(sql, rows)})`

/** Lists purchases and sales on this market, newest first (indexes sales_buyer, sales_seller). */
export function listOwnSaleRows(sql: Queryable, page: OwnSales): Promise<OwnSaleRow[]> {
  return sql<OwnSaleRow[]>`
    select o.sale_id, o.side, o.sold_at, o.sold_at::text as sold_at_text, o.txid, o.inscription_id, i.inscription_number, m.item_name,
      c.slug as collection_slug, c.name as collection_name, o.price_sats, p.paid_sats, p.received_sats, b.cost_sats, o.price_usd
    from (select * from (${ofSide(sql, page, 'bought')} union all ${ofSide(sql, page, 'sold')}) both_sides
        order by sold_at desc, sale_id desc, side desc limit ${limitOf(sql, page.rows)}) o
      join inscriptions i using (inscription_id)
      left join collections c on c.collection_id = o.collection_id
      left join collection_items m on m.collection_id = o.collection_id and m.inscription_id = o.inscription_id
      left join lateral (select x.* from (select o.*) s, lateral (${paymentsOf(sql)}) x) p on true
      left join lateral (select x.paid_sats as cost_sats from (
          select e.* from sales e where o.side = 'sold' and e.inscription_id = o.inscription_id
            and (e.height, e.sale_id) < (o.height, o.sale_id) order by e.height desc, e.sale_id desc limit 1) s,
        lateral (${paymentsOf(sql)}) x where s.buyer_script = o.seller_script) b on true
    order by o.sold_at desc, o.sale_id desc, o.side desc`
}

export interface LastBoughtRow {
  inscriptionId: string
  buyerScript: Uint8Array | null
  paidSats: number
  soldAt: Date
}

/** Lists each inscription's last sale on this market (index sales_inscription). */
export function listLastBought(sql: Queryable, inscriptionIds: readonly string[]): Promise<LastBoughtRow[]> {
  return sql<LastBoughtRow[]>`
    select s.inscription_id, s.buyer_script, x.paid_sats, s.sold_at
    from unnest(${inscriptionIds as string[]}::text[]) as w (id), lateral (
        select * from sales e where e.inscription_id = w.id order by e.height desc, e.sale_id desc limit 1) s,
      lateral (${paymentsOf(sql)}) x
    where x.paid_sats is not null`
}
