import { randomUUID } from 'node:crypto'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { inTransaction, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Signed } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { allowanceLeft, endedLeft, sinceOf } from './budgets.ts'
import { isChild, takeForChildren } from './children.ts'
import { coinOf, grantTails, grantToMarket, tailSizeOf } from './grants.ts'
import type { Cause } from './ledger.ts'
import { insertCauses, insertCausesOfCoins } from './ledger-queries.ts'
import {
  findDemand,
  findPool,
  listRetired,
  type MarketCoinRow,
  matureCoins,
  type PoolRow,
  spendCoins,
} from './queries.ts'
import { COVERED } from './shares.ts'
import { FRAME_VSIZE, feeFor, INPUT_VSIZE, maxCountAt, OUTPUT_VSIZE, planSplits } from './split-plan.ts'
import {
  failMarketTransaction,
  insertMarketTransaction,
  isUnderWay,
  listIntendedTransactions,
  type Purpose,
} from './transaction-queries.ts'

/**
 * Maintains the market's coins. Splits a large coin if few small ones are free, merges surplus tail coins, and spends the anchors of ended
 * listings to void their transfers. Each transaction is stored, then broadcast until it confirms. If the network rejects it, its coins are
 * released.
 */
const MAX_VOIDED = 100
const MAX_MERGED = 100
/** Maximum anchors spent per inscription, wallet and day. Waiting anchors can be reused. */
const VOIDS_A_DAY = 2

/** Extra tail coins per recent trade. */
const TAILS_PER_TRADE = 3
/** Maximum share of the market's sats in tail coins. */
const MAX_IN_TAILS = 1 / 2
/** Highest fee rate for merges, in sat/vB. */
const MERGE_MAX_SAT_VB = 5

export interface Pool extends PoolRow {
  /** Target number of free tail coins. */
  wantedTails: number
  low: boolean
  /** Value of a coin that pays for the smallest and for the largest useful split. Null if the signer's fee limit permits no split. */
  split: { leastSats: number; allSats: number } | null
  /** Low, without a coin to split. While a split is unconfirmed, its change is not counted yet. */
  empty: boolean
}

/**
 * Returns the pool and its target size at `rate` sat/vB. Recent trades raise the target above `tailPool`. The cost of the extra coins is
 * limited to a share of these trades' fees.
 */
export async function poolOf(
  { sql, config, clock }: { sql: Queryable } & Pick<Context, 'config' | 'clock'>,
  rate: number,
): Promise<Pool> {
  const pool = await findPool(sql, tailSizeOf(config.tailSats))
  const since = new Date(clock().getTime() - config.tailDemandSeconds * 1000)
  const { trades, earnedSats } = await findDemand(sql, since)
  const satsPerTail = (OUTPUT_VSIZE + INPUT_VSIZE) * rate
  const extra = Math.min(
    trades * TAILS_PER_TRADE,
    Math.floor((earnedSats * (1 - COVERED)) / satsPerTail),
    Math.max(Math.floor((pool.totalSats * MAX_IN_TAILS) / config.tailSats) - config.tailPool, 0),
  )
  const wantedTails = config.tailPool + extra
  const low = pool.freeAnchors < config.anchorPool / 2 || pool.freeTails < wantedTails / 2
  const plans = planSplits(config, { ...pool, wantedTails }, rate)
  const split =
    plans.length > 0 ? { leastSats: plans.at(-1)!.sourceSats, allSats: plans[0]!.sourceSats } : null
  const isShort = low && split !== null && pool.largestSats < split.leastSats
  const empty = isShort && !(await isUnderWay(sql, 'split'))
  return { ...pool, wantedTails, low, split, empty }
}

/**
 * Splits a large coin if few small coins are free, into fewer coins if it cannot pay for all. Returns false if the pool is low and no split
 * is pending.
 */
