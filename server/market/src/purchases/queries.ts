import { json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { Signed } from '@ordbook/signer/requests.ts'

/** Stores a purchase. `settlement` is the packed signer request. */
export async function insertPurchase(
  tx: Transaction,
  row: { purchaseId: string; walletBindingId: string; collectionId: string; settlement: object },
  listings: readonly { listingId: string; inscriptionId: string; pendingSaleId: string }[],
): Promise<void> {
  await tx`
    insert into purchases (purchase_id, wallet_binding_id, collection_id, settlement)
    values (${row.purchaseId}, ${row.walletBindingId}, ${row.collectionId}, ${json(tx, row.settlement)})`
  for (const [position, { listingId, inscriptionId, pendingSaleId }] of listings.entries())
    await tx`
      insert into purchase_listings (purchase_id, position, listing_id, inscription_id, pending_sale_id)
      values (${row.purchaseId}, ${position}, ${listingId}, ${inscriptionId}, ${pendingSaleId})`
}

/** Returns the buyer's binding id. */
export async function findBuyer(sql: Queryable, purchaseId: string): Promise<string | null> {
  const [row] = await sql<{ walletBindingId: string }[]>`
    select wallet_binding_id from purchases where purchase_id = ${purchaseId}`
  return row?.walletBindingId ?? null
}

/** Returns a broadcast purchase by its settlement's txid. */
export async function findSettled(
  sql: Queryable,
  settlementTxid: string,
): Promise<{
  purchaseId: string
  settlement: unknown
  transactions: Signed[]
  state: 'broadcast' | 'confirmed'
  confirmedHeight: number | null
} | null> {
  const [row] = await sql<
    {
      purchaseId: string
      settlement: unknown
      transactions: Signed[]
      state: 'broadcast' | 'confirmed'
      confirmedHeight: number | null
    }[]
  >`
    select purchase_id, settlement, transactions, state, confirmed_height
    from settlements s join purchases p on p.purchase_id = s.settlement_id
    where s.settlement_txid = ${settlementTxid} and state in ('broadcast', 'confirmed')`
  return row ?? null
}

export function listPurchaseListings(
  sql: Queryable,
  purchaseId: string,
): Promise<{ listingId: string; inscriptionId: string; pendingSaleId: string }[]> {
  return sql<{ listingId: string; inscriptionId: string; pendingSaleId: string }[]>`
    select listing_id, inscription_id, pending_sale_id from purchase_listings where purchase_id = ${purchaseId} order by position`
}
