import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { MempoolFamily } from '@ordbook/indexer/node/source.ts'
import type { Context } from '../context.ts'
import { grantToMarket } from '../market-coins/grants.ts'
import { findRefund } from '../market-coins/ledger-queries.ts'
import { sendWritten, writeCoins } from '../market-coins/pool.ts'
import { type MarketCoinRow, sumCoins } from '../market-coins/queries.ts'
import { listLive, type SettlementRow, setBump } from './queries.ts'

/**
 * CPFP for settlements with a low fee rate. A child spends the market's largest output and pays for the whole package. The fee is limited
 * by the trade's earnings and BUMP_MAX_SATS. Nodes limit descendants, and a buyer's children could use up that limit. If a trade earns
 * enough, a child at the minimum fee reserves a descendant slot immediately.
 */
const CHILD_VSIZE = { alone: 111, withCoin: 168.5 }
/** Bitcoin Core's incremental relay fee, rounded up, in sat/vB. */
const STEP_SAT_VB = 1
/** Maximum fee of the first child, as a share of the earnings. */
const FIRST_CHILD_SHARE = 1 / 4

interface Bump {
  txid: string
  feeSats: number
}

/** Sends the first child of a settlement that earned enough. */
export async function holdPlace(context: Context, settlement: SettlementRow): Promise<void> {
  const { node, config } = context
  if (config.bumpMaxSats === 0 || isWithoutChild(settlement)) return
  const { output, earnedSats } = await marketSideOf(context, settlement)
  const { mempoolSatVb, relaySatVb } = await node.leastRates()
  const feeSats = feeOf(CHILD_VSIZE.alone, Math.max(mempoolSatVb, relaySatVb))
  if (
    !output ||
    feeSats > Math.min(earnedSats * FIRST_CHILD_SHARE, config.signerMaxFeePerCallSats) ||
    output.valueSats - feeSats < ANCHOR_SATS
  )
    return
  await writeChild(context, settlement, { output, feeSats, alone: true, earlier: [] })
}

/** Bumps settlements that are unconfirmed after `bumpBlocks` blocks. */
export async function bumpStuck(context: Context): Promise<void> {
  const { sql, node, config, log } = context
  if (config.bumpMaxSats === 0) return
  const live = (await listLive(sql)).filter(
    (settlement) => settlement.state === 'broadcast' && !isWithoutChild(settlement),
  )
  if (live.length === 0) return
  const rate = await settlementFeeRate(context)
  const { blocks } = await node.blockchainInfo()
  const bumps = new Map(live.map((settlement) => [settlement.settlementTxid, settlement]))
  for (const settlement of live) {
    const waited = blocks - (settlement.broadcastHeight ?? blocks)
    if (waited < config.bumpBlocks || !(await node.isInMempool(settlement.settlementTxid))) continue
    const bumped = await bump(context, settlement, {
      rate,
      ...(await pendingOf(context, settlement, { rate, bumps })),
    })
    if (bumped) log.info({ settlementId: settlement.settlementId, ...bumped, rate }, 'bumped a settlement')
  }
}

/** A version 3 settlement is already a child and cannot have one (BIP-431). */
const isWithoutChild = (settlement: SettlementRow) => settlementTxOf(settlement).version === 3

/** Mempool transactions that must confirm with a settlement. */
interface Pending {
  packageVsize: number
  paidSats: number
  /** Raw transactions of earlier trades that pay for this one. */
  earlier: string[]
}

/**
 * Returns the size and fees of a settlement with its ancestors and their fee-bump children. Excludes earlier trades that pay `rate`
 * themselves.
 */
