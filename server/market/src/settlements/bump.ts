import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { MempoolFamily } from '@ordbook/indexer/node/source.ts'
import type { Context } from '../context.ts'
import { takeForMarket } from '../market-coins/grants.ts'
import { findRefund } from '../market-coins/ledger-queries.ts'
import { sendWritten, writeCoins } from '../market-coins/pool.ts'
import { type MarketCoinRow, sumCoins } from '../market-coins/queries.ts'
import { listLive, type SettlementRow, setBump } from './queries.ts'

/**
 * CPFP for settlements below the fee market: a child spends the largest output of the market, mostly the tail's change, and pays for the
 * whole package. A later child with a higher fee replaces it. The market pays at most the earnings of the trade and BUMP_MAX_SATS. Nodes
 * limit descendants, and a buyer's own children could use up that limit. So a trade that earns enough gets a child immediately at the
 * lowest fee, which replacements keep.
 */
const CHILD_VSIZE = { alone: 111, withCoin: 168.5 }
/** A replacement pays at least this much more for its own size, in sat/vB (Core's incremental relay fee, rounded up). */
const STEP_SAT_VB = 1
/** The share of a trade's earnings that its first child may cost. */
const FIRST_CHILD_SHARE = 1 / 4

interface Bump {
  txid: string
  feeSats: number
}

/** Sends the first child of a new settlement if the trade earned enough. */
export async function holdPlace(context: Context, settlement: SettlementRow): Promise<void> {
  const { node, config } = context
  if (config.bumpMaxSats === 0 || isWithoutChild(settlement)) return
  const { own, earnedSats } = await ownSideOf(context, settlement)
  const { mempoolSatVb, relaySatVb } = await node.leastRates()
  const feeSats = feeOf(CHILD_VSIZE.alone, Math.max(mempoolSatVb, relaySatVb))
  if (
    !own ||
    feeSats > Math.min(earnedSats * FIRST_CHILD_SHARE, config.signerMaxFeePerCallSats) ||
    own.valueSats - feeSats < ANCHOR_SATS
  )
    return
  await writeChild(context, settlement, { own, feeSats, alone: true, earlier: [] })
}

/** Bumps every settlement that has waited for `bumpBlocks`. */
export async function bumpStuck(context: Context): Promise<void> {
  const { sql, node, config, log } = context
  if (config.bumpMaxSats === 0) return
  const live = (await listLive(sql)).filter((each) => each.state === 'broadcast' && !isWithoutChild(each))
  if (live.length === 0) return
  const rate = await settlementFeeRate(context)
  const { blocks } = await node.blockchainInfo()
  const bumps = new Map(live.map((each) => [each.settlementTxid, each]))
  for (const settlement of live) {
    const waited = blocks - (settlement.broadcastHeight ?? blocks)
    if (waited < config.bumpBlocks || !(await node.isInMempool(settlement.settlementTxid))) continue
    const bumped = await bump(context, settlement, {
      rate,
      ...(await pendingOf(context, settlement, { rate, bumps })),
    })
    if (bumped) log.info({ settlementId: settlement.settlementId, ...bumped, rate }, 'sped up a settlement')
  }
}

/** A version 3 settlement is the child of its funding parent and cannot have a child (BIP-431). */
const isWithoutChild = (settlement: SettlementRow) => settlementTxOf(settlement).version === 3

/** The transactions of the mempool that have to confirm with a settlement. */
interface Pending {
  packageVsize: number
  paidSats: number
  /** The raw transactions of earlier trades whose change pays for this one. */
  earlier: string[]
}

/**
 * The settlement and its mempool ancestors. Ancestors from earlier trades that pay the rate themselves do not count; an ancestor that the
 * market bumped counts with its child.
 */
async function pendingOf(
  { node }: Context,
  { settlementTxid, transactions }: SettlementRow,
  { rate, bumps }: { rate: number; bumps: ReadonlyMap<string, SettlementRow> },
): Promise<Pending> {
  const own = new Set(transactions.map((each) => each.txid))
  const counted: MempoolFamily[] = []
  const earlier: string[] = []
  const seen = new Set<string>()
  const waiting = [settlementTxid]
  for (let txid = waiting.pop(); txid !== undefined; txid = waiting.pop()) {
    if (seen.has(txid)) continue
    seen.add(txid)
    const family = await node.mempoolFamily(txid)
    if (!family) continue
    waiting.push(...family.depends)
    if (!own.has(txid)) {
      if (family.feeSats >= feeOf(family.vsize, rate)) continue
      const tx = await node.transaction(txid)
      if (tx) earlier.push(hexOfTransaction(tx))
      const child = bumps.get(txid)?.bump
      const ofChild = child && (await node.mempoolFamily(child.txid))
      if (ofChild) counted.push(ofChild)
    }
    counted.push(family)
  }
  return {
    packageVsize: sumSats(counted.map((each) => each.vsize)),
    paidSats: sumSats(counted.map((each) => each.feeSats)),
    earlier,
  }
}

