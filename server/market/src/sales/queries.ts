import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { ExternalSale } from '@ordbook/bitcoin/external-sale.ts'
import type { Fragment, Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import {
  keyColumns,
  keysOf,
  lastKeys,
  type Order,
  onePage,
  orderBy,
  type PageOf,
} from '@ordbook/db/driver/order.ts'
import type { FeedSlice, RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'
import { filterColumn, saveRenderedRows, sliceColumns } from '../rendered-rows/queries.ts'

export interface NewSale {
  txid: string
  inscriptionId: string
  collectionId: string | null
  sellerScript: Uint8Array | null
  buyerScript: Uint8Array | null
  priceSats: number
  soldAt: Date
  height: number
}

export async function insertSale(tx: Transaction, sale: NewSale): Promise<void> {
  await tx`
    insert into sales (sale_type, txid, inscription_id, collection_id, seller_script, buyer_script, price_sats, sold_at, height)
    values ('internal', ${sale.txid}, ${sale.inscriptionId}, ${sale.collectionId}, ${sale.sellerScript},
      ${sale.buyerScript}, ${sale.priceSats}, ${sale.soldAt}, ${sale.height})
    on conflict (txid, inscription_id) do nothing`
}

/** A sale settled elsewhere. */
export interface NewExternalSale extends ExternalSale {
  txid: string
  soldAt: Date
  height: number
  /** True if the sale counts as volume. */
  counted: boolean
}

const ROWS = 1000

/** Inserts external sales. Prefers verified collections of their inscriptions. */
export async function insertExternalSales(tx: Transaction, sales: readonly NewExternalSale[]): Promise<void> {
  for (let at = 0; at < sales.length; at += ROWS) await insertBatch(tx, sales.slice(at, at + ROWS))
}

async function insertBatch(tx: Transaction, sales: readonly NewExternalSale[]): Promise<void> {
  const column = (of: (sale: NewExternalSale) => unknown) => sales.map(of) as string[]
  await tx`
    insert into sales (sale_type, txid, inscription_id, collection_id, seller_script, buyer_script, price_sats, sold_at,
      height, rule, confidence, counted)
    select 'external', s.txid, s.inscription_id,
      (select m.collection_id from collection_items m join collections c using (collection_id)
        where m.inscription_id = s.inscription_id order by c.verification_status = 'verified' desc, c.slug limit 1),
      decode(s.seller, 'hex'), decode(s.buyer, 'hex'), s.price_sats, s.sold_at, s.height, s.rule, s.confidence, s.counted
    from unnest(${column((each) => each.txid)}::text[], ${column((each) => each.inscriptionId)}::text[],
      ${column((each) => bytesToHex(each.sellerScript))}::text[], ${column((each) => bytesToHex(each.buyerScript))}::text[],
      ${column((each) => each.priceSats)}::bigint[], ${column((each) => each.soldAt.toISOString())}::timestamptz[],
      ${column((each) => each.height)}::int[], ${column((each) => each.rule)}::text[],
      ${column((each) => each.confidence)}::text[], ${column((each) => each.counted)}::boolean[])
      with ordinality
      as s (txid, inscription_id, seller, buyer, price_sats, sold_at, height, rule, confidence, counted, n)
    order by s.n
    on conflict (txid, inscription_id) do nothing`
}

/** Returns the scripts, in hex, of wallets that have signed in. */
export async function listKnownScripts(tx: Transaction, scripts: readonly string[]): Promise<Set<string>> {
  const knownScripts = new Set<string>()
  for (let at = 0; at < scripts.length; at += ROWS)
    for (const { script } of await tx<{ script: string }[]>`
      select encode(ordinals_script, 'hex') as script from profiles
      where ordinals_script in
        (select decode(x, 'hex') from unnest(${scripts.slice(at, at + ROWS)}::text[]) as x)`)
      knownScripts.add(script)
  return knownScripts
}

export async function listOwnSettlements(tx: Transaction, txids: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ settlementTxid: string }[]>`
    select settlement_txid from settlements where settlement_txid = any(${txids as string[]}::text[])`
  return new Set(rows.map((row) => row.settlementTxid))
}

export async function deleteSalesAt(tx: Transaction, height: number): Promise<void> {
  await tx`delete from sales where height = ${height}`
}

export const SALES_ORDER = [
  { column: 'height', type: 'int', direction: 'desc' },
  { column: 'sale_id', type: 'bigint', direction: 'desc' },
] as const satisfies Order

export interface SalesPage extends PageOf<typeof SALES_ORDER> {
  /** Null matches all collections. */
  collectionSlug: string | null
}

/** Rows of a page (index sales_recent, primary key of collection_sales). */
const pageOfSales = (sql: Queryable, page: SalesPage, columns: Fragment) => {
  const { collectionSlug } = page
  const feed =
    collectionSlug === null
      ? sql`sales s where true`
      : sql`collection_sales k join sales s using (sale_id)
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})`
  const key = collectionSlug === null ? sql`s` : sql`k`
  return sql`select ${columns}, ${keyColumns(sql, page.order, key)} from ${feed} ${onePage(sql, page, key)}`
}

type SalesSlice = FeedSlice & { collectionId: string | null }

export async function sliceSales(sql: Queryable, page: SalesPage): Promise<SalesSlice> {
  const [row] = await sql<SalesSlice[]>`
    select ${sliceColumns(sql, lastKeys(sql, page.order, page.rows))}, null::timestamptz as expires_at, ${filterColumn(sql, page.collectionSlug)}
    from (${pageOfSales(sql, page, sql`s.rendered_row`)}) page`
  return row!
}

export interface SaleRow {
  saleId: number
  renderedRow: string | null
  renderedVersion: number
  saleType: 'internal' | 'external'
  txid: string | null
  inscriptionId: string
  inscriptionNumber: number | null
  itemName: string | null
  slug: string | null
  collectionName: string | null
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified' | null
  sellerScript: Uint8Array | null
  buyerScript: Uint8Array | null
  priceSats: number
  priceUsd: number | null
  soldAt: Date
  height: number
  keys: SalesPage['after'] & {}
}

/** Returns a page with the columns of rendered sales. */
export function listSaleRows(sql: Queryable, page: SalesPage): Promise<SaleRow[]> {
  return sql<SaleRow[]>`
    select s.sale_id, s.rendered_row, s.rendered_version, s.sale_type, s.txid, s.inscription_id, i.inscription_number, m.item_name, c.slug,
      c.name as collection_name, c.kind, c.verification_status, s.seller_script, s.buyer_script, s.price_sats,
      s.price_usd, s.sold_at, s.height, ${keysOf(sql, page.order, sql`s`)} as keys
    from (${pageOfSales(sql, page, sql`s.*`)}) s
    left join inscriptions i on i.inscription_id = s.inscription_id
    left join collections c on c.collection_id = s.collection_id
    left join collection_items m on m.collection_id = s.collection_id and m.inscription_id = s.inscription_id
    ${orderBy(sql, page.order, sql`s`)}`
}

/** Stores rendered rows of unchanged sales. */
export const saveRenderedSales = (sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> =>
  saveRenderedRows(sql, sql`sales`, sql`sale_id`, sql`bigint[]`, rendered)
