import { randomUUID } from 'node:crypto'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Signed } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { coinOf } from './anchors.ts'
import { isChild, takeForChildren } from './children.ts'
import type { Cause } from './ledger.ts'
import { insertCauses, insertCausesOfCoins } from './ledger-queries.ts'
import {
  findPool,
  listRetired,
  lockSmallest,
  type MarketCoinRow,
  matureCoins,
  type PoolRow,
  type RetiredRow,
  spendCoins,
} from './queries.ts'
import {
  failMarketTransaction,
  insertMarketTransaction,
  isUnderWay,
  listIntendedTransactions,
  type Purpose,
} from './transaction-queries.ts'

/**
 * Looks after the market's own coins: splits a large one when few small ones are free, and spends the anchors of ended
 * listings, after which their pre-signed transfers can never confirm. Each transaction is written down before it is sent, sent
 * again until it confirms, and given up when the network refuses it.
 */
const INPUT_VSIZE = 57.5
const OUTPUT_VSIZE = 43
const FRAME_VSIZE = 10.5

const feeFor = (inputs: number, outputs: number, feeRateSatVb: number) =>
  feeOf(FRAME_VSIZE + INPUT_VSIZE * inputs + OUTPUT_VSIZE * outputs, feeRateSatVb)

/** Pieces of a kind that one split makes at most, so that it stays a small transaction. */
const MOST_PIECES = 125
/** Anchors that are spent at once at most. */
const MOST_VOIDED = 100

/** Of inputs or outputs of a size, the number that fits beside the rest of a transaction which the signer still pays for. */
const mostAt = (
  { signerMaxFeePerCallSats }: Context['config'],
  rate: number,
  restVsize: number,
  eachVsize: number,
) => Math.max(Math.floor((signerMaxFeePerCallSats / rate - restVsize) / eachVsize), 0)

/** The pool, and what it lacks. */
export async function poolOf({
  sql,
  config,
}: Pick<Context, 'sql' | 'config'>): Promise<PoolRow & { low: boolean }> {
  const pool = await findPool(sql, config.tailSats)
  const low = pool.freeAnchors < config.anchorPool / 2 || pool.freeTails < config.tailPool / 2
  return { ...pool, low }
}

/** Splits a large coin when few small ones are free. Returns whether the pool has enough coins, or will have. */
export async function replenish(context: Context): Promise<boolean> {
  const { sql, config, log } = context
  await matureCoins(sql)
  const pool = await poolOf(context)
  // A split under way will provide the coins.
  if (!pool.low || (await isUnderWay(sql, 'split'))) return true
  const rate = await settlementFeeRate(context)
  const most = mostAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, OUTPUT_VSIZE)
  const missingTails = Math.min(Math.max(config.tailPool - pool.freeTails, 0), MOST_PIECES)
  const missingAnchors = Math.min(Math.max(config.anchorPool - pool.freeAnchors, 0), MOST_PIECES)
  const tails = Math.min(missingTails, Math.max(Math.ceil(most / 2), most - missingAnchors))
  const anchors = Math.min(missingAnchors, most - tails)
  const pieces = [...Array<number>(tails).fill(config.tailSats), ...Array<number>(anchors).fill(ANCHOR_SATS)]
  if (pieces.length === 0) return false
  const feeSats = feeFor(1, pieces.length + 1, rate)
  const split = await inTransaction(sql, async (tx) => {
    const handle = randomUUID()
    // A coin that is a fee coin already is not worth splitting.
    const leastSats = Math.max(sumSats(pieces) + feeSats + ANCHOR_SATS, config.tailSats * 2 + 1)
    const source = await takeCoin(tx, leastSats)
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

/** Spends retired anchors, once the oldest has waited its time and fees are not too high. */
export async function voidRetired(
  context: Context,
  spare: (tx: Transaction, handles: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<string | null> {
  const { sql, config, clock, log } = context
  const rate = await settlementFeeRate(context)
  if (rate > config.anchorSpendMaxSatVb) return null
  const voiding = await inTransaction(sql, async (tx) => {
    const most = mostAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, INPUT_VSIZE)
    const retired = await listRetired(tx, Math.min(most, MOST_VOIDED))
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
    if (feeSats > config.signerMaxFeePerCallSats) return null
    const payer = await takeCoin(tx, feeSats)
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

/** The smallest free coin of at least so many sats, locked for the transaction that will spend it; null when there is none. */
export async function takeCoin(tx: Transaction, leastSats: number): Promise<MarketCoinRow | null> {
  const size = { lowSats: leastSats, highSats: Number.MAX_SAFE_INTEGER }
  const [row] = await lockSmallest(tx, { ...size, count: 1 })
  return row ?? null
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
 * Writes a signed transaction of the market down, with the coins it spends and what causes it: `causes`, or else the orders
 * that the coins are held for. `holders` are the handles whose coins it may spend. Throws when a coin is another order's.
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

/** Sends what was written and is not confirmed: at once, after a crash, or when a mempool forgot it. */
export async function resumeMarketTransactions(context: Context): Promise<void> {
  const written = await listIntendedTransactions(context.sql)
  // A block may have made the coin of a child while the child was being written.
  if (written.some(isChild)) await inTransaction(context.sql, (tx) => takeForChildren(tx, written))
  for (const { txid, handle, rawHex } of written) await sendWritten(context, { txid, handle, hex: rawHex })
}

/** Sends a transaction that is written down; false: the network refuses it, and it and its coins are given up. */
export async function sendWritten(
  { sql, node, log }: Context,
  { txid, handle, hex }: Signed & { handle: string },
): Promise<boolean> {
  if (await node.isInMempool(txid)) return true
  const verdict = await node.submitPackage([hex])
  if (verdict.ok) return true
  // If a block holds it by now, the follower will find it; else its coins are free for another try.
  await inTransaction(sql, (tx) => failMarketTransaction(tx, txid, handle))
  log.warn(
    { txid, reasons: [...verdict.reasons.values()] },
    'a market transaction is refused: trying another',
  )
  return false
}
