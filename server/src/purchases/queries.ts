import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { json, type Queryable, type Transaction } from '../db/connect.ts'
import type { Signed } from '../signer/signer.ts'

export type PurchaseState = 'prepared' | 'intended' | 'broadcast' | 'confirmed' | 'failed'

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
  /** Broadcast order, once signed. */
  transactions: { txid: string; hex: string }[] | null
  answer: unknown
  /** SettlementRequest, packed, once signed. */
  settlement: unknown
  /** The market's child that speeds the settlement up. */
  bump: { txid: string; feeSats: number } | null
  broadcastHeight: number | null
  state: PurchaseState
  failure: string | null
  expiresAt: Date
}

const columns = (sql: Queryable) => sql`
  purchase_id, wallet_binding_id, collection_id, request, selected_coins, carrier, fee_rate_sat_vb, fee_sats,
  settlement_txid, transactions, settlement, bump, broadcast_height, answer, state, failure, expires_at`

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
      fee_rate_sat_vb, fee_sats, settlement_txid, state, expires_at)
    values (${row.purchaseId}, ${row.walletBindingId}, ${row.collectionId}, ${json(tx, row.request)},
      ${json(tx, row.selectedCoins)}, ${json(tx, row.carrier)}, ${row.feeRateSatVb}, ${row.feeSats},
      ${row.settlementTxid}, 'prepared', ${row.expiresAt})`
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
    select purchase_id, settlement, transactions, state, confirmed_height from purchases
    where settlement_txid = ${settlementTxid} and state in ('broadcast', 'confirmed') and settlement is not null`
  return row ?? null
}

export function listPurchaseListings(
  sql: Queryable,
  purchaseId: string,
): Promise<{ listingId: string; pendingSaleId: string }[]> {
  return sql<{ listingId: string; pendingSaleId: string }[]>`
    select listing_id, pending_sale_id from purchase_listings where purchase_id = ${purchaseId} order by position`
}

/** Drops a prepared purchase; false when it is not prepared any more. */
export async function deletePrepared(tx: Transaction, purchaseId: string): Promise<boolean> {
  const rows = await tx`
    delete from purchases where purchase_id = ${purchaseId} and state = 'prepared' returning 1`
  return rows.length === 1
}

/** Drops what a wallet has prepared and not submitted, but for the newest `keep`; gives the handles. */
export async function deleteOldestPrepared(
  tx: Transaction,
  walletBindingId: string,
  keep: number,
): Promise<string[]> {
  const rows = await tx<{ purchaseId: string }[]>`
    delete from purchases where purchase_id in (
      select purchase_id from purchases where wallet_binding_id = ${walletBindingId} and state = 'prepared'
      order by expires_at desc, purchase_id offset ${keep} for update skip locked)
    returning purchase_id`
  return rows.map((row) => row.purchaseId)
}

/** Writes the intent: from here the purchase will be settled or found impossible, whatever crashes. */
export async function moveToIntended(
  tx: Transaction,
  purchaseId: string,
  intent: { transactions: readonly Signed[]; settlement: object; answer: object },
): Promise<void> {
  const { transactions, settlement, answer } = intent
  await tx`
    update purchases set state = 'intended', transactions = ${json(tx, transactions)},
      settlement = ${json(tx, settlement)}, answer = ${json(tx, answer)}
    where purchase_id = ${purchaseId} and state = 'prepared'`
}

export async function moveToBroadcast(sql: Queryable, purchaseId: string, height: number): Promise<void> {
  await sql`
    update purchases set state = 'broadcast', broadcast_height = ${height}
    where purchase_id = ${purchaseId} and state = 'intended'`
}

export async function setBump(
  tx: Transaction,
  purchaseId: string,
  bump: { txid: string; feeSats: number },
): Promise<void> {
  await tx`update purchases set bump = ${json(tx, bump)} where purchase_id = ${purchaseId}`
}

/** Fails a live purchase; false when it was not live any more. */
export async function moveToFailed(tx: Transaction, purchaseId: string, failure: string): Promise<boolean> {
  const rows = await tx`
    update purchases set state = 'failed', failure = ${failure}
    where purchase_id = ${purchaseId} and state in ('intended', 'broadcast') returning 1`
  return rows.length === 1
}

export function listLive(sql: Queryable): Promise<PurchaseRow[]> {
  return sql<PurchaseRow[]>`select ${columns(sql)} from purchases where state in ('intended', 'broadcast')`
}

/** Locked listings that no purchase under way holds. */
export async function listOrphanedLocks(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ listingId: string }[]>`
    select listing_id from listings l where state = 'hidden_locked' and not exists (
      select 1 from purchase_listings pl join purchases p using (purchase_id)
      where pl.listing_id = l.listing_id and p.state in ('intended', 'broadcast', 'confirmed'))`
  return rows.map((row) => row.listingId)
}

/** Drops prepared purchases whose time is over; gives their handles. */
export async function deleteExpired(tx: Transaction, now: Date): Promise<string[]> {
  const rows = await tx<{ purchaseId: string }[]>`
    delete from purchases where state = 'prepared' and expires_at < ${now} returning purchase_id`
  return rows.map((row) => row.purchaseId)
}

/** Claims payment coins for a live purchase; false when another live purchase has one (index purchase_coins_live). */
export async function claimCoins(
  tx: Transaction,
  purchaseId: string,
  coins: readonly Outpoint[],
): Promise<boolean> {
  const rows = await tx`
    insert into purchase_coins (purchase_id, txid, vout, live)
    select ${purchaseId}, o.txid, o.vout, true
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    on conflict do nothing returning 1`
  return rows.length === coins.length
}

export async function setCoinsLive(tx: Transaction, purchaseId: string, live: boolean): Promise<void> {
  await tx`update purchase_coins set live = ${live} where purchase_id = ${purchaseId}`
}

/** Of these coins, those that a live purchase spends. */
export function listClaimed(sql: Queryable, coins: readonly Outpoint[]): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select c.txid, c.vout
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join purchase_coins c on c.txid = o.txid and c.vout = o.vout and c.live`
}

/** Confirms the purchases whose settlement is among these transactions. */
export function confirmPurchases(
  tx: Transaction,
  txids: readonly string[],
  height: number,
): Promise<{ purchaseId: string; settlementTxid: string; walletBindingId: string }[]> {
  return tx<{ purchaseId: string; settlementTxid: string; walletBindingId: string }[]>`
    update purchases set state = 'confirmed', confirmed_height = ${height}
    where settlement_txid = any(${txids as string[]}::text[]) and transactions is not null
    returning purchase_id, settlement_txid, wallet_binding_id`
}

export async function unconfirmPurchases(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<{ purchaseId: string }[]>`
    update purchases set state = 'broadcast', confirmed_height = null
    where confirmed_height = ${height} returning purchase_id`
  return rows.map((row) => row.purchaseId)
}
