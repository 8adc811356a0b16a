import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase } from '@ordbook/bitcoin/trade/purchase.ts'
import { decodeTransaction, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { unpack } from '../db/pack.ts'
import { settlementFeeRate } from '../engine/fee-rates.ts'
import { sendWritten, takeCoin, writeCoins } from '../engine/pool.ts'
import type { MarketCoinRow } from '../engine/queries.ts'
import type { SettlementRequest } from '../signer/signer.ts'
import { listLive, type PurchaseRow, setBump } from './queries.ts'

/**
 * A settlement that waits below the fee market is sped up by the market alone: a child spends the largest of the
 * market's own outputs, mostly the tail's return, and pays for itself and the whole package. A later, dearer child
 * replaces it. What it costs is the market's affair and bounded by BUMP_MOST_SATS.
 */
const CHILD_VSIZE = { alone: 111, withCoin: 168.5 }
/** A replacement pays at least this much more for its own size, in sat/vB (Core's incremental relay fee, generously). */
const STEP_SAT_VB = 1

/** Bumps every purchase that waits for longer than it should. */
export async function bumpStuck(context: Context): Promise<void> {
  const { sql, node, config, log } = context
  if (config.bumpMostSats === 0) return
  const live = (await listLive(sql)).filter((purchase) => purchase.state === 'broadcast')
  if (live.length === 0) return
  const rate = await settlementFeeRate(context)
  const { blocks } = await node.blockchainInfo()
  for (const purchase of live) {
    const waited = blocks - (purchase.broadcastHeight ?? blocks)
    if (waited < config.bumpBlocks || !(await node.isInMempool(purchase.settlementTxid))) continue
    const bumped = await bump(context, purchase, rate)
    if (bumped) log.info({ purchaseId: purchase.purchaseId, ...bumped, rate }, 'sped up a settlement')
  }
}

async function bump(
  context: Context,
  purchase: PurchaseRow,
  rate: number,
): Promise<{ txid: string; feeSats: number } | null> {
  const { sql, node, config, market, log } = context
  const pending: { hex: string; vsize: number }[] = []
  for (const { txid, hex } of purchase.transactions ?? [])
    if (await node.isInMempool(txid)) pending.push({ hex, vsize: vsizeOf(decodeTransaction(hex)) })
  const { terms } = unpack<SettlementRequest>(purchase.settlement)
  const built = buildPurchase(terms)
  const paidSats = built.feeSats + ANCHOR_SATS * (pending.length - 1)
  const packageVsize = sumSats(pending.map((each) => each.vsize))
  // A child that is not there any more is no child: what it pays counts for nothing, and nothing has to outbid it.
  const before = purchase.bump && (await node.isInMempool(purchase.bump.txid)) ? purchase.bump : null
  // A little above is not worth a replacement.
  const vsizeNow = packageVsize + (before ? CHILD_VSIZE.withCoin : 0)
  if ((paidSats + (before?.feeSats ?? 0)) * 1.1 >= feeOf(vsizeNow, rate)) return null

  const [own] = built.settlement.outputs
    .map(({ valueSats, script }, vout) => ({ txid: purchase.settlementTxid, vout, valueSats, script }))
    .filter((coin) => equalBytes(coin.script, market.coinScript))
    .toSorted((a, b) => b.valueSats - a.valueSats)
  const feeWith = (vsize: number) =>
    Math.max(
      feeOf(packageVsize + vsize, rate) - paidSats,
      before ? before.feeSats + feeOf(vsize, STEP_SAT_VB) : feeOf(vsize, rate),
    )
  const alone = own!.valueSats - feeWith(CHILD_VSIZE.alone) >= ANCHOR_SATS
  const feeSats = feeWith(alone ? CHILD_VSIZE.alone : CHILD_VSIZE.withCoin)
  if (feeSats > config.bumpMostSats) {
    log.warn(
      { purchaseId: purchase.purchaseId, feeSats, mostSats: config.bumpMostSats },
      'a settlement is stuck, and speeding it up costs more than BUMP_MOST_SATS',
    )
    return null
  }
  const child = await inTransaction(sql, async (tx) => {
    const handle = randomUUID()
    const coins: MarketCoinRow[] = [own!]
    if (!alone) {
      const coin = await takeCoin(context, tx, handle, feeSats + ANCHOR_SATS)
      if (!coin) return null
      coins.push(coin)
    }
    const outputSats = [sumSats(coins.map((coin) => coin.valueSats)) - feeSats]
    const parents = pending.map((each) => each.hex)
    const signed = await writeCoins(context, tx, { purpose: 'bump', handle, coins, outputSats, parents })
    await setBump(tx, purchase.purchaseId, { txid: signed.txid, feeSats })
    return signed
  })
  if (!child) {
    log.warn({ purchaseId: purchase.purchaseId }, 'a settlement is stuck and no coin is free to speed it up')
    return null
  }
  // The child before it is refused from now on, and given up with its coin by the same jobs that send this one again.
  await sendWritten(context, child)
  return { txid: child.txid, feeSats }
}
