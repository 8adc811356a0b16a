import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict, forbidden, unavailable } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import {
  type CoinSize,
  countTaken,
  type Holder,
  holdCoins,
  type MarketCoinRow,
  nameCoins,
} from './queries.ts'

/**
 * The market's own small coins. Anchors (330 sats) pay the fee of a listing's transfer and recovery; tail coins carry the fee
 * of a settlement. A preflight names free coins and holds none, so it costs the market nothing and leaves them to other
 * wallets; a submit, with signatures that commit to them, takes them. Of two preflights that name the same coin, the second
 * must be prepared again; that happens only while all other coins are named already. states.ts has every state and move.
 */
export const coinOf = (row: MarketCoinRow, script: Uint8Array): Coin => ({
  txid: row.txid,
  vout: row.vout,
  valueSats: row.valueSats,
  script,
})

type Needs = Pick<Context, 'market' | 'config' | 'clock'>
const ANCHORS: CoinSize = { lowSats: ANCHOR_SATS, highSats: ANCHOR_SATS }

/**
 * Names anchors for a preflight. `takenBy` is the wallet that asks, where it has no funds: its budget counts. Throws
 * unavailable when the pool has too few, forbidden when they are more than the wallet may hold.
 */
export async function nameAnchors(
  { market, config, clock }: Needs,
  tx: Transaction,
  { count, takenBy }: { count: number; takenBy: string | null },
): Promise<Coin[]> {
  const rows = await nameCoins(tx, { ...ANCHORS, count, now: clock() })
  if (rows.length < count)
    throw unavailable(
      'market-coins-exhausted',
      'The market has no free anchor coins right now; try again after the next block',
    )
  if (takenBy) await refuseOverBudget(config, tx, takenBy, count)
  return rows.map((row) => coinOf(row, market.coinScript))
}

/** Names one coin that can carry `feeSats`. Throws unavailable when there is none. */
export async function nameTail(
  { market, config, clock }: Needs,
  sql: Queryable,
  feeSats: number,
): Promise<Coin> {
  const lowSats = Math.max(feeSats + ANCHOR_SATS, Math.floor(config.tailSats / 2))
  const highSats = Math.max(config.tailSats * 2, feeSats * 2)
  const [row] = await nameCoins(sql, { lowSats, highSats, count: 1, now: clock() })
  if (!row)
    throw unavailable(
      'market-coins-exhausted',
      'The market has no free fee coin right now; try again after the next block',
    )
  return coinOf(row, market.coinScript)
}

/** Takes the coins that a preflight named. Throws conflict when another submit was faster. */
export async function holdNamed(
  { config }: Pick<Context, 'config'>,
  tx: Transaction,
  coins: readonly Outpoint[],
  holder: Holder,
): Promise<void> {
  if ((await holdCoins(tx, coins, holder)) < coins.length)
    throw conflict(
      'preflight-outdated',
      `A coin of the market that this was prepared with (of ${coins.map(formatOutpoint).join(', ')}) is in use by now: prepare it again`,
    )
  if (holder.takenBy) await refuseOverBudget(config, tx, holder.takenBy, 0)
}

/** Of a pool, the part that wallets without funds leave to the others. */
const LEFT_FOR_OTHERS = 1 / 4

/**
 * Throws forbidden when a wallet without funds would hold more than it may, unavailable when all of them together would;
 * `more` is what it wants on top of what it holds.
 */
async function refuseOverBudget(
  config: Context['config'],
  tx: Transaction,
  takenBy: string,
  more: number,
): Promise<void> {
  const { own, all, free } = await countTaken(tx, { takenBy, ...ANCHORS })
  const funds = `${config.minFundingSats} confirmed sats at its payment address`
  if (own + more > config.unfundedCoins)
    throw forbidden(
      'coins-of-market-exhausted',
      `A wallet with less than ${funds} may hold ${config.unfundedCoins} coins of the market at a time, two for a listing: delist something, or fund the address`,
    )
  if (all + more > config.unfundedCoinsTotal || free - more < config.anchorPool * LEFT_FOR_OTHERS)
    throw unavailable(
      'market-coins-exhausted',
      `The market has no coins to spare right now for a wallet with less than ${funds}: fund the address, or try again later`,
    )
}
