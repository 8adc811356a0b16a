import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '../db/connect.ts'

export interface MarketCoinRow extends Outpoint {
  valueSats: number
}

/**
 * Reserves `count` free confirmed coins of `low`..`high` sats, smallest first, for a handle until a time (null: until
 * the coin is spent). Gives fewer rows when there are fewer. Rows another transaction holds are passed over. `takenBy`
 * is the wallet that they count for, where it has no funds.
 */
export function reserveCoins(
  tx: Queryable,
  want: {
    handle: string
    until: Date | null
    count: number
    lowSats: number
    highSats: number
    takenBy?: string | null
    now: Date
  },
): Promise<MarketCoinRow[]> {
  return tx<MarketCoinRow[]>`
    update market_coins c set reserved_for = ${want.handle}, reserved_until = ${want.until}, taken_by = ${want.takenBy ?? null}
    from (
      select txid, vout from market_coins
      where spent_height is null and not retired and value_sats between ${want.lowSats} and ${want.highSats}
        and (reserved_for is null or reserved_until < ${want.now})
      order by value_sats, height, txid, vout
      limit ${want.count} for update skip locked
    ) free
    where c.txid = free.txid and c.vout = free.vout
    returning c.txid, c.vout, c.value_sats`
}

export interface TakenRow {
  /** Coins that a wallet holds, and that all wallets without funds hold. */
  own: number
  all: number
  /** Coins of the size in question that are left for anyone. */
  free: number
}

/**
 * Counts what wallets without funds hold: reserved, listed, and retired until the market has spent it. One transaction
 * counts at a time, so that two cannot both take the last of a budget.
 */
export async function countTaken(
  tx: Queryable,
  want: { takenBy: string; lowSats: number; highSats: number; now: Date },
): Promise<TakenRow> {
  await tx`select pg_advisory_xact_lock(hashtext('coins of wallets without funds'))`
  const [row] = await tx<TakenRow[]>`
    select count(*) filter (where taken_by = ${want.takenBy})::int as own, count(*)::int as all,
      (select count(*)::int from market_coins where spent_height is null and not retired
        and value_sats between ${want.lowSats} and ${want.highSats}
        and (reserved_for is null or reserved_until < ${want.now})) as free
    from market_coins
    where taken_by is not null and spent_height is null and (reserved_until is null or reserved_until >= ${want.now})`
  return row!
}

/** Keeps a handle's coins past their time. Gives how many it held still. */
export async function keepCoins(tx: Transaction, handle: string, now: Date): Promise<number> {
  const rows = await tx`
    update market_coins set reserved_until = null
    where reserved_for = ${handle} and spent_height is null and not retired
      and (reserved_until is null or reserved_until >= ${now})
    returning 1`
  return rows.length
}

/** Frees a handle's coins. */
export async function releaseCoins(tx: Queryable, handle: string): Promise<void> {
  await tx`
    update market_coins set reserved_for = null, reserved_until = null, taken_by = null
    where reserved_for = ${handle} and spent_height is null and not retired`
}

/** Takes a handle's coins out of use for anything but the market's own spending of them. */
export async function retireCoins(tx: Queryable, handle: string, now: Date): Promise<void> {
  await tx`
    update market_coins set retired = true, retired_at = ${now}
    where reserved_for = ${handle} and spent_height is null`
}

/**
 * Keeps an anchor for its handle again: false when something spends it. The coin of the recovery comes along where nobody
 * else has taken it since.
 */
export async function reviveCoins(
  tx: Queryable,
  anchorHandle: string,
  recoveryHandle: string | null,
): Promise<boolean> {
  const rows = await tx`
    update market_coins set retired = false, retired_at = null
    where reserved_for = ${anchorHandle} and spending_txid is null and spent_height is null
    returning 1`
  if (recoveryHandle)
    await tx`
      update market_coins c set reserved_for = ${recoveryHandle}, reserved_until = null
      from listings l
      where l.recovery_handle = ${recoveryHandle} and c.txid = l.terms -> 'recoveryCoin' ->> 'txid'
        and c.vout = (l.terms -> 'recoveryCoin' ->> 'vout')::bigint and c.reserved_for is null and not c.retired`
  return rows.length > 0
}

export interface RetiredRow extends MarketCoinRow {
  handle: string
  retiredAt: Date
}

/** Retired coins that no transaction of the market spends yet, oldest first (index market_coins_retired). */
export function listRetired(tx: Transaction, limit: number): Promise<RetiredRow[]> {
  return tx<RetiredRow[]>`
    select txid, vout, value_sats, reserved_for as handle, retired_at from market_coins
    where retired and spent_height is null and spending_txid is null
    order by retired_at limit ${limit} for update skip locked`
}

