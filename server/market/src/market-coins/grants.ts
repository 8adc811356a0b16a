import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict, Fault, forbidden, unavailable } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { assertMayEnd, assertMayStrand } from './budgets.ts'
import {
  type CoinSize,
  countTaken,
  findPool,
  findRetiredHandle,
  holdCoins,
  lockSmallest,
  type MarketCoinRow,
  nameCoins,
  reassignCoins,
} from './queries.ts'

/**
 * The only module that hands out the market's coins, and the only one that lets the market send a transfer. Each grant names
 * the wallet and the use that it is charged to, and is refused if the wallet or the market has spent its budget (budgets.ts).
 * Anchors (330 sats) pay the fee of a listing's transfer and recovery; tail coins carry the fee of a settlement; pads are
 * anchors used in place of a tail. A preflight names free coins and holds none, so it costs the market nothing and leaves them
 * to other wallets; a submit, with signatures that commit to them, takes them. Of two preflights that name the same coin, the
 * second must be prepared again; that happens only while all other coins are named already. states.ts has every state and move.
 */

/** The uses of the market's coins. The anchor of a listing or counter must be spent by the market if it ends without a trade. */
type Use = 'listing' | 'counter' | 'reclaim' | 'purchase' | 'counter-acceptance'

/** The wallet that a grant is charged to, and the use. */
export interface Charge {
  use: Use
  walletBindingId: string
  /** The same wallet if it has no funds: such wallets share a small budget. */
  takenBy: string | null
}

type Needs = Pick<Context, 'market' | 'config' | 'clock' | 'node' | 'log'>
const ANCHORS: CoinSize = { lowSats: ANCHOR_SATS, highSats: ANCHOR_SATS }

export const coinOf = (row: MarketCoinRow, script: Uint8Array): Coin => ({
  txid: row.txid,
  vout: row.vout,
  valueSats: row.valueSats,
  script,
})

/**
 * Names anchors for a preflight, `transfers` of them for transfers that did not exist before. Throws unavailable if the pool has
 * too few, forbidden if a wallet without funds would hold too many, conflict if the wallet has spent its budget.
 */
export async function nameAnchors(
  context: Needs,
  tx: Transaction,
  charge: Charge,
  { count, transfers = 0 }: { count: number; transfers?: number },
): Promise<Coin[]> {
  const { market, config, clock } = context
  if (transfers > 0) await logged(context, charge, assertMayEnd(context, tx, charge.walletBindingId))
  const rows = await nameCoins(tx, { ...ANCHORS, count, now: clock() })
  if (rows.length < count)
    throw unavailable(
      'market-coins-exhausted',
      'The market has no free anchor coins right now; try again after the next block',
    )
  if (charge.takenBy) await refuseOverBudget(config, tx, charge.takenBy, count)
  return rows.map((row) => coinOf(row, market.coinScript))
}

/** The size of free coins that count as tail coins. */
export const tailSizeOf = (tailSats: number): CoinSize => ({
  lowSats: Math.floor(tailSats / 2),
  highSats: tailSats * 2,
})

/** Names one coin that can pay `feeSats`. Throws unavailable if there is none. */
export async function nameTail(
  { market, config, clock }: Pick<Needs, 'market' | 'config' | 'clock'>,
  sql: Queryable,
  feeSats: number,
): Promise<Coin> {
  const size = tailSizeOf(config.tailSats)
  const lowSats = Math.max(feeSats + ANCHOR_SATS, size.lowSats)
  const highSats = Math.max(size.highSats, feeSats * 2)
  const [row] = await nameCoins(sql, { lowSats, highSats, count: 1, now: clock() })
  if (!row) throw noTail()
  return coinOf(row, market.coinScript)
}

/** For a quote, which names no coin. Throws unavailable if no tail coin is free. */
export async function assertTailFree({ config, reads }: Pick<Context, 'config' | 'reads'>): Promise<void> {
  if ((await findPool(reads, tailSizeOf(config.tailSats))).freeTails === 0) throw noTail()
}

const noTail = () =>
  unavailable(
    'market-coins-exhausted',
    'The market has no free fee coin right now; try again after the next block',
  )

/** Holds the coins that a preflight named, for an order. Throws conflict if another submit was first. */
export async function takeNamed(
  { config }: Pick<Context, 'config'>,
  tx: Transaction,
  { walletBindingId: causedBy, takenBy }: Charge,
  coins: readonly Outpoint[],
  handle: string,
): Promise<void> {
  if ((await holdCoins(tx, coins, { handle, causedBy, takenBy })) < coins.length)
    throw conflict(
      'preflight-outdated',
      `A coin of the market that this was prepared with (of ${coins.map(formatOutpoint).join(', ')}) is in use by now: prepare it again`,
    )
  if (takenBy) await refuseOverBudget(config, tx, takenBy, 0)
}

/**
 * Holds the anchor of a transfer. `isKnown`: an earlier order had the same transfer, so its retired anchor is used. Throws conflict if the
 * anchor is in use.
 */
export async function takeAnchor(
  context: Pick<Context, 'config'>,
  tx: Transaction,
  charge: Charge,
  anchor: Outpoint,
  { handle, isKnown }: { handle: string; isKnown: boolean },
): Promise<void> {
  const { walletBindingId: causedBy, takenBy } = charge
  const before = isKnown ? await findRetiredHandle(tx, anchor) : null
  if (before && (await reassignCoins(tx, [anchor], before, { handle, causedBy, takenBy })) === 1) return
  await takeNamed(context, tx, charge, [anchor], handle)
}

/**
 * Lets a trade send transfers that may confirm without their settlement. Call it before they are signed. Throws conflict if the
 * wallet or the market has spent its budget.
 */
export async function allowTransfers(
  context: Pick<Context, 'config' | 'clock' | 'log'>,
  tx: Transaction,
  charge: Pick<Charge, 'use' | 'walletBindingId'>,
  transfers: number,
): Promise<void> {
  const { walletBindingId } = charge
  if (transfers > 0)
    await logged(context, charge, assertMayStrand(context, tx, { walletBindingId, transfers }))
}

/** Logs the refusal of a budget for the operator. */
async function logged(
  { log }: Pick<Context, 'log'>,
  { use, walletBindingId }: Pick<Charge, 'use' | 'walletBindingId'>,
  check: Promise<void>,
): Promise<void> {
  await check.catch((error: unknown) => {
    if (error instanceof Fault)
      log.info({ use, walletBindingId, code: error.code }, 'a budget of the market refuses a trade')
    throw error
  })
}

/** Takes the smallest free coin of at least this value for a transaction of the market; null if there is none. */
export async function takeForMarket(tx: Transaction, leastSats: number): Promise<MarketCoinRow | null> {
  const size = { lowSats: leastSats, highSats: Number.MAX_SAFE_INTEGER }
  const [row] = await lockSmallest(tx, { ...size, count: 1 })
  return row ?? null
}

/** Takes the smallest free tail coins for a transaction of the market. */
export const takeTails = (tx: Transaction, tailSats: number, count: number): Promise<MarketCoinRow[]> =>
  lockSmallest(tx, { ...tailSizeOf(tailSats), count })

/** Of a pool, the part that wallets without funds leave to the others. */
const LEFT_FOR_OTHERS = 1 / 4

/**
 * Throws forbidden if an unfunded wallet would hold more than its limit, unavailable if all of them together would; `more`: coins requested
 * now.
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