export async function replenish(context: Context): Promise<boolean> {
  const { sql, config, log } = context
  await matureCoins(sql)
  const rate = await settlementFeeRate(context)
  const pool = await poolOf(context, rate)
  if (!pool.low || (await isUnderWay(sql, 'split'))) return true
  for (const { anchors, tails, pieces, sourceSats } of planSplits(config, pool, rate)) {
    const source = await grantToMarket(sql, sourceSats)
    if (!source) continue
    const spentSats = sumSats(pieces) + feeFor(1, pieces.length + 1, rate)
    const outputSats = [...pieces, source.valueSats - spentSats]
    const split = await writeCoins(context, { purpose: 'split', coins: [source], outputSats })
    if (!split) return false
    log.info({ txid: split.txid, anchors, tails }, 'split a market coin')
    await sendWritten(context, split)
    return true
  }
  return false
}

/** Merges surplus tail coins while fees are low. */
export async function mergeSurplus(context: Context): Promise<void> {
  const { sql, config, log } = context
  const rate = await settlementFeeRate(context)
  const { freeTails, wantedTails } = await poolOf(context, rate)
  if (rate > MERGE_MAX_SAT_VB || freeTails <= 2 * wantedTails || (await isUnderWay(sql, 'merge'))) return
  const maxInputs = maxCountAt(config, rate, FRAME_VSIZE + OUTPUT_VSIZE, INPUT_VSIZE)
  const count = Math.min(freeTails - wantedTails, maxInputs, MAX_MERGED)
  if (count < 2) return
  const coins = await grantTails(sql, config.tailSats, count)
  const outputSats = [sumSats(coins.map((coin) => coin.valueSats)) - feeFor(coins.length, 1, rate)]
  const merge = await writeCoins(context, { purpose: 'merge', coins, outputSats })
  if (!merge) return
  log.info({ txid: merge.txid, tails: count }, 'merged surplus tail coins')
  await sendWritten(context, merge)
}

/** Bitcoin Core's incremental relay fee, in sat/vB. */
const STEP_SAT_VB = 1

/** Returns the minimum fee to replace transfers in the mempool (BIP-125). */
async function replacementFee(
  { node }: Context,
  anchors: readonly MarketCoinRow[],
  stepSats: number,
): Promise<number> {
  let replacedSats = 0
  for (const anchor of anchors) if (await node.spenderInMempool(anchor)) replacedSats += anchor.valueSats
  return replacedSats === 0 ? 0 : replacedSats + stepSats
}

/**
 * Spends retired anchors once fees and the allowance permit. Until then the market only refuses to sign their transfers. `spare` returns
 * handles whose coins must not be spent.
 */
