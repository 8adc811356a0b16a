import { randomUUID } from 'node:crypto'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Signed } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { allowanceLeft, endedLeft, sinceOf } from './budgets.ts'
import { isChild, takeForChildren } from './children.ts'
import { coinOf, tailSizeOf, takeForMarket, takeTails } from './grants.ts'
import type { Cause } from './ledger.ts'
import { insertCauses, insertCausesOfCoins } from './ledger-queries.ts'
import {
  findDemand,
  findPool,
  listRetired,
  type MarketCoinRow,
  matureCoins,
  type PoolRow,
  type RetiredRow,
  spendCoins,
} from './queries.ts'
import { COVERED } from './shares.ts'
import {
  failMarketTransaction,
  insertMarketTransaction,
  isUnderWay,
  listIntendedTransactions,
  type Purpose,
} from './transaction-queries.ts'

/**
 * Maintains the market's coins: splits a large one if few small ones are free, merges surplus tail coins, and spends the anchors of ended
 * listings, after which their pre-signed transfers can never confirm. Each transaction is stored before it is sent, resent until it
 * confirms, and given up if the network rejects it.
 */
const INPUT_VSIZE = 57.5
const OUTPUT_VSIZE = 43
const FRAME_VSIZE = 10.5

const feeFor = (inputs: number, outputs: number, feeRateSatVb: number) =>
  feeOf(FRAME_VSIZE + INPUT_VSIZE * inputs + OUTPUT_VSIZE * outputs, feeRateSatVb)

/** Maximum number of pieces of a kind per split, to keep the transaction small. */
const MAX_PIECES = 125
/** Anchors, or surplus tail coins, that one transaction spends at most. */
const MAX_VOIDED = 100
const MAX_MERGED = 100
/** Anchors of one inscription and wallet that are spent in a day; the next waits, and serves the inscription if it is listed again. */
const VOIDS_A_DAY = 2

/** The number of inputs or outputs of a size that fit into a transaction within the signer's fee limit. */
const mostAt = (
  { signerMaxFeePerCallSats }: Context['config'],
  rate: number,
  restVsize: number,
  eachVsize: number,
) => Math.max(Math.floor((signerMaxFeePerCallSats / rate - restVsize) / eachVsize), 0)

/** Tail coins that the pool keeps for each trade of the last hours, in case the next hours have more. */
const TAILS_PER_TRADE = 3
/** Maximum share of all its sats that the market keeps in tail coins. */
const MAX_IN_TAILS = 1 / 2
/** Fee rate above which surplus tail coins wait, in sat/vB. */
const MERGE_MAX_SAT_VB = 5

export interface Pool extends PoolRow {
  /** Tail coins that the market wants free: its idle number, or more after a busy time. */
  wantedTails: number
  low: boolean
}

/**
 * Returns the pool and its target size. The number of tail coins follows the trades of the last hours. Making and merging tail coins above
 * the idle number may cost the part of these trades' fees that covers no wallet's costs. `rate`: the fee rate, in sat/vB.
 */
export async function poolOf(
  { sql, config, clock }: Pick<Context, 'sql' | 'config' | 'clock'>,
  rate: number,
): Promise<Pool> {
  const pool = await findPool(sql, tailSizeOf(config.tailSats))
  const since = new Date(clock().getTime() - config.tailDemandSeconds * 1000)
  const { trades, earnedSats } = await findDemand(sql, since)
  const eachSats = (OUTPUT_VSIZE + INPUT_VSIZE) * rate
  const extra = Math.min(
    trades * TAILS_PER_TRADE,
    Math.floor((earnedSats * (1 - COVERED)) / eachSats),
    Math.max(Math.floor((pool.totalSats * MAX_IN_TAILS) / config.tailSats) - config.tailPool, 0),
  )
  const wantedTails = config.tailPool + extra
  const low = pool.freeAnchors < config.anchorPool / 2 || pool.freeTails < wantedTails / 2
  return { ...pool, wantedTails, low }
}

