import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { isAtTip } from '@ordbook/indexer/blocks/follower.ts'
import { listSpentInMempool, lockMempoolView, type Spend } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { CoinSource, MempoolSource, PackageVerdict } from '@ordbook/indexer/node/source.ts'
import type { Context } from '../context.ts'
import { setTransferCause, unsetSent } from '../market-coins/ledger-queries.ts'
import { recheckCoins } from './backing-queries.ts'
import { holdPlace } from './bump.ts'
import { listMakersOf } from './change-queries.ts'
import { endDependents } from './dependent-orders.ts'
import type { SettlementKinds, SettlingContext } from './kinds.ts'
import { networkRefusal } from './network-refusal.ts'
import { entersTogether } from './package-acceptance.ts'
import {
  findSettlement,
  listLive,
  moveToBroadcast,
  moveToFailed,
  type SettlementRow,
  setCoinsLive,
  setFailure,
} from './queries.ts'
import type { Sent } from './sent.ts'

/** Maximum wait to learn if a rejected package can still settle. */
const TIMEOUT_MS = 5000
const PAUSE_MS = 100

/**
 * Broadcasts a stored package. Idempotent. A rejection is not final, because another process or a block may contain the package. The
 * settlement fails only if it can never confirm. Throws `conflict` if it has failed, and `unavailable` if that is unknown.
 */
export async function broadcastSettlement(
  context: SettlingContext,
  settlementId: string,
): Promise<SettlementRow> {
  const { sql } = context
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const settlement = (await findSettlement(sql, settlementId))!
    if (settlement.state === 'failed') throw networkRefusal('this trade', settlement.failure!)
    if (settlement.state === 'confirmed') return settlement
    const verdict = await send(context, settlement)
    if (verdict.ok) {
      await recordSent(context, settlement)
      return { ...settlement, state: 'broadcast' }
    }
    if (await isImpossible(context, settlement)) await failSettlement(context, settlement, verdict)
    else if (waitedMs < TIMEOUT_MS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    else
      throw unavailable(
        'settlement-undecided',
        `The network does not accept this trade at present (${reasonOf(verdict)}). Repeat the submit to get its result.`,
      )
  }
}

const reasonOf = ({ reasons }: PackageVerdict) => [...new Set(reasons.values())].join('; ')

/**
 * Tests a package and sends the missing transactions. `submitpackage` is not atomic: a parent with a sufficient fee stays in the mempool
 * even if the rest is rejected. A package that fails the test is sent only if `entersTogether` permits.
 */
async function send(context: SettlingContext, settlement: SettlementRow): Promise<Verdict> {
  const { sql, node, kinds } = context
  const { transactions } = settlement
  if (await node.isInMempool(transactions.at(-1)!.txid)) return SENT
  if (settlement.state === 'intended') {
    const revoked = await kinds.of(settlement).revoked(context, settlement)
    if (revoked.length > 0) return { ...CANCELLED, revoked }
  }
  const missing: Sent[] = []
  for (const transaction of transactions)
    if (!(await node.isInMempool(transaction.txid)) && !(await isInChain(node, transaction, transactions)))
      missing.push(transaction)
  if (missing.length === 0) return SENT
  const hexes = missing.map(({ hex }) => hex)
  const tested = await node.testPackage(hexes)
  const verdict = tested.ok ? tested : await entersTogether(node, missing, tested)
  if (verdict.ok)
    return node.submitPackage(
      hexes.length === 1 ? hexes : [...(await pendingParents(sql, node, missing)), ...hexes],
    )
  const isThere =
    (await node.isInMempool(settlement.settlementTxid)) || (await isConfirmed(node, transactions.at(-1)!))
  return isThere ? SENT : verdict
}

/** A verdict, with the package's cancelled orders. */
type Verdict = PackageVerdict & { revoked?: readonly string[] }

const SENT: Verdict = { ok: true, reasons: new Map(), refused: [] }
const CANCELLED: Verdict = {
  ok: false,
  reasons: new Map([['', 'it was cancelled before it was broadcast']]),
  refused: [],
}