async function pendingOf(
  { node }: Context,
  { settlementTxid, transactions }: SettlementRow,
  { rate, bumps }: { rate: number; bumps: ReadonlyMap<string, SettlementRow> },
): Promise<Pending> {
  const txids = new Set(transactions.map(({ txid }) => txid))
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
    if (!txids.has(txid)) {
      if (family.feeSats >= feeOf(family.vsize, rate)) continue
      const tx = await node.transaction(txid)
      if (tx) earlier.push(hexOfTransaction(tx))
      const child = bumps.get(txid)?.bump
      const childFamily = child && (await node.mempoolFamily(child.txid))
      if (childFamily) counted.push(childFamily)
    }
    counted.push(family)
  }
  return {
    packageVsize: sumSats(counted.map(({ vsize }) => vsize)),
    paidSats: sumSats(counted.map(({ feeSats }) => feeSats)),
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
  // A child that left the mempool needs no replacement.
  const previous = settlement.bump && (await node.isInMempool(settlement.bump.txid)) ? settlement.bump : null
  // Do not replace a child for less than 10%.
  const currentVsize = packageVsize + (previous ? CHILD_VSIZE.withCoin : 0)
  if ((paidSats + (previous?.feeSats ?? 0)) * 1.1 >= feeOf(currentVsize, rate)) return null

  const { output, earnedSats } = await marketSideOf(context, settlement)
  // Buyer and seller can still bump.
  if (!output) return null
  const minFeeWith = (vsize: number) =>
    previous ? previous.feeSats + feeOf(vsize, STEP_SAT_VB) : feeOf(vsize, STEP_SAT_VB)
  const feeWith = (vsize: number) =>
    Math.max(feeOf(packageVsize + vsize, rate) - paidSats, previous ? minFeeWith(vsize) : feeOf(vsize, rate))
  const maxSats = Math.min(config.bumpMaxSats, config.signerMaxFeePerCallSats, earnedSats)
  const alone = output.valueSats - Math.min(feeWith(CHILD_VSIZE.alone), maxSats) >= ANCHOR_SATS
  const vsize = alone ? CHILD_VSIZE.alone : CHILD_VSIZE.withCoin
  const wantedSats = feeWith(vsize)
  const feeSats = Math.min(wantedSats, maxSats)
  if (feeSats < wantedSats)
    log.warn(
      { settlementId, wantedSats, earnedSats, mostSats: config.bumpMaxSats },
      'bumping a settlement would cost more than it earned or more than BUMP_MAX_SATS; buyer and seller can bump it with their outputs',
    )
  if (feeSats < minFeeWith(vsize)) return null
  const child = await writeChild(context, settlement, { output, feeSats, alone, earlier })
  if (!child)
    log.warn({ settlementId }, 'cannot bump settlement: no free coin, or the node rejected the child')
  return child
}

/** Returns the market's largest output and its earnings from the trade. */
async function marketSideOf(
  { sql, market }: Context,
  settlement: SettlementRow,
): Promise<{ output: (MarketCoinRow & Tx['outputs'][number]) | null; earnedSats: number }> {
  const { settlementTxid: txid } = settlement
  const { inputs, outputs } = settlementTxOf(settlement)
  const marketOutputs = outputs
    .map((output, vout) => ({ txid, vout, ...output }))
    .filter((coin) => equalBytes(coin.script, market.coinScript))
    .toSorted((a, b) => b.valueSats - a.valueSats)
  const outlaySats = (await sumCoins(sql, inputs)) + (await findRefund(sql, txid))
  const receivedSats = sumSats(marketOutputs.map((coin) => coin.valueSats))
  return { output: marketOutputs[0] ?? null, earnedSats: receivedSats - outlaySats }
}

const settlementTxOf = ({ transactions, settlementTxid }: SettlementRow): Tx =>
  decodeTransaction(transactions.find(({ txid }) => txid === settlementTxid)!.hex)

/** Mempool limit on ancestors, enforced by the signer. */
const MAX_PARENTS = 25

/** Returns the transactions that a child bumps. For high fee rates the signer checks that the fee is spread over all of them. */
const parentsOf = ({ transactions }: SettlementRow, earlier: readonly string[]) =>
  [...transactions.map(({ hex }) => hex), ...earlier].slice(0, MAX_PARENTS)

/** Stores and broadcasts a child. Returns null without a free coin or if the node rejects it. */
async function writeChild(
  context: Context,
  settlement: SettlementRow,
  {
    output,
    feeSats,
    alone,
    earlier,
  }: { output: MarketCoinRow; feeSats: number; alone: boolean } & Pick<Pending, 'earlier'>,
): Promise<Bump | null> {
  const { causedBy: walletBindingId, settlementId: orderId } = settlement
  const coins: MarketCoinRow[] = [output]
  if (!alone) {
    const coin = await grantToMarket(context.sql, feeSats + ANCHOR_SATS)
    if (!coin) return null
    coins.push(coin)
  }
  const child = await writeCoins(
    context,
    {
      purpose: 'bump',
      coins,
      outputSats: [sumSats(coins.map((coin) => coin.valueSats)) - feeSats],
      parents: parentsOf(settlement, earlier),
      causes: [{ purpose: 'bump', walletBindingId, orderId }],
    },
    (tx, { txid }) => setBump(tx, settlement.settlementId, { txid, feeSats }),
  )
  if (!child) return null
  // The jobs release the coin of the replaced child.
  if (await sendWritten(context, child)) return { txid: child.txid, feeSats }
  await inTransaction(context.sql, (tx) => setBump(tx, settlement.settlementId, settlement.bump))
  return null
}