/** Splits a large coin when few small ones are free. Returns whether the pool has enough coins, or will have. */
export async function replenish(context: Context): Promise<boolean> {
  const { sql, config, log } = context
  await matureCoins(sql)
  const rate = await settlementFeeRate(context)
  const pool = await poolOf(context, rate)
  // A split under way will provide the coins.
  if (!pool.low || (await isUnderWay(sql, 'split'))) return true
  const most = mostAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, OUTPUT_VSIZE)
  const missingTails = Math.min(Math.max(pool.wantedTails - pool.freeTails, 0), MAX_PIECES)
  const missingAnchors = Math.min(Math.max(config.anchorPool - pool.freeAnchors, 0), MAX_PIECES)
  const tails = Math.min(missingTails, Math.max(Math.ceil(most / 2), most - missingAnchors))
  const anchors = Math.min(missingAnchors, most - tails)
  const pieces = [...Array<number>(tails).fill(config.tailSats), ...Array<number>(anchors).fill(ANCHOR_SATS)]
  if (pieces.length === 0) return false
  const feeSats = feeFor(1, pieces.length + 1, rate)
  const split = await inTransaction(sql, async (tx) => {
    const handle = randomUUID()
    // A coin that is a fee coin already is not worth splitting.
    const leastSats = Math.max(sumSats(pieces) + feeSats + ANCHOR_SATS, config.tailSats * 2 + 1)
    const source = await takeForMarket(tx, leastSats)
    if (!source) return null
    const rest = source.valueSats - sumSats(pieces) - feeSats
    return writeCoins(context, tx, {
      purpose: 'split',
      handle,
      coins: [source],
      outputSats: [...pieces, rest],
    })
  })
  if (!split) return false
  log.info({ txid: split.txid, anchors, tails }, 'split a market coin')
  await sendWritten(context, split)
  return true
}

/** Merges surplus tail coins if there are more than twice as many as needed and fees are low. */
export async function mergeSurplus(context: Context): Promise<void> {
  const { sql, config, log } = context
  const rate = await settlementFeeRate(context)
  const { freeTails, wantedTails } = await poolOf(context, rate)
  if (rate > MERGE_MAX_SAT_VB || freeTails <= 2 * wantedTails || (await isUnderWay(sql, 'merge'))) return
  const most = mostAt(config, rate, FRAME_VSIZE + OUTPUT_VSIZE, INPUT_VSIZE)
  const count = Math.min(freeTails - wantedTails, most, MAX_MERGED)
  if (count < 2) return
  const merge = await inTransaction(sql, async (tx) => {
    const coins = await takeTails(tx, config.tailSats, count)
    const outputSats = [sumSats(coins.map((coin) => coin.valueSats)) - feeFor(coins.length, 1, rate)]
    return writeCoins(context, tx, { purpose: 'merge', handle: randomUUID(), coins, outputSats })
  })
  log.info({ txid: merge.txid, tails: count }, 'put surplus tail coins together')
  await sendWritten(context, merge)
}

/** A replacement pays at least this much more for its own size, in sat/vB (Core's incremental relay fee). */
const STEP_SAT_VB = 1

/** The least fee of a void if transfers in the mempool spend its anchors: their fees, and a step (BIP-125). */
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
 * Spends retired anchors once the oldest has waited long enough, fees are low enough, and their share of the allowance is not used up.
 * Until then the market does not sign their transfers.
 */