/** Returns the child's other unconfirmed parents. A package must contain all parents. */
async function pendingParents(
  sql: Context['sql'],
  node: MempoolSource,
  missing: readonly Sent[],
): Promise<string[]> {
  const { inputs } = decodeTransaction(missing.at(-1)!.hex)
  const spent = new Set(inputs.map((input) => input.txid))
  const hexes = new Map<string, string>()
  for (const transactions of await listMakersOf(sql, inputs))
    for (const { txid, hex } of transactions)
      if (spent.has(txid) && (await node.isInMempool(txid))) hexes.set(txid, hex)
  return [...hexes.values()]
}

/** Returns true if an output of a transaction is in the UTXO set: a block contains it, which the index may not have yet. */
async function isConfirmed(node: CoinSource, { txid, hex }: Sent): Promise<boolean> {
  for (const vout of decodeTransaction(hex).outputs.keys())
    if ((await node.txOut({ txid, vout }, { mempool: false })) !== null) return true
  return false
}

/** Returns true if a parent is confirmed, because its spent output is in the UTXO set. */
async function isInChain(node: CoinSource, { txid }: Sent, transactions: readonly Sent[]): Promise<boolean> {
  const spent = transactions
    .flatMap(({ hex }) => decodeTransaction(hex).inputs)
    .find((input) => input.txid === txid)
  return spent !== undefined && (await node.txOut(spent, { mempool: false })) !== null
}

async function recordSent(context: SettlingContext, settlement: SettlementRow): Promise<void> {
  if (settlement.state !== 'intended') return
  const { sql, node, clock, log } = context
  const { blocks } = await node.blockchainInfo()
  const isFirst = await inTransaction(sql, async (tx) => {
    if (!(await moveToBroadcast(tx, settlement.settlementId, blocks))) return false
    await handleSent(context.kinds, tx, settlement, clock())
    const { settlementId: orderId, causedBy: walletBindingId, transactions } = settlement
    await setTransferCause(
      tx,
      transactions.map(({ txid }) => txid),
      { walletBindingId, orderId },
    )
    return true
  })
  if (isFirst) {
    const { settlementId, kind, settlementTxid: txid, inscriptionIds } = settlement
    log.info({ settlementId, kind, txid, inscriptionIds }, 'sale broadcast')
  }
  await holdPlace(context, settlement).catch((error: unknown) =>
    log.warn(
      { err: error, settlementId: settlement.settlementId },
      'failed to send the first child of a settlement',
    ),
  )
}

/** Updates orders after a broadcast: the settlement's orders first, then others that depend on its coins. */
export async function handleSent(
  kinds: SettlementKinds,
  tx: Transaction,
  settlement: SettlementRow,
  now: Date,
): Promise<void> {
  await kinds.of(settlement).sent?.(tx, settlement, now)
  await endDependents(kinds.orders)(tx, spendsOf(settlement.transactions), now)
}

/** Returns the coins that a package spends, without its own outputs. */
function spendsOf(transactions: readonly Sent[]): Spend[] {
  const txids = new Set(transactions.map(({ txid }) => txid))
  return transactions.flatMap(({ txid: spender, hex }) =>
    decodeTransaction(hex)
      .inputs.filter((input) => !txids.has(input.txid))
      .map(({ txid, vout }) => ({ txid, vout, spender })),
  )
}

async function failSettlement(
  context: SettlingContext,
  settlement: SettlementRow,
  verdict: Verdict,
): Promise<void> {
  const { sql, clock, log } = context
  const { refused, revoked = [] } = verdict
  const failure = reasonOf(verdict)
  const { settlementId, kind, transactions } = settlement
  const coins = await listRequiredCoins(context, transactions)
  const spent = await listSpentElsewhere(context, transactions, coins)
  const isFailed = await inTransaction(sql, async (tx) => {
    if (!(await moveToFailed(tx, settlement, failure))) return false
    // Mempool spends were ignored while the settlement was active.
    await lockMempoolView(tx)
    const txids = new Set(transactions.map(({ txid }) => txid))
    const spentInMempool = await listSpentInMempool(tx, coins)
    const gone: Spend[] = [...spent, ...spentInMempool.filter(({ spender }) => !txids.has(spender))]
    await setCoinsLive(tx, settlementId, false)
    if (settlement.state === 'intended') await unsetSent(tx, settlementId)
    const detail = await context.kinds.of(settlement).failed(tx, settlement, {
      failure,
      gone,
      refused,
      revoked,
      now: clock(),
    })
    if (detail) await setFailure(tx, settlementId, `${failure}; ${detail}`)
    await endDependents(context.kinds.orders)(tx, gone, clock())
    // Orders that this package invalidated may become active again.
    await recheckCoins(tx, { coins: spendsOf(transactions), txids: [...txids] })
    return true
  })
  if (isFailed) log.warn({ settlementId, kind, failure }, 'settlement failed')
}

