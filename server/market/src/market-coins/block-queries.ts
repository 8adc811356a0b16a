import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { COINBASE_MATURITY } from '@ordbook/indexer/node/maturity.ts'

export interface CoinBlock {
  height: number
  made: readonly (Outpoint & { valueSats: number; coinbase: boolean })[]
  /** `by` is the spending txid. */
  spent: readonly (Outpoint & { by: string })[]
  txids: readonly string[]
}

/** Applies a block: moves `make`, `return` and `confirm` of states.ts. */
export async function applyCoins(tx: Transaction, { height, made, spent, txids }: CoinBlock): Promise<void> {
  if (made.length > 0)
    await tx`
      insert into market_coins (txid, vout, value_sats, height, coinbase, immature)
      select txid, vout, value_sats, ${height}::int, coinbase, coinbase
      from unnest(${made.map((coin) => coin.txid)}::text[], ${made.map((coin) => coin.vout)}::bigint[],
        ${made.map((coin) => coin.valueSats)}::bigint[], ${made.map((coin) => coin.coinbase)}::boolean[])
        as made (txid, vout, value_sats, coinbase)
      on conflict (txid, vout) do update set height = excluded.height where market_coins.height is null`
  if (spent.length > 0)
    await tx`
      update market_coins c set spent_height = ${height}, spent_txid = o.by
      from unnest(${spent.map((coin) => coin.txid)}::text[], ${spent.map((coin) => coin.vout)}::bigint[],
        ${spent.map((coin) => coin.by)}::text[]) as o (txid, vout, by)
      where c.txid = o.txid and c.vout = o.vout`
  await tx`
    update market_transactions set state = 'confirmed', confirmed_height = ${height}
    where txid = any(${txids as string[]}::text[])`
}

/** Undoes a block: moves `undo` and `lose` of states.ts. Coins that orders depend on stay without a height. */
export async function undoCoins(tx: Transaction, height: number): Promise<void> {
  await tx`update market_coins set spent_height = null, spent_txid = null where spent_height = ${height}`
  await tx`delete from market_coins where height = ${height} and state in ('free', 'immature')`
  await tx`update market_coins set height = null where height = ${height}`
  await tx`
    update market_coins set immature = true
    where coinbase and state = 'free' and height > ${height}::int - ${COINBASE_MATURITY}::int`
  await tx`
    update market_transactions set state = 'intended', confirmed_height = null where confirmed_height = ${height}`
}