/** Notes which transaction of the market spends coins; null takes that back. */
export async function setSpending(
  tx: Transaction,
  coins: readonly Outpoint[],
  txid: string | null,
): Promise<void> {
  await tx`
    update market_coins c set spending_txid = ${txid}
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    where c.txid = o.txid and c.vout = o.vout`
}

export interface PoolRow {
  freeAnchors: number
  freeTails: number
  /** Free coins too large to be either: what splits are made from. */
  largeSats: number
  reserved: number
  retired: number
  totalSats: number
}

/** The market's confirmed coins by use. */
export async function findPool(sql: Queryable, now: Date, tailSats: number): Promise<PoolRow> {
  const low = Math.floor(tailSats / 2)
  const high = tailSats * 2
  const [row] = await sql<PoolRow[]>`
    select count(*) filter (where free and value_sats = 330) as free_anchors,
      count(*) filter (where free and value_sats between ${low} and ${high}) as free_tails,
      coalesce(sum(value_sats) filter (where free and value_sats > ${high}), 0)::bigint as large_sats,
      count(*) filter (where not free and not retired) as reserved,
      count(*) filter (where retired) as retired,
      coalesce(sum(value_sats), 0)::bigint as total_sats
    from (select value_sats, retired,
        not retired and (reserved_for is null or reserved_until < ${now}) as free
      from market_coins where spent_height is null) coins`
  return row!
}

export type Purpose = 'split' | 'void' | 'recovery' | 'bump'

export async function insertMarketTransaction(
  tx: Transaction,
  row: { txid: string; handle: string; rawHex: string; purpose: Purpose },
): Promise<void> {
  await tx`
    insert into market_transactions (txid, handle, raw_hex, state, purpose)
    values (${row.txid}, ${row.handle}, ${row.rawHex}, 'intended', ${row.purpose})
    on conflict (txid) do update set state = 'intended' where market_transactions.state = 'failed'`
}

export function listIntendedTransactions(
  sql: Queryable,
): Promise<{ txid: string; handle: string; rawHex: string; purpose: Purpose }[]> {
  return sql<{ txid: string; handle: string; rawHex: string; purpose: Purpose }[]>`
    select txid, handle, raw_hex, purpose from market_transactions where state = 'intended' order by created_at`
}

/** True while a transaction of this purpose waits for its block. */
export async function isUnderWay(sql: Queryable, purpose: Purpose): Promise<boolean> {
  const rows =
    await sql`select 1 from market_transactions where state = 'intended' and purpose = ${purpose} limit 1`
  return rows.length > 0
}

/** Gives a transaction up that the network refuses: its coins are free for the next. */
export async function failMarketTransaction(tx: Transaction, txid: string, handle: string): Promise<void> {
  const rows = await tx`
    update market_transactions set state = 'failed' where txid = ${txid} and state = 'intended' returning 1`
  if (rows.length === 0) return
  await tx`update market_coins set spending_txid = null where spending_txid = ${txid} and spent_height is null`
  await releaseCoins(tx, handle)
}

/** Coins that appear and vanish with a block. */
export async function applyCoins(
  tx: Transaction,
  block: {
    height: number
    made: readonly MarketCoinRow[]
    spent: readonly Outpoint[]
    txids: readonly string[]
  },
): Promise<void> {
  if (block.made.length > 0)
    await tx`
      insert into market_coins (txid, vout, value_sats, height)
      select *, ${block.height}::int from unnest(${block.made.map((coin) => coin.txid)}::text[],
        ${block.made.map((coin) => coin.vout)}::bigint[], ${block.made.map((coin) => coin.valueSats)}::bigint[])
      on conflict do nothing`
  if (block.spent.length > 0)
    await tx`
      update market_coins c set spent_height = ${block.height}
      from unnest(${block.spent.map((coin) => coin.txid)}::text[], ${block.spent.map((coin) => coin.vout)}::bigint[])
        as o (txid, vout)
      where c.txid = o.txid and c.vout = o.vout`
  await tx`
    update market_transactions set state = 'confirmed', confirmed_height = ${block.height}
    where txid = any(${block.txids as string[]}::text[])`
}

export async function undoCoins(tx: Transaction, height: number): Promise<void> {
  await tx`delete from market_coins where height = ${height}`
  await tx`update market_coins set spent_height = null where spent_height = ${height}`
  await tx`
    update market_transactions set state = 'intended', confirmed_height = null where confirmed_height = ${height}`
}
