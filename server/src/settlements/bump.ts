import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { decodeTransaction, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { settlementFeeRate } from '../engine/fee-rates.ts'
import { sendWritten, takeCoin, writeCoins } from '../market-coins/pool.ts'
import type { MarketCoinRow } from '../market-coins/queries.ts'
import { listLive, type SettlementRow, setBump } from './queries.ts'

/**
 * A settlement that waits below the fee market is sped up by the market alone: a child spends the largest of the
 * market's own outputs, mostly the tail's return, and pays for itself and the whole package. A later, dearer child
 * replaces it. What it costs is the market's affair and bounded by BUMP_MOST_SATS.
 */
const CHILD_VSIZE = { alone: 111, withCoin: 168.5 }
/** A replacement pays at least this much more for its own size, in sat/vB (Core's incremental relay fee, generously). */
const STEP_SAT_VB = 1

/** Bumps every settlement that waits for longer than it should. */
export async function bumpStuck(context: Context): Promise<void> {
  const { sql, node, config, log } = context
  if (config.bumpMostSats === 0) return
  // A fill is version 3, whose child may have none of its own (BIP-431).
  const live = (await listLive(sql)).filter((each) => each.state === 'broadcast' && each.kind !== 'fill')
  if (live.length === 0) return
  const rate = await settlementFeeRate(context)
  const { blocks } = await node.blockchainInfo()
  for (const settlement of live) {
    const waited = blocks - (settlement.broadcastHeight ?? blocks)
    if (waited < config.bumpBlocks || !(await node.isInMempool(settlement.settlementTxid))) continue
    const bumped = await bump(context, settlement, rate)
    if (bumped) log.info({ settlementId: settlement.settlementId, ...bumped, rate }, 'sped up a settlement')
  }
}

async function bump(
  context: Context,
  settlement: SettlementRow,
  rate: number,
): Promise<{ txid: string; feeSats: number } | null> {
  const { sql, node, config, market, log } = context
  const pending: { hex: string; vsize: number; feeSats: number }[] = []
  for (const { txid, hex, feeSats } of settlement.transactions)
    if (await node.isInMempool(txid)) pending.push({ hex, vsize: vsizeOf(decodeTransaction(hex)), feeSats })
  const paidSats = sumSats(pending.map((each) => each.feeSats))
  const packageVsize = sumSats(pending.map((each) => each.vsize))
  // A child that is not there any more is no child: what it pays counts for nothing, and nothing has to outbid it.
  const before = settlement.bump && (await node.isInMempool(settlement.bump.txid)) ? settlement.bump : null
  // A little above is not worth a replacement.
  const vsizeNow = packageVsize + (before ? CHILD_VSIZE.withCoin : 0)
  if ((paidSats + (before?.feeSats ?? 0)) * 1.1 >= feeOf(vsizeNow, rate)) return null

  const { hex } = settlement.transactions.find((each) => each.txid === settlement.settlementTxid)!
  const [own] = decodeTransaction(hex)
    .outputs.map(({ valueSats, script }, vout) => ({
      txid: settlement.settlementTxid,
      vout,
      valueSats,
      script,
    }))
    .filter((coin) => equalBytes(coin.script, market.coinScript))
    .toSorted((a, b) => b.valueSats - a.valueSats)
  // Without a fee of ours there is nothing to spend; who is paid can.
  if (!own) return null
  const feeWith = (vsize: number) =>
    Math.max(
      feeOf(packageVsize + vsize, rate) - paidSats,
      before ? before.feeSats + feeOf(vsize, STEP_SAT_VB) : feeOf(vsize, rate),
    )
  const alone = own.valueSats - feeWith(CHILD_VSIZE.alone) >= ANCHOR_SATS
  const feeSats = feeWith(alone ? CHILD_VSIZE.alone : CHILD_VSIZE.withCoin)
  if (feeSats > config.bumpMostSats) {
    log.warn(
      { settlementId: settlement.settlementId, feeSats, mostSats: config.bumpMostSats },
      'a settlement is stuck, and speeding it up costs more than BUMP_MOST_SATS',
    )
    return null
  }
  const child = await inTransaction(sql, async (tx) => {
    const handle = randomUUID()
    const coins: MarketCoinRow[] = [own]
    if (!alone) {
      const coin = await takeCoin(tx, feeSats + ANCHOR_SATS)
      if (!coin) return null
      coins.push(coin)
    }
    const outputSats = [sumSats(coins.map((coin) => coin.valueSats)) - feeSats]
    const parents = pending.map((each) => each.hex)
    const { causedBy: walletBindingId, settlementId: orderId } = settlement
    const causes = [{ purpose: 'bump', walletBindingId, orderId } as const]
    const signed = await writeCoins(context, tx, {
      purpose: 'bump',
      handle,
      coins,
      outputSats,
      parents,
      causes,
    })
    await setBump(tx, settlement.settlementId, { txid: signed.txid, feeSats })
    return signed
  })
  if (!child) {
    log.warn(
      { settlementId: settlement.settlementId },
      'a settlement is stuck and no coin is free to speed it up',
    )
    return null
  }
  // The child before it is refused from now on, and given up with its coin by the same jobs that send this one again.
  await sendWritten(context, child)
  return { txid: child.txid, feeSats }
}
