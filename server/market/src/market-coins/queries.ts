import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { COINBASE_MATURITY } from '@ordbook/indexer/node/maturity.ts'
import type { CoinState } from './states.ts'

export interface MarketCoinRow extends Outpoint {
  valueSats: number
}

export interface CoinSize {
  lowSats: number
  highSats: number
}

/**
 * Selects up to `count` free coins for a preflight without reserving them. Prefers coins that no recent preflight selected, then the
 * smallest. Skips locked rows.
 */
export function nameCoins(
  tx: Queryable,
  wanted: CoinSize & { count: number; now: Date },
): Promise<MarketCoinRow[]> {
  return tx<MarketCoinRow[]>`
    update market_coins c set named_at = ${wanted.now}
    from (
      select txid, vout from market_coins
      where state = 'free' and value_sats between ${wanted.lowSats} and ${wanted.highSats}
      order by named_at nulls first, value_sats, height, txid, vout
      limit ${wanted.count} for update skip locked
    ) free
    where c.txid = free.txid and c.vout = free.vout
    returning c.txid, c.vout, c.value_sats`
}

/** Returns the smallest free coins of a range, without reserving them. */
export function listSmallest(sql: Queryable, wanted: CoinSize & { count: number }): Promise<MarketCoinRow[]> {
  return sql<MarketCoinRow[]>`
    select txid, vout, value_sats from market_coins
    where state = 'free' and value_sats between ${wanted.lowSats} and ${wanted.highSats}
    order by value_sats, named_at nulls first, height, txid, vout
    limit ${wanted.count}`
}

export interface Holder {
  handle: string
  /** Charged wallet. Null for the market. */
  causedBy: string | null
  /** The wallet to charge, if it is unfunded. */
  takenBy?: string | null
}

const listOf = (tx: Queryable, coins: readonly Outpoint[]) => tx`
  unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)`

/** Move `hold`: reserves free coins. Returns their number. */
export async function holdCoins(
  tx: Transaction,
  coins: readonly Outpoint[],
  { handle, causedBy, takenBy = null }: Holder,
): Promise<number> {
  const rows = await tx`
    update market_coins c set reserved_for = ${handle}, caused_by = ${causedBy}, taken_by = ${takenBy}
    from ${listOf(tx, coins)} where c.txid = o.txid and c.vout = o.vout and c.state = 'free' returning 1`
  return rows.length
}

/** Move `release`: frees the coins of handles. */
export async function releaseCoins(tx: Queryable, handles: readonly string[]): Promise<void> {
  if (handles.length === 0) return
  await tx`
    update market_coins set reserved_for = null, caused_by = null, taken_by = null
    where reserved_for = any(${handles as string[]}::uuid[]) and state = 'held'`
}

export async function sumCoins(sql: Queryable, coins: readonly Outpoint[]): Promise<number> {
  const [row] = await sql<{ sats: number }[]>`
    select coalesce(sum(value_sats), 0)::bigint as sats from market_coins c join ${listOf(sql, coins)} using (txid, vout)`
  return row!.sats
}