async function bump(
  context: Context,
  settlement: SettlementRow,
  { rate, packageVsize, paidSats, earlier }: Pending & { rate: number },
): Promise<Bump | null> {
  const { node, config, log } = context
  const { settlementId } = settlement
  // A child that left the mempool pays nothing, and a new one need not outbid it.
  const before = settlement.bump && (await node.isInMempool(settlement.bump.txid)) ? settlement.bump : null
  // A small difference is not worth a replacement.
  const vsizeNow = packageVsize + (before ? CHILD_VSIZE.withCoin : 0)
  if ((paidSats + (before?.feeSats ?? 0)) * 1.1 >= feeOf(vsizeNow, rate)) return null

  const { own, earnedSats } = await ownSideOf(context, settlement)
  // Without an output of the market there is nothing to spend. Buyer and seller can still bump with theirs.
  if (!own) return null
  const leastWith = (vsize: number) =>
    before ? before.feeSats + feeOf(vsize, STEP_SAT_VB) : feeOf(vsize, STEP_SAT_VB)
  const feeWith = (vsize: number) =>
    Math.max(feeOf(packageVsize + vsize, rate) - paidSats, before ? leastWith(vsize) : feeOf(vsize, rate))
  const mostSats = Math.min(config.bumpMaxSats, config.signerMaxFeePerCallSats, earnedSats)
  const alone = own.valueSats - Math.min(feeWith(CHILD_VSIZE.alone), mostSats) >= ANCHOR_SATS
  const vsize = alone ? CHILD_VSIZE.alone : CHILD_VSIZE.withCoin
  const wantedSats = feeWith(vsize)
  const feeSats = Math.min(wantedSats, mostSats)
  if (feeSats < wantedSats)
    log.warn(
      { settlementId, wantedSats, earnedSats, mostSats: config.bumpMaxSats },
      'speeding a settlement up costs more than it earned, or than BUMP_MAX_SATS: buyer and seller can, with an output of theirs',
    )
  if (feeSats < leastWith(vsize)) return null
  const child = await writeChild(context, settlement, { own, feeSats, alone, earlier })
  if (!child)
    log.warn({ settlementId }, 'cannot bump settlement: no free coin, or the node rejected the child')
  return child
}

/** The market's largest output of a settlement, and the market's earnings from the trade in sats. */
async function ownSideOf(
  { sql, market }: Context,
  settlement: SettlementRow,
): Promise<{ own: (MarketCoinRow & Tx['outputs'][number]) | null; earnedSats: number }> {
  const { settlementTxid: txid } = settlement
  const { inputs, outputs } = settlementTxOf(settlement)
  const made = outputs
    .map((output, vout) => ({ txid, vout, ...output }))
    .filter((coin) => equalBytes(coin.script, market.coinScript))
    .toSorted((a, b) => b.valueSats - a.valueSats)
  const outlaySats = (await sumCoins(sql, inputs)) + (await findRefund(sql, txid))
  return { own: made[0] ?? null, earnedSats: sumSats(made.map((coin) => coin.valueSats)) - outlaySats }
}

/** The settlement within its package. */
const settlementTxOf = ({ transactions, settlementTxid }: SettlementRow): Tx =>
  decodeTransaction(transactions.find((each) => each.txid === settlementTxid)!.hex)

/** Most parents that the signer accepts: the mempool's limit on a chain of transactions. */
const MAX_PARENTS = 25

/** The transactions that a child speeds up. Near the highest fee rate the signer checks that the fee pays for all of them. */
const parentsOf = ({ transactions }: SettlementRow, earlier: readonly string[]) =>
  [...transactions.map((each) => each.hex), ...earlier].slice(0, MAX_PARENTS)

/** Stores a child of a settlement and sends it. Null if it needs a coin and none is free, or if the node rejects it. */
async function writeChild(
  context: Context,
  settlement: SettlementRow,
  {
    own,
    feeSats,
    alone,
    earlier,
  }: { own: MarketCoinRow; feeSats: number; alone: boolean } & Pick<Pending, 'earlier'>,
): Promise<Bump | null> {
  const { causedBy: walletBindingId, settlementId: orderId } = settlement
  const child = await inTransaction(context.sql, async (tx) => {
    const coins: MarketCoinRow[] = [own]
    if (!alone) {
      const coin = await takeForMarket(tx, feeSats + ANCHOR_SATS)
      if (!coin) return null
      coins.push(coin)
    }
    const signed = await writeCoins(context, tx, {
      purpose: 'bump',
      handle: randomUUID(),
      coins,
      outputSats: [sumSats(coins.map((coin) => coin.valueSats)) - feeSats],
      parents: parentsOf(settlement, earlier),
      causes: [{ purpose: 'bump', walletBindingId, orderId }],
    })
    await setBump(tx, settlement.settlementId, { txid: signed.txid, feeSats })
    return signed
  })
  if (!child) return null
  // From now on the node rejects the previous child. The jobs that resend it then give it and its coin up.
  if (await sendWritten(context, child)) return { txid: child.txid, feeSats }
  await inTransaction(context.sql, (tx) => setBump(tx, settlement.settlementId, settlement.bump))
  return null
}
