import type { Queryable, Transaction } from '../db/connect.ts'

export interface NewSale {
  saleType: 'internal' | 'external'
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
    values (${sale.saleType}, ${sale.txid}, ${sale.inscriptionId}, ${sale.collectionId}, ${sale.sellerScript},
      ${sale.buyerScript}, ${sale.priceSats}, ${sale.soldAt}, ${sale.height})
    on conflict (txid, inscription_id) do nothing`
}

export async function deleteSalesAt(tx: Transaction, height: number): Promise<void> {
  await tx`delete from sales where height = ${height}`
}

export interface SaleRow {
  saleId: number
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
}

/** A page of sales, latest block first (index sales_recent). */
export function listSaleRows(
  sql: Queryable,
  page: { after: { height: number; saleId: number } | null; collectionSlug: string | null; limit: number },
): Promise<SaleRow[]> {
  const { after, collectionSlug, limit } = page
  return sql<SaleRow[]>`
    select s.sale_id, s.sale_type, s.txid, s.inscription_id, i.inscription_number, m.item_name, c.slug,
      c.name as collection_name, c.kind, c.verification_status, s.seller_script, s.buyer_script, s.price_sats,
      s.price_usd, s.sold_at, s.height
    from sales s
    left join inscriptions i on i.inscription_id = s.inscription_id
    left join collections c on c.collection_id = s.collection_id
    left join collection_items m on m.collection_id = s.collection_id and m.inscription_id = s.inscription_id
    where true
      ${after === null ? sql`` : sql`and (s.height, s.sale_id) < (${after.height}::int, ${after.saleId}::bigint)`}
      ${
        collectionSlug === null
          ? sql``
          : sql`and exists (select 1 from collection_items x join collections k using (collection_id)
              where x.inscription_id = s.inscription_id and k.slug = ${collectionSlug})`
      }
    order by s.height desc, s.sale_id desc limit ${limit}`
}
