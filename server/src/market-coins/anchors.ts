import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import type { Context } from '../context.ts'
import type { Queryable, Transaction } from '../db/connect.ts'
import { forbidden, unavailable } from '../errors.ts'
import { applyCoins, countTaken, type MarketCoinRow, reserveCoins, undoCoins } from './queries.ts'

/**
 * The market's own small coins. Anchors (330 sats) pay the fee of a listing's transfer and recovery; tail coins carry
 * the fee of a settlement. The follower sees them come and go, preflights reserve them by row locks, so that any number
 * of processes share them, and `pool.ts` makes new ones. A coin is used only once confirmed, and an anchor whose listing
 * ended is retired: nothing but the pool's voiding ever spends it.
 */
export const coinOf = (row: MarketCoinRow, script: Uint8Array): Coin => ({ ...row, script })

/**
 * Reserves anchors for a handle. `takenBy` is the wallet that asks, where it has no funds: its budget counts. Throws
 * unavailable when the pool has too few, forbidden when they are more than the wallet may hold.
 */
export async function reserveAnchors(
  { market, config, clock }: Pick<Context, 'market' | 'config' | 'clock'>,
  tx: Queryable,
  want: { handle: string; until: Date | null; count: number; takenBy?: string | null },
): Promise<Coin[]> {
  const size = { lowSats: ANCHOR_SATS, highSats: ANCHOR_SATS, now: clock() }
  const rows = await reserveCoins(tx, { ...want, ...size })
  if (rows.length < want.count)
    throw unavailable('The market has no free anchor coins right now; try again after the next block')
  if (want.takenBy) await refuseOverBudget(config, tx, { ...size, takenBy: want.takenBy }, config.anchorPool)
  return rows.map((row) => coinOf(row, market.coinScript))
}

/** Reserves one coin that can carry `feeSats`; the rest as for anchors. */
export async function reserveTail(
  { market, config, clock }: Pick<Context, 'market' | 'config' | 'clock'>,
  tx: Queryable,
  want: { handle: string; until: Date; feeSats: number; takenBy?: string | null },
): Promise<Coin> {
  const { handle, until, feeSats, takenBy } = want
  const size = {
    lowSats: Math.max(feeSats + ANCHOR_SATS, Math.floor(config.tailSats / 2)),
    highSats: Math.max(config.tailSats * 2, feeSats * 2),
    now: clock(),
  }
  const [row] = await reserveCoins(tx, { handle, until, count: 1, takenBy: takenBy ?? null, ...size })
  if (!row) throw unavailable('The market has no free fee coin right now; try again after the next block')
  if (takenBy) await refuseOverBudget(config, tx, { ...size, takenBy }, config.tailPool)
  return coinOf(row, market.coinScript)
}

/** Of a pool, the part that wallets without funds leave to the others. */
const LEFT_FOR_OTHERS = 1 / 4

/** Throws forbidden when a wallet without funds holds more than it may, unavailable when all of them together do. */
async function refuseOverBudget(
  config: Context['config'],
  tx: Queryable,
  want: { takenBy: string; lowSats: number; highSats: number; now: Date },
  pool: number,
): Promise<void> {
  const { own, all, free } = await countTaken(tx, want)
  const funds = `${config.fundingFloorSats} confirmed sats at its payment address`
  if (own > config.unfundedCoins)
    throw forbidden(
      `A wallet with less than ${funds} may hold ${config.unfundedCoins} coins of the market at a time, two for a listing: delist something, or fund the address`,
    )
  if (all > config.unfundedCoinsTotal || free < pool * LEFT_FOR_OTHERS)
    throw unavailable(
      `The market has no coins to spare right now for a wallet with less than ${funds}: fund the address, or try again later`,
    )
}

/** Keeps market_coins equal to what the chain holds under the market's script. */
export function anchorsOnBlock(market: MarketKeys): BlockConsumer {
  return {
    name: 'anchors',
    async apply(tx: Transaction, block) {
      const { coinScript } = market
      if (!holds(block.bytes, coinScript) && !holds(block.spent, coinScript)) return
      const made: MarketCoinRow[] = []
      const spent: Outpoint[] = []
      for (const { txid, tx: transaction, prevouts } of block.transactions) {
        for (const [vout, output] of transaction.outputs.entries())
          if (equalBytes(output.script, coinScript)) made.push({ txid, vout, valueSats: output.valueSats })
        for (const [i, prevout] of prevouts.entries())
          if (equalBytes(prevout.script, coinScript)) spent.push(transaction.inputs[i]!)
      }
      await applyCoins(tx, {
        height: block.height,
        made,
        spent: dedupe(spent),
        txids: block.transactions.map((each) => each.txid),
      })
    },
    undo: undoCoins,
  }
}

/** True when a script is anywhere in some bytes. What is the market's spends its coins or makes some. */
const holds = (bytes: Uint8Array, script: Uint8Array) => bufferOf(bytes).includes(bufferOf(script))
const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function dedupe(outpoints: readonly Outpoint[]): Outpoint[] {
  return [
    ...new Map(
      outpoints.map((each) => [formatOutpoint(each), { txid: each.txid, vout: each.vout }]),
    ).values(),
  ]
}