/** Job that rebroadcasts settlements and fails those that can never confirm. */
export async function resumeSettlements(context: SettlingContext): Promise<void> {
  const { sql, log } = context
  for (const settlement of await listLive(sql)) {
    const { settlementId, kind } = settlement
    const verdict = await send(context, settlement)
    if (verdict.ok) {
      await recordSent(context, settlement)
      continue
    }
    if (await isImpossible(context, settlement)) await failSettlement(context, settlement, verdict)
    else
      log.warn(
        { settlementId, kind, reason: reasonOf(verdict) },
        'settlement is not in the mempool, retrying',
      )
  }
}

/**
 * Returns true if a rejected package can never confirm: another transaction spends its coins, or it was never broadcast. Returns false
 * unless the index is at the node's tip, because the settlement itself may have spent the coins.
 */
async function isImpossible({ sql, node }: Context, settlement: SettlementRow): Promise<boolean> {
  if (!(await isAtTip(sql, node))) return false
  let isCoinSpent = false
  for (const coin of await listRequiredCoins({ sql, node }, settlement.transactions))
    isCoinSpent ||= (await node.txOut(coin, { mempool: false })) === null
  if (!isCoinSpent && settlement.state === 'broadcast') return false
  const current = await findSettlement(sql, settlement.settlementId)
  return (
    (await isAtTip(sql, node)) &&
    (current?.state === 'intended' || (isCoinSpent && current?.state === 'broadcast'))
  )
}

/** Returns the confirmed coins that a package requires. Includes the coins of unconfirmed settlements whose change it spends. */
async function listRequiredCoins(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  transactions: readonly Sent[],
): Promise<Outpoint[]> {
  const txs = new Map(transactions.map(({ txid, hex }) => [txid, decodeTransaction(hex)]))
  const family = await withPendingAncestors(sql, txs)
  const coins = new Map<string, Outpoint>()
  const add = async ({ txid, vout }: Outpoint): Promise<void> => {
    const parent = family.get(txid)
    if (parent && !(await node.txOut({ txid, vout }, { mempool: false })))
      for (const input of parent.inputs) await add(input)
    else coins.set(formatOutpoint({ txid, vout }), { txid, vout })
  }
  for (const tx of txs.values()) {
    const isChild = tx.inputs.some((input) => txs.has(input.txid))
    if (isChild || txs.size === 1) for (const input of tx.inputs) await add(input)
  }
  return [...coins.values()]
}

/** Returns these transactions and, recursively, unconfirmed settlements whose change they spend. */
async function withPendingAncestors(
  sql: Context['sql'],
  txs: ReadonlyMap<string, Tx>,
): Promise<Map<string, Tx>> {
  const family = new Map(txs)
  for (let added = [...txs.values()]; added.length > 0; ) {
    const packages = await listMakersOf(
      sql,
      added.flatMap((tx) => tx.inputs),
    )
    added = []
    for (const { txid, hex } of packages.flat()) {
      if (family.has(txid)) continue
      const tx = decodeTransaction(hex)
      family.set(txid, tx)
      added.push(tx)
    }
  }
  return family
}

/** Returns the coins that another transaction spends. */
async function listSpentElsewhere(
  { node }: Context,
  transactions: readonly Sent[],
  coins: readonly Outpoint[],
): Promise<Spend[]> {
  const txids = new Set(transactions.map(({ txid }) => txid))
  const gone: Spend[] = []
  for (const coin of coins) {
    if (await node.txOut(coin)) continue
    const spender = await node.spenderInMempool(coin)
    if (spender === null || !txids.has(spender))
      gone.push({ ...coin, spender: spender ?? 'another transaction' })
  }
  return gone
}