export async function voidRetired(
  context: Context,
  spare: (tx: Transaction, handles: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<string | null> {
  const { sql, config, clock, log } = context
  const rate = await settlementFeeRate(context)
  if (rate > config.anchorSpendMaxSatVb) return null
  const leftSats = await endedLeft(await allowanceLeft(context, sql), sql, rate)
  const voiding = await inTransaction(sql, async (tx) => {
    const most = mostAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, INPUT_VSIZE)
    const retired = await listRetired(tx, {
      limit: Math.min(most, MAX_VOIDED),
      most: VOIDS_A_DAY,
      since: sinceOf(context).day,
    })
    const spared = await spare(
      tx,
      retired.map((coin) => coin.handle),
    )
    const coins = retired.filter((coin) => !spared.has(coin.handle))
    if (
      !coins.some(
        (coin: RetiredRow) =>
          clock().getTime() - coin.retiredAt.getTime() >= config.anchorSpendDelaySeconds * 1000,
      )
    )
      return null
    const handle = randomUUID()
    const feeSats = Math.max(
      feeFor(coins.length + 1, 1, rate),
      await replacementFee(context, coins, feeFor(coins.length + 1, 1, STEP_SAT_VB)),
    )
    if (feeSats > config.signerMaxFeePerCallSats || feeSats > leftSats) return null
    const payer = await takeForMarket(tx, feeSats)
    if (!payer) return null
    const all = [...coins, payer]
    const outputSats = [sumSats(all.map((coin) => coin.valueSats)) - feeSats]
    return writeCoins(context, tx, { purpose: 'void', handle, coins: all, outputSats })
  })
  if (!voiding) return null
  log.info({ txid: voiding.txid }, 'spent the anchors of ended listings')
  await sendWritten(context, voiding)
  return voiding.txid
}

/**
 * Signs a transaction among the market's coins and writes it down; send it once the caller's transaction is through.
 * `parents` are what it speeds up.
 */
export async function writeCoins(
  { signer, market }: Context,
  tx: Transaction,
  plan: {
    purpose: Purpose
    handle: string
    coins: readonly MarketCoinRow[]
    outputSats: readonly number[]
    parents?: readonly string[]
    causes?: readonly Cause[]
  },
): Promise<Signed & { handle: string }> {
  const coins = plan.coins.map((row) =>
    coinOf({ txid: row.txid, vout: row.vout, valueSats: row.valueSats }, market.coinScript),
  )
  const signed = await signer.signCoins({ coins, outputSats: plan.outputSats, parents: plan.parents ?? [] })
  await writeTransaction(tx, signed, plan, coins)
  return { ...signed, handle: plan.handle }
}

/**
 * Stores a signed transaction of the market, with the coins that it spends and its causes (by default the orders that hold the coins).
 * `holders` are the handles whose coins it may spend. Throws if a coin is held by another order.
 */
export async function writeTransaction(
  tx: Transaction,
  { txid, hex }: Signed,
  plan: { purpose: Purpose; handle: string; holders?: readonly string[]; causes?: readonly Cause[] },
  coins: readonly Outpoint[],
): Promise<void> {
  const { purpose, handle, holders = [handle], causes = [] } = plan
  await insertMarketTransaction(tx, { txid, handle, rawHex: hex, purpose })
  if (causes.length > 0) await insertCauses(tx, txid, causes)
  else await insertCausesOfCoins(tx, txid, purpose, coins)
  const others = await spendCoins(tx, coins, { txid, handle, holders })
  if (others.length > 0)
    throw new Error(`${purpose} ${txid} spends ${others.map(formatOutpoint)}, which others hold`)
}

/** Sends stored transactions that are not confirmed: new ones, after a crash, or after a mempool dropped them. */
export async function resumeMarketTransactions(context: Context): Promise<void> {
  const written = await listIntendedTransactions(context.sql)
  // A block may have made the coin of a child while the child was being written.
  if (written.some(isChild)) await inTransaction(context.sql, (tx) => takeForChildren(tx, written))
  for (const { txid, handle, rawHex } of written) await sendWritten(context, { txid, handle, hex: rawHex })
}

/** Sends a stored transaction. Returns false if the network rejects it; it and its coins are then given up. */
export async function sendWritten(
  { sql, node, log }: Context,
  { txid, handle, hex }: Signed & { handle: string },
): Promise<boolean> {
  if (await node.isInMempool(txid)) return true
  const verdict = await node.submitPackage([hex])
  if (verdict.ok) return true
  // If a block has it by now, the follower will find it; otherwise its coins are free for another attempt.
  await inTransaction(sql, (tx) => failMarketTransaction(tx, txid, handle))
  log.warn(
    { txid, reasons: [...verdict.reasons.values()] },
    'market transaction rejected, its coins are free again',
  )
  return false
}
