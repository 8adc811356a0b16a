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
  listSmallest,
  type MarketCoinRow,
  nameCoins,
  reassignCoins,
} from './queries.ts'

/**
 * Grants the market's coins and permits transfers. No other module does either. Each grant is charged to a wallet and throws if a budget is
 * used up (budgets.ts). Anchors (330 sats) pay the fee of a transfer and recovery, tail coins the fee of a settlement. Pads are anchors in
 * place of a tail. A preflight selects free coins without reserving them, so preflights cannot exhaust the pool. The submit reserves them.
 * Two preflights may share a coin; the second submit then fails and needs a new preflight. See states.ts for all states and moves.
 */

type Use = 'listing' | 'counter' | 'reclaim' | 'purchase' | 'counter-acceptance'

export interface Charge {
  use: Use
  walletBindingId: string
  /** The wallet if it is unfunded. Unfunded wallets share a small budget. */
  takenBy: string | null
}

type Needs = Pick<Context, 'market' | 'config' | 'clock' | 'log'>
const ANCHORS: CoinSize = { lowSats: ANCHOR_SATS, highSats: ANCHOR_SATS }

export const coinOf = (row: MarketCoinRow, script: Uint8Array): Coin => ({
  txid: row.txid,
  vout: row.vout,
  valueSats: row.valueSats,
  script,
})

/**
 * Selects `count` anchors for a preflight. `newTransfers`: they are also for new transfers, at this fee rate in sat/vB. Throws `unavailable`
 * if the pool has too few, and `forbidden` or `conflict` if a budget is used up.
 */
export async function nameAnchors(
  context: Needs,
  tx: Transaction,
  charge: Charge,
  { count, newTransfers }: { count: number; newTransfers?: { feeRateSatVb: number } | null },
): Promise<Coin[]> {
  const { market, config, clock } = context
  const { walletBindingId } = charge
  if (newTransfers)
    await logged(context, charge, assertMayEnd(context, tx, { walletBindingId, ...newTransfers }))
  const rows = await nameCoins(tx, { ...ANCHORS, count, now: clock() })
  if (rows.length < count)
    throw unavailable(
      'market-coins-exhausted',
      'The market has no free anchor coins. Retry after the next block.',
    )
  if (charge.takenBy) await refuseOverBudget(config, tx, charge.takenBy, count)
  return rows.map((row) => coinOf(row, market.coinScript))
}

export const tailSizeOf = (tailSats: number): CoinSize => ({
  lowSats: Math.floor(tailSats / 2),
  highSats: tailSats * 2,
})

/** Selects a coin that can pay `feeSats`. */
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

/** Throws `unavailable` if no tail coin is free. For quotes. */
export async function assertTailFree({ config, reads }: Pick<Context, 'config' | 'reads'>): Promise<void> {
  if ((await findPool(reads, tailSizeOf(config.tailSats))).freeTails === 0) throw noTail()
}

const noTail = () =>
  unavailable('market-coins-exhausted', 'The market has no free fee coin. Retry after the next block.')

/** Reserves a preflight's coins for an order. Throws `conflict` if one is already reserved. */
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
      `A market coin of the preflight (one of ${coins.map(formatOutpoint).join(', ')}) is no longer free. Request a new preflight.`,
    )
  if (takenBy) await refuseOverBudget(config, tx, takenBy, 0)
}

/**
 * Reserves the anchor of a transfer. `isKnown` means that an earlier order had an identical transfer, whose retired anchor is reassigned.
 */
export async function takeAnchor(
  context: Pick<Context, 'config'>,
  tx: Transaction,
  charge: Charge,
  anchor: Outpoint,
  { handle, isKnown }: { handle: string; isKnown: boolean },
): Promise<void> {
  const { walletBindingId: causedBy, takenBy } = charge
  const retiredHandle = isKnown ? await findRetiredHandle(tx, anchor) : null
  if (
    retiredHandle &&
    (await reassignCoins(tx, [anchor], retiredHandle, { handle, causedBy, takenBy })) === 1
  )
    return
  await takeNamed(context, tx, charge, [anchor], handle)
}

/**
 * Permits a trade to send transfers, which may confirm without their settlement. Call before signing. Throws `conflict` if a budget is used
 * up.
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

async function logged(
  { log }: Pick<Context, 'log'>,
  { use, walletBindingId }: Pick<Charge, 'use' | 'walletBindingId'>,
  check: Promise<void>,
): Promise<void> {
  await check.catch((error: unknown) => {
    if (error instanceof Fault)
      log.info({ use, walletBindingId, code: error.code }, 'trade rejected, a budget is used up')
    throw error
  })
}

/** Selects the smallest sufficient coin for a transaction of the market. `writeCoins` takes it. */
export async function grantToMarket(sql: Queryable, leastSats: number): Promise<MarketCoinRow | null> {
  const size = { lowSats: leastSats, highSats: Number.MAX_SAFE_INTEGER }
  const [row] = await listSmallest(sql, { ...size, count: 1 })
  return row ?? null
}

/** Selects the smallest free tail coins. `writeCoins` takes them. */
export const grantTails = (sql: Queryable, tailSats: number, count: number): Promise<MarketCoinRow[]> =>
  listSmallest(sql, { ...tailSizeOf(tailSats), count })

/** Share of the anchor pool that is reserved for funded wallets. */
const LEFT_FOR_OTHERS = 1 / 4

/** Throws if `more` coins would exceed the limit of an unfunded wallet or of all of them. */
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
      `A wallet with less than ${funds} can use at most ${config.unfundedCoins} market coins at a time. A listing uses two. Delist an item or fund the address.`,
    )
  if (all + more > config.unfundedCoinsTotal || free - more < config.anchorPool * LEFT_FOR_OTHERS)
    throw unavailable(
      'market-coins-exhausted',
      `No market coins are available for a wallet with less than ${funds}. Fund the address or retry later.`,
    )
}
