import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { keyWitness } from '@ordbook/bitcoin/psbt.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Coin, type Layout, signedVsizeOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Queryable, type Transaction } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import { settlementFeeRate } from './fee-rates.ts'
import type { MarketKey } from './market-key.ts'
import {
  applyCoins,
  assignCoins,
  countFree,
  insertMarketTransaction,
  listIntendedTransactions,
  listRetired,
  type MarketCoinRow,
  reserveCoins,
  undoCoins,
} from './queries.ts'

/**
 * The market's own small coins. Anchors (330 sats) pay the fee of a listing's transfer and recovery; tail coins carry
 * the fee of a settlement. The follower sees them come and go, preflights reserve them, and when few are free the pool
 * splits a larger coin. A coin is used only once confirmed, and an anchor whose listing ended is retired: it is spent
 * by the next split, after which the listing's transfer can never confirm.
 */
export const coinOf = (row: MarketCoinRow, script: Uint8Array): Coin => ({ ...row, script })

/** Reserves anchors for a handle. Throws unavailable when the pool has too few. */
export async function reserveAnchors(
  { market, clock }: Pick<Context, 'market' | 'clock'>,
  tx: Queryable,
  want: { handle: string; until: Date; count: number },
): Promise<Coin[]> {
  const rows = await reserveCoins(tx, { ...want, lowSats: ANCHOR_SATS, highSats: ANCHOR_SATS, now: clock() })
  if (rows.length < want.count)
    throw unavailable('The market has no free anchor coins right now; try again after the next block')
  return rows.map((row) => coinOf(row, market.coinScript))
}

/** Reserves one coin that can carry `feeSats`. Throws unavailable when there is none. */
export async function reserveTail(
  { market, config, clock }: Pick<Context, 'market' | 'config' | 'clock'>,
  tx: Queryable,
  want: { handle: string; until: Date; feeSats: number },
): Promise<Coin> {
  const lowSats = Math.max(want.feeSats + ANCHOR_SATS, Math.floor(config.tailSats / 2))
  const [row] = await reserveCoins(tx, {
    handle: want.handle,
    until: want.until,
    count: 1,
    lowSats,
    highSats: Math.max(config.tailSats * 2, want.feeSats * 2),
    now: clock(),
  })
  if (!row) throw unavailable('The market has no free fee coin right now; try again after the next block')
  return coinOf(row, market.coinScript)
}

/** Outputs that one split makes at most, so that it stays a small transaction. */
const MOST_PIECES = 250

/** Splits a larger coin when few pieces are free, and spends retired anchors. Gives the txid it sent, or null. */
export async function replenish(context: Context): Promise<string | null> {
  const { sql, config, clock, market, node, log } = context
  const free = await countFree(sql, clock(), config.tailSats)
  const anchors = free.anchors < config.anchorPool / 2 ? config.anchorPool - free.anchors : 0
  const tails = free.tails < config.tailPool / 2 ? config.tailPool - free.tails : 0
  if (anchors + tails === 0) return null
  const pieces = [
    ...Array<number>(Math.min(tails, MOST_PIECES / 2)).fill(config.tailSats),
    ...Array<number>(Math.min(anchors, MOST_PIECES / 2)).fill(ANCHOR_SATS),
  ]
  const rate = await settlementFeeRate(context)
  const split = await inTransaction(sql, async (tx) => {
    const handle = randomUUID()
    const neededSats = sumSats(pieces) + feeOf(200 + 43 * pieces.length, rate)
    const [source] = await reserveCoins(tx, {
      handle,
      until: null,
      count: 1,
      lowSats: neededSats,
      highSats: Number.MAX_SAFE_INTEGER,
      now: clock(),
    })
    if (!source) return null
    const retired = await listRetired(tx, 50)
    const layout = splitLayout(market, [source, ...retired], pieces, rate)
    const signed = transactionOf(layout)
    for (const [i, { spend }] of layout.inputs.entries())
      if (spend.by === 'key') signed.inputs[i]!.witness = keyWitness(spend, market.signCoin(layout, i))
    await assignCoins(tx, handle, retired)
    await insertMarketTransaction(tx, { txid: txidOf(signed), handle, rawHex: hexOfTransaction(signed) })
    return { txid: txidOf(signed), rawHex: hexOfTransaction(signed) }
  })
  if (!split) {
    log.warn(
      { ...free, anchorsWanted: anchors, tailsWanted: tails },
      'market coins run low: send funds to the market address',
    )
    return null
  }
  await node.submitPackage([split.rawHex])
  log.info({ txid: split.txid, anchors, tails }, 'split a market coin')
  return split.txid
}

function splitLayout(
  market: MarketKey,
  coins: readonly MarketCoinRow[],
  pieces: readonly number[],
  feeRateSatVb: number,
): Layout {
  const output = (valueSats: number) => ({ role: 'anchor', valueSats, script: market.coinScript }) as const
  const layout: Layout = {
    version: 2,
    inputs: coins.map((row) => ({
      role: 'anchor',
      coin: coinOf(row, market.coinScript),
      signer: 'market',
      spend: { by: 'key', ...market.coins },
    })),
    outputs: [...pieces.map(output), output(0)],
  }
  const inputSats = sumSats(coins.map((coin) => coin.valueSats))
  const rest = inputSats - sumSats(pieces) - feeOf(signedVsizeOf(layout), feeRateSatVb)
  layout.outputs.pop()
  if (rest >= ANCHOR_SATS) layout.outputs.push(output(rest))
  return layout
}

/** Sends again what was written and is not confirmed: after a crash, or when a mempool forgot it. */
export async function resumeMarketTransactions({ sql, node, log }: Context): Promise<void> {
  for (const { txid, rawHex } of await listIntendedTransactions(sql)) {
    if (await node.isInMempool(txid)) continue
    const verdict = await node.submitPackage([rawHex])
    if (!verdict.ok)
      log.warn({ txid, reasons: [...verdict.reasons.values()] }, 'a market transaction is refused')
  }
}

/** Keeps market_coins equal to what the chain holds under the market's script. */
export function anchorsOnBlock(market: MarketKey): BlockConsumer {
  return {
    name: 'anchors',
    async apply(tx: Transaction, block) {
      const made: MarketCoinRow[] = []
      const spent: Outpoint[] = []
      for (const { txid, tx: transaction, prevouts } of block.transactions) {
        for (const [vout, output] of transaction.outputs.entries())
          if (equalBytes(output.script, market.coinScript))
            made.push({ txid, vout, valueSats: output.valueSats })
        for (const [i, prevout] of prevouts.entries())
          if (equalBytes(prevout.script, market.coinScript)) spent.push(transaction.inputs[i]!)
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

function dedupe(outpoints: readonly Outpoint[]): Outpoint[] {
  return [
    ...new Map(
      outpoints.map((each) => [formatOutpoint(each), { txid: each.txid, vout: each.vout }]),
    ).values(),
  ]
}
