import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '../db/connect.ts'

export interface MarketCoinRow extends Outpoint {
  valueSats: number
}

/**
 * Reserves `count` free confirmed coins of `low`..`high` sats, smallest first, for a handle until a time (null: until
 * the coin is spent). Gives fewer rows when there are fewer. Rows another transaction holds are passed over.
 */
export function reserveCoins(
  tx: Queryable,
  want: { handle: string; until: Date | null; count: number; lowSats: number; highSats: number; now: Date },
): Promise<MarketCoinRow[]> {
  return tx<MarketCoinRow[]>`
    update market_coins c set reserved_for = ${want.handle}, reserved_until = ${want.until}
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
    update market_coins set reserved_for = null, reserved_until = null
    where reserved_for = ${handle} and spent_height is null and not retired`
}

/** Takes a handle's coins out of use for anything but the market's own spending of them. */
export async function retireCoins(tx: Queryable, handle: string): Promise<void> {
  await tx`update market_coins set retired = true where reserved_for = ${handle} and spent_height is null`
}

/** Takes a retirement back: the listing lives again after a reorg. */
export async function unretireCoins(tx: Queryable, handle: string): Promise<void> {
  await tx`update market_coins set retired = false where reserved_for = ${handle} and spent_height is null`
}

/** Retired coins that no transaction of the market spends yet. */
export function listRetired(tx: Transaction, limit: number): Promise<MarketCoinRow[]> {
  return tx<MarketCoinRow[]>`
    select txid, vout, value_sats from market_coins
    where retired and spent_height is null
      and not exists (select 1 from market_transactions t where t.handle = reserved_for and t.state = 'intended')
    order by height, txid, vout limit ${limit} for update skip locked`
}

export async function assignCoins(
  tx: Transaction,
  handle: string,
  coins: readonly Outpoint[],
): Promise<void> {
  await tx`
    update market_coins c set reserved_for = ${handle}, reserved_until = null
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    where c.txid = o.txid and c.vout = o.vout`
}

/** Free coins by use: anchors, and coins large enough to carry a fee. */
export async function countFree(
  sql: Queryable,
  now: Date,
  tailSats: number,
): Promise<{ anchors: number; tails: number; freeSats: number }> {
  const [row] = await sql<{ anchors: number; tails: number; freeSats: number }[]>`
    select count(*) filter (where value_sats = 330)::int as anchors,
      count(*) filter (where value_sats between ${Math.floor(tailSats / 2)} and ${tailSats * 2})::int as tails,
      coalesce(sum(value_sats), 0)::bigint as free_sats
    from market_coins
    where spent_height is null and not retired and (reserved_for is null or reserved_until < ${now})`
  return row!
}

export async function insertMarketTransaction(
  tx: Transaction,
  row: { txid: string; handle: string; rawHex: string },
): Promise<void> {
  await tx`
    insert into market_transactions (txid, handle, raw_hex, state)
    values (${row.txid}, ${row.handle}, ${row.rawHex}, 'intended')`
}

export function listIntendedTransactions(
  sql: Queryable,
): Promise<{ txid: string; handle: string; rawHex: string }[]> {
  return sql<{ txid: string; handle: string; rawHex: string }[]>`
    select txid, handle, raw_hex from market_transactions where state = 'intended' order by created_at`
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