export async function countHeld(sql: Queryable, handles: readonly string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from market_coins
    where reserved_for = any(${handles as string[]}::uuid[]) and state = 'held'`
  return row!.count
}

/** Move `retire`: only an identical transfer or the market can then use the coins. */
export async function retireCoins(tx: Queryable, handles: readonly string[], now: Date): Promise<void> {
  if (handles.length === 0) return
  await tx`
    update market_coins set retired = true, retired_at = ${now}
    where reserved_for = any(${handles as string[]}::uuid[]) and state in ('held', 'spending', 'absent') and not retired`
}

/**
 * Move `revive`: reserves retired anchors for their handles again, and the recovery coins that are free. Returns the handles of anchors that
 * are not being spent.
 */
export async function reviveCoins(
  tx: Queryable,
  orders: readonly { anchorUtxoId: string; recoveryHandle: string | null }[],
): Promise<Set<string | null>> {
  const rows = await tx<{ reservedFor: string | null }[]>`
    update market_coins set retired = false, retired_at = null
    where reserved_for = any(${orders.map((order) => order.anchorUtxoId)}::uuid[]) and state in ('held', 'retired')
    returning reserved_for`
  await tx`
    update market_coins c set reserved_for = l.recovery_handle, caused_by = l.wallet_binding_id
    from listings l
    where l.recovery_handle = any(${orders.map((order) => order.recoveryHandle)}::uuid[])
      and c.txid = l.terms -> 'recoveryCoin' ->> 'txid'
      and c.vout = (l.terms -> 'recoveryCoin' ->> 'vout')::bigint and c.state = 'free'`
  return new Set(rows.map((row) => row.reservedFor))
}

/** Reserves the retired coins of order `from` for an order that has the same transfer. Returns their number. */
export async function reassignCoins(
  tx: Transaction,
  coins: readonly Outpoint[],
  from: string,
  { handle, causedBy, takenBy = null }: Holder,
): Promise<number> {
  const rows = await tx`
    update market_coins c set retired = false, retired_at = null, reserved_for = ${handle},
      caused_by = ${causedBy}, taken_by = ${takenBy}
    from ${listOf(tx, coins)}
    where c.txid = o.txid and c.vout = o.vout and c.reserved_for = ${from} and c.state = 'retired' returning 1`
  return rows.length
}

/** Returns the handle of a retired coin. */
export async function findRetiredHandle(sql: Queryable, { txid, vout }: Outpoint): Promise<string | null> {
  const [row] = await sql<{ handle: string }[]>`
    select reserved_for as handle from market_coins where txid = ${txid} and vout = ${vout} and state = 'retired'`
  return row?.handle ?? null
}

export interface RetiredRow extends MarketCoinRow {
  handle: string
  retiredAt: Date
}

/** Returns retired coins, oldest first (index market_coins_retired). Skips an inscription and wallet with `most` anchors spent since `since`. */
export function listRetired(
  sql: Queryable,
  { limit, most, since }: { limit: number; most: number; since: Date },
): Promise<RetiredRow[]> {
  return sql<RetiredRow[]>`
    select c.txid, c.vout, c.value_sats, c.reserved_for as handle, c.retired_at
    from market_coins c left join listings l on l.anchor_utxo_id = c.reserved_for
      left join offers f on f.anchor_utxo_id = c.reserved_for
    where c.state = 'retired' and (
      select count(*) from market_causes v join market_transactions t using (txid)
      where v.purpose = 'void' and v.inscription_id = coalesce(l.inscription_id, f.inscription_id)
        and v.wallet_binding_id = c.caused_by and v.sent_at > ${since} and t.state <> 'failed') < ${most}
    order by c.retired_at limit ${limit}`
}

/**
 * Moves `take` and `spend`: marks coins as spent by a stored transaction. Ignores unconfirmed coins, which are not in the table. Returns
 * coins reserved for other orders; the caller must then roll back. `holders` are the handles whose held coins it can spend, `retiredFor`
 * those whose retired coins it can spend (default: all).
 */
export async function spendCoins(
  tx: Transaction,
  coins: readonly Outpoint[],
  {
    txid,
    handle,
    holders,
    retiredFor = null,
  }: { txid: string; handle: string; holders: readonly string[]; retiredFor?: readonly string[] | null },
): Promise<Outpoint[]> {
  await tx`
    update market_coins c set spending_txid = ${txid}, reserved_for = coalesce(c.reserved_for, ${handle})
    from ${listOf(tx, coins)}
    where c.txid = o.txid and c.vout = o.vout
      and (c.state = 'free'
        or c.state = 'retired' and coalesce(c.reserved_for = any(${retiredFor as string[] | null}::uuid[]), true)
        or c.state = 'held' and c.reserved_for = any(${holders as string[]}::uuid[]))`
  return tx<Outpoint[]>`
    select c.txid, c.vout from market_coins c join ${listOf(tx, coins)} using (txid, vout)
    where c.spending_txid is distinct from ${txid}`
}

/** Move `give up`: returns the coins of a rejected transaction to their previous state. */
export async function giveUpCoins(tx: Transaction, txid: string, handle: string): Promise<void> {
  await tx`
    update market_coins set spending_txid = null,
      reserved_for = case when reserved_for = ${handle} and caused_by is null then null else reserved_for end
    where spending_txid = ${txid} and state = 'spending'`
}

export interface PoolRow {
  freeAnchors: number
  freeTails: number
  /** Value of free coins that are large enough to split. */
  largeSats: number
  largestSats: number
  totalSats: number
}

/** Move `mature`: frees coinbase outputs that can be spent in the next block. */
export async function matureCoins(sql: Queryable): Promise<void> {
  await sql`
    update market_coins set immature = false
    where immature and height <= (select max(height) from blocks) - ${COINBASE_MATURITY - 1}::int`
}

export async function findPool(sql: Queryable, tails: CoinSize): Promise<PoolRow> {
  const { lowSats: low, highSats: high } = tails
  const [row] = await sql<PoolRow[]>`
    select count(*) filter (where state = 'free' and value_sats = 330) as free_anchors,
      count(*) filter (where state = 'free' and value_sats between ${low} and ${high}) as free_tails,
      coalesce(sum(value_sats) filter (where state = 'free' and value_sats > ${high}), 0)::bigint as large_sats,
      coalesce(max(value_sats) filter (where state = 'free'), 0)::bigint as largest_sats,
      coalesce(sum(value_sats), 0)::bigint as total_sats
    from market_coins where state not in ('spent', 'absent')`
  return row!
}

export interface DemandRow {
  /** Confirmed trades with refunded anchors. */
  trades: number
  earnedSats: number
}

/** Returns the demand for tail coins since a time (index market_ledger_time). */
export async function findDemand(sql: Queryable, since: Date): Promise<DemandRow> {
  const [row] = await sql<DemandRow[]>`
    select count(*) filter (where purpose = 'refund')::int as trades,
      coalesce(sum(sats) filter (where purpose = 'revenue'), 0)::bigint as earned_sats
    from market_ledger where wallet_binding_id is not null and booked_at > ${since}`
  return row!
}

export interface StateRow {
  state: CoinState
  coins: number
  sats: number
}

export function listByState(sql: Queryable): Promise<StateRow[]> {
  return sql<StateRow[]>`
    select state, count(*)::int as coins, sum(value_sats)::bigint as sats from market_coins
    where state <> 'spent' group by state order by state`
}

export interface TakenRow {
  /** Coins reserved for this wallet, and for all unfunded wallets. */
  own: number
  all: number
  free: number
}

/** Counts the coins reserved for unfunded wallets, including retired ones. Takes an advisory lock, so that no budget is used twice. */
export async function countTaken(tx: Queryable, wanted: CoinSize & { takenBy: string }): Promise<TakenRow> {
  await tx`select pg_advisory_xact_lock(hashtext('coins of wallets without funds'))`
  const [row] = await tx<TakenRow[]>`
    select count(*) filter (where taken_by = ${wanted.takenBy})::int as own, count(*)::int as all,
      (select count(*)::int from market_coins
        where state = 'free' and value_sats between ${wanted.lowSats} and ${wanted.highSats}) as free
    from market_coins where taken_by is not null and spent_height is null`
  return row!
}