export async function voidRetired(
  context: Context,
  spare: (sql: Queryable, handles: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<string | null> {
  const { sql, config, clock, log } = context
  const rate = await settlementFeeRate(context)
  if (rate > config.anchorSpendMaxSatVb) return null
  const leftSats = await endedLeft(await allowanceLeft(context, sql), sql, rate)
  const maxInputs = maxCountAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, INPUT_VSIZE)
  const retired = await listRetired(sql, {
    limit: Math.min(maxInputs, MAX_VOIDED),
    most: VOIDS_A_DAY,
    since: sinceOf(context).day,
  })
  const spared = await spare(
    sql,
    retired.map((coin) => coin.handle),
  )
  const coins = retired.filter((coin) => !spared.has(coin.handle))
  const delayMilliseconds = config.anchorSpendDelaySeconds * 1000
  if (!coins.some(({ retiredAt }) => clock().getTime() - retiredAt.getTime() >= delayMilliseconds))
    return null
  const feeSats = Math.max(
    feeFor(coins.length + 1, 1, rate),
    await replacementFee(context, coins, feeFor(coins.length + 1, 1, STEP_SAT_VB)),
  )
  if (feeSats > config.signerMaxFeePerCallSats || feeSats > leftSats) return null
  const payer = await grantToMarket(sql, feeSats)
  if (!payer) return null
  const all = [...coins, payer]
  const outputSats = [sumSats(all.map((coin) => coin.valueSats)) - feeSats]
  const retiredFor = coins.map((coin) => coin.handle)
  const voiding = await writeCoins(
    context,
    { purpose: 'void', coins: all, outputSats, retiredFor },
    async (tx) => {
      if ((await spare(tx, retiredFor)).size > 0) throw new CoinsTaken('an anchor is needed for a recovery')
    },
  )
  if (!voiding) return null
  log.info({ txid: voiding.txid, anchors: coins.length, feeSats }, 'spent the anchors of ended listings')
  await sendWritten(context, voiding)
  return voiding.txid
}

/** Thrown in a transaction that then rolls back: another order has taken a coin since it was selected. */
class CoinsTaken extends Error {}

/**
 * Signs a transaction from and to the market's coins, then stores it. Broadcast it afterwards. `parents` are the transactions that it
 * bumps, `retiredFor` the handles whose retired coins it can spend. `store` runs in the same database transaction. Returns null if another
 * order has taken a coin in the meantime.
 */
export async function writeCoins(
  { sql, signer, market }: Context,
  plan: {
    purpose: Purpose
    coins: readonly MarketCoinRow[]
    outputSats: readonly number[]
    parents?: readonly string[]
    causes?: readonly Cause[]
    retiredFor?: readonly string[]
  },
  store?: (tx: Transaction, signed: Signed) => Promise<void>,
): Promise<(Signed & { handle: string }) | null> {
  const handle = randomUUID()
  const { purpose, causes = [], retiredFor = [] } = plan
  const coins = plan.coins.map((row) =>
    coinOf({ txid: row.txid, vout: row.vout, valueSats: row.valueSats }, market.coinScript),
  )
  const signed = await signer.signCoins({ coins, outputSats: plan.outputSats, parents: plan.parents ?? [] })
  try {
    await inTransaction(sql, async (tx) => {
      await writeTransaction(tx, signed, { purpose, handle, causes, retiredFor }, coins)
      await store?.(tx, signed)
    })
  } catch (error) {
    if (error instanceof CoinsTaken) return null
    throw error
  }
  return { ...signed, handle }
}

/**
 * Stores a signed transaction of the market with its causes, and marks its coins as spending. `holders` are the handles whose coins it can
 * spend. Throws CoinsTaken if a coin is reserved for another order.
 */
export async function writeTransaction(
  tx: Transaction,
  { txid, hex }: Signed,
  plan: {
    purpose: Purpose
    handle: string
    holders?: readonly string[]
    causes?: readonly Cause[]
    retiredFor?: readonly string[]
  },
  coins: readonly Outpoint[],
): Promise<void> {
  const { purpose, handle, holders = [handle], causes = [], retiredFor } = plan
  await insertMarketTransaction(tx, { txid, handle, rawHex: hex, purpose })
  if (causes.length > 0) await insertCauses(tx, txid, causes)
  else await insertCausesOfCoins(tx, txid, purpose, coins)
  const others = await spendCoins(tx, coins, { txid, handle, holders, retiredFor })
  if (others.length > 0)
    throw new CoinsTaken(
      `${purpose} ${txid} spends coins reserved for other orders: ${others.map(formatOutpoint)}`,
    )
}

/** Rebroadcasts unconfirmed stored transactions, for example after a crash. */
export async function resumeMarketTransactions(context: Context): Promise<void> {
  const stored = await listIntendedTransactions(context.sql)
  // A block may have created a child's coin in the meantime.
  if (stored.some(isChild)) await inTransaction(context.sql, (tx) => takeForChildren(tx, stored))
  for (const { txid, handle, rawHex } of stored) await sendWritten(context, { txid, handle, hex: rawHex })
}

/** Broadcasts a stored transaction. If the network rejects it, releases its coins and returns false. */
export async function sendWritten(
  { sql, node, log }: Context,
  { txid, handle, hex }: Signed & { handle: string },
): Promise<boolean> {
  if (await node.isInMempool(txid)) return true
  const verdict = await node.submitPackage([hex])
  if (verdict.ok) return true
  // If it has confirmed in the meantime, the block consumer records that.
  await inTransaction(sql, (tx) => failMarketTransaction(tx, txid, handle))
  log.warn(
    { txid, reasons: [...verdict.reasons.values()] },
    'market transaction rejected, its coins are free again',
  )
  return false
}
