import type { Signed } from '@ordbook/signer/requests.ts'
import { json, type Queryable, type Transaction } from '../db/connect.ts'

export interface PurchaseRow {
  purchaseId: string
  walletBindingId: string
  collectionId: string
  request: object
  selectedCoins: object
  carrier: object
  feeRateSatVb: number
  feeSats: number
  settlementTxid: string
  /** Null while it is prepared only; then it is a settlement of the same id. */
  answer: unknown
  /** SettlementRequest, packed, once signed. */
  settlement: unknown
  expiresAt: Date
}

const columns = (sql: Queryable) => sql`
  purchase_id, wallet_binding_id, collection_id, request, selected_coins, carrier, fee_rate_sat_vb, fee_sats,
  settlement_txid, settlement, answer, expires_at`

export async function insertPurchase(
  tx: Transaction,
  row: Pick<
    PurchaseRow,
    | 'purchaseId'
    | 'walletBindingId'
    | 'collectionId'
    | 'request'
    | 'selectedCoins'
    | 'carrier'
    | 'feeRateSatVb'
    | 'feeSats'
    | 'settlementTxid'
    | 'expiresAt'
  >,
  listings: readonly { listingId: string; pendingSaleId: string }[],
): Promise<void> {
  await tx`
    insert into purchases (purchase_id, wallet_binding_id, collection_id, request, selected_coins, carrier,
      fee_rate_sat_vb, fee_sats, settlement_txid, expires_at)
    values (${row.purchaseId}, ${row.walletBindingId}, ${row.collectionId}, ${json(tx, row.request)},
      ${json(tx, row.selectedCoins)}, ${json(tx, row.carrier)}, ${row.feeRateSatVb}, ${row.feeSats},
      ${row.settlementTxid}, ${row.expiresAt})`
  for (const [position, { listingId, pendingSaleId }] of listings.entries())
    await tx`
      insert into purchase_listings (purchase_id, position, listing_id, pending_sale_id)
      values (${row.purchaseId}, ${position}, ${listingId}, ${pendingSaleId})`
}

export async function findPurchase(sql: Queryable, purchaseId: string): Promise<PurchaseRow | null> {
  const [row] = await sql<
    PurchaseRow[]
  >`select ${columns(sql)} from purchases where purchase_id = ${purchaseId}`
  return row ?? null
}

export async function lockPurchase(tx: Transaction, purchaseId: string): Promise<PurchaseRow | null> {
  const [row] = await tx<PurchaseRow[]>`
    select ${columns(tx)} from purchases where purchase_id = ${purchaseId} for update`
  return row ?? null
}

/** A purchase whose package was sent, by its settlement. */
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
    where s.settlement_txid = ${settlementTxid} and state in ('broadcast', 'confirmed') and settlement is not null`
  return row ?? null
}

export function listPurchaseListings(
  sql: Queryable,
  purchaseId: string,
): Promise<{ listingId: string; pendingSaleId: string }[]> {
  return sql<{ listingId: string; pendingSaleId: string }[]>`
    select listing_id, pending_sale_id from purchase_listings where purchase_id = ${purchaseId} order by position`
}

/** Drops a purchase that is only prepared. */
export async function deletePrepared(sql: Queryable, purchaseId: string): Promise<void> {
  await sql`delete from purchases where purchase_id = ${purchaseId} and answer is null`
}

/** Drops what a wallet has prepared and not submitted, but for the newest `keep`. */
export async function deleteOldestPrepared(
  sql: Queryable,
  walletBindingId: string,
  keep: number,
): Promise<void> {
  await sql`
    delete from purchases where purchase_id in (
      select purchase_id from purchases where wallet_binding_id = ${walletBindingId} and answer is null
      order by expires_at desc, purchase_id offset ${keep} for update skip locked)`
}

/** A prepared purchase is submitted: what its signer was asked, and what its buyer is told, now and when asked again. */
export async function setSubmitted(
  tx: Transaction,
  purchaseId: string,
  { settlement, answer }: { settlement: object; answer: object },
): Promise<void> {
  await tx`
    update purchases set settlement = ${json(tx, settlement)}, answer = ${json(tx, answer)}
    where purchase_id = ${purchaseId}`
}

/** Drops prepared purchases whose time is over. */
export async function deleteExpired(sql: Queryable, now: Date): Promise<void> {
  await sql`delete from purchases where answer is null and expires_at < ${now}`
}
