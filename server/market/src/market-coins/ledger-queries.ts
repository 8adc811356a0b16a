import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { Cause, Entry } from './ledger.ts'
import type { Purpose } from './transaction-queries.ts'

/** Records the causes of a transaction. Keeps existing causes. */
export async function insertCauses(tx: Transaction, txid: string, causes: readonly Cause[]): Promise<void> {
  for (const [n, cause] of causes.entries())
    await tx`
      insert into market_causes (txid, n, purpose, wallet_binding_id, order_id, inscription_id, sats, sent_at)
      values (${txid}, ${n}, ${cause.purpose}, ${cause.walletBindingId}, ${cause.orderId},
        ${cause.inscriptionId ?? null}, ${cause.sats ?? null}, now())
      on conflict do nothing`
}

/** Returns the transactions that the market has signed and stored. They may confirm at any time. */
export async function listWritten(tx: Queryable, txids: readonly string[]): Promise<string[]> {
  const rows = await tx<{ txid: string }[]>`
    select distinct txid from market_causes where txid = any(${txids as string[]}::text[])`
  return rows.map((row) => row.txid)
}

/** Returns the buyer's refund for anchors, in sats. */
export async function findRefund(sql: Queryable, settlementTxid: string): Promise<number> {
  const [row] = await sql<{ sats: number }[]>`
    select coalesce(sum(sats), 0)::bigint as sats from market_causes
    where txid = ${settlementTxid} and purpose = 'refund'`
  return row!.sats
}

/** Charges transfers to the wallet that sent them last. */
export async function setTransferCause(
  tx: Transaction,
  txids: readonly string[],
  { walletBindingId, orderId }: { walletBindingId: string | null; orderId: string },
): Promise<void> {
  await tx`
    update market_causes set wallet_binding_id = ${walletBindingId}, order_id = ${orderId}, sent_at = now()
    where txid = any(${txids as string[]}::text[]) and purpose = 'transfer'`
}

/** Records that a package's transfers were never sent. */
export async function unsetSent(tx: Transaction, orderId: string): Promise<void> {
  await tx`update market_causes set sent_at = null where order_id = ${orderId} and purpose = 'transfer'`
}

/** Records the orders that reserve these coins as causes, or the market if there are none. */
export async function insertCausesOfCoins(
  tx: Transaction,
  txid: string,
  purpose: Purpose,
  coins: readonly Outpoint[],
): Promise<void> {
  const rows = await tx<Cause[]>`
    select ${purpose} as purpose, c.caused_by as wallet_binding_id, coalesce(l.listing_id, f.offer_id) as order_id,
      coalesce(l.inscription_id, f.inscription_id) as inscription_id
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[])
        with ordinality as o (txid, vout, n)
      join market_coins c on c.txid = o.txid and c.vout = o.vout
      left join listings l on l.anchor_utxo_id = c.reserved_for
      left join offers f on f.anchor_utxo_id = c.reserved_for
    where c.caused_by is not null order by o.n`
  const market: Cause = { purpose, walletBindingId: null, orderId: null }
  await insertCauses(tx, txid, rows.length > 0 ? rows : [market])
}

/** Returns the causes of these transfers, for a transaction that they require. */
export function listTransferCauses(tx: Transaction, transferTxids: readonly string[], purpose: Purpose) {
  return tx<Cause[]>`
    select ${purpose} as purpose, wallet_binding_id, order_id, inscription_id from market_causes
    where txid = any(${transferTxids as string[]}::text[]) and purpose = 'transfer' order by txid`
}

export interface CausedTransaction {
  txid: string
  costSats: number
  causes: Cause[]
}

/** Returns the causes of a block's transactions, and the creation cost of the coins they spend. */
export function listCauses(tx: Transaction, txids: readonly string[], height: number) {
  return tx<CausedTransaction[]>`
    select t.txid,
      (select coalesce(sum(cost_sats), 0)::bigint from market_coins
        where spent_height = ${height} and spent_txid = t.txid) as cost_sats,
      (select coalesce(jsonb_agg(jsonb_build_object('purpose', purpose, 'walletBindingId', wallet_binding_id,
          'orderId', order_id, 'inscriptionId', inscription_id, 'sats', sats) order by n), '[]')
        from market_causes c where c.txid = t.txid) as causes
    from unnest(${txids as string[]}::text[]) as t (txid)`
}

export async function insertEntries(
  tx: Transaction,
  at: { height: number; txid: string; bookedAt: Date },
  entries: readonly Entry[],
): Promise<void> {
  for (const entry of entries)
    await tx`
      insert into market_ledger (height, txid, purpose, sats, wallet_binding_id, order_id, inscription_id, booked_at)
      values (${at.height}, ${at.txid}, ${entry.purpose}, ${entry.sats}, ${entry.walletBindingId}, ${entry.orderId},
        ${entry.inscriptionId ?? null}, ${at.bookedAt})`
}

export async function deleteEntries(tx: Transaction, height: number): Promise<void> {
  await tx`delete from market_ledger where height = ${height}`
}

/** Distributes the fee of a split over its outputs, except the change. */
export async function setCosts(tx: Transaction, txid: string, feeSats: number): Promise<void> {
  await tx`
    with pieces as (
      select vout, count(*) over () as count from market_coins c
      where txid = ${txid}
        and vout <> (select vout from market_coins where txid = ${txid} order by value_sats desc, vout limit 1))
    update market_coins c set cost_sats = ${feeSats}::bigint / p.count from pieces p
    where c.txid = ${txid} and c.vout = p.vout`
}

export interface Imbalance {
  /** Null for the total. */
  txid: string | null
  ledgerSats: number
  coinSats: number
}

/** Returns differences between ledger and coins. A result is a bug. */
export function listImbalances(sql: Queryable): Promise<Imbalance[]> {
  return sql<Imbalance[]>`
    with moved as (
      select txid, sum(sats)::bigint as sats from (
        select txid, value_sats as sats from market_coins where height is not null
        union all select spent_txid, -value_sats from market_coins where spent_txid is not null) coins group by txid),
    booked as (
      select txid, sum(sats)::bigint as sats from market_ledger where purpose <> 'opening' group by txid)
    select txid, coalesce(b.sats, 0)::bigint as ledger_sats, coalesce(m.sats, 0)::bigint as coin_sats
    from booked b full join moved m using (txid)
    where coalesce(b.sats, 0) <> coalesce(m.sats, 0)
      and not exists (select 1 from market_ledger o where o.txid = coalesce(b.txid, m.txid) and o.purpose = 'opening')
    union all
    select null, l.sats, c.sats
    from (select coalesce(sum(sats), 0)::bigint as sats from market_ledger) l,
      (select coalesce(sum(value_sats), 0)::bigint as sats from market_coins where state not in ('spent', 'absent')) c
    where l.sats <> c.sats`
}
