import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { isAtTip } from '@ordbook/indexer/blocks/follower.ts'
import { holdMempool, listSpentInMempool, type Spend } from '@ordbook/indexer/mempool/mempool-queries.ts'
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

/** Milliseconds that a request waits for the index to decide about a package that the node rejects. */
const TIMEOUT_MS = 5000
const PAUSE = 100

/**
 * Sends a stored package. Idempotent: the request, the jobs after a crash, or both can send it. A rejection alone proves little, because
 * another process may have sent the package and a block may contain it. So only a package that can never settle fails. Throws conflict if
 * it failed, unavailable while that is undecided.
 */
export async function broadcastSettlement(
  context: SettlingContext,
  settlementId: string,
): Promise<SettlementRow> {
  const { sql } = context
  for (let waited = 0; ; waited += PAUSE) {
    const settlement = (await findSettlement(sql, settlementId))!
    if (settlement.state === 'failed') throw networkRefusal('this trade', settlement.failure!)
    if (settlement.state === 'confirmed') return settlement
    const verdict = await send(context, settlement)
    if (verdict.ok) {
      await noteSent(context, settlement)
      return { ...settlement, state: 'broadcast' }
    }
    if (await isImpossible(context, settlement)) await failSettlement(context, settlement, verdict)
    else if (waited < TIMEOUT_MS) await new Promise((resolve) => setTimeout(resolve, PAUSE))
    else
      throw unavailable(
        'settlement-undecided',
        `The network does not take this trade now (${reasonOf(verdict)}): submit the same again to learn how it ends`,
      )
  }
}

const reasonOf = ({ reasons }: PackageVerdict) => [...new Set(reasons.values())].join('; ')

/**
 * Tests a package, then sends the transactions that the node lacks. `submitpackage` is not atomic: a parent that pays for itself stays in
 * the mempool even if the node rejects the rest. So a package that fails the test is not sent, with one exception (`entersTogether`).
 */
async function send(context: SettlingContext, settlement: SettlementRow): Promise<Verdict> {
  const { sql, node, kinds } = context
  const { transactions } = settlement
  if (await node.isInMempool(transactions.at(-1)!.txid)) return SENT
  if (settlement.state === 'intended') {
    const revoked = await kinds.of(settlement).revoked(context, settlement)
    if (revoked.length > 0) return { ...TAKEN_BACK, revoked }
  }
  const missing: Sent[] = []
  for (const each of transactions)
    if (!(await node.isInMempool(each.txid)) && !(await isInChain(node, each, transactions)))
      missing.push(each)
  if (missing.length === 0) return SENT
  const hexes = missing.map((each) => each.hex)
  const tested = await node.testPackage(hexes)
  const verdict = tested.ok ? tested : await entersTogether(node, missing, tested)
  if (verdict.ok)
    return node.submitPackage(
      hexes.length === 1 ? hexes : [...(await pendingParents(sql, node, missing)), ...hexes],
    )
  return (await node.isInMempool(settlement.settlementTxid)) ? SENT : verdict
}

/** A verdict, and the orders of the package that end because they were taken back. */
type Verdict = PackageVerdict & { revoked?: readonly string[] }

const SENT: Verdict = { ok: true, reasons: new Map(), refused: [] }
const TAKEN_BACK: Verdict = {
  ok: false,
  reasons: new Map([['', 'it was taken back before it was sent']]),
  refused: [],
}

/** Other unconfirmed parents of a package's child. A package must include all parents, even those in the mempool. */
async function pendingParents(
  sql: Context['sql'],
  node: MempoolSource,
  missing: readonly Sent[],
): Promise<string[]> {
  const { inputs } = decodeTransaction(missing.at(-1)!.hex)
  const spent = new Set(inputs.map((input) => input.txid))
  const hexes = new Map<string, string>()
  for (const made of await listMakersOf(sql, inputs))
    for (const { txid, hex } of made)
      if (spent.has(txid) && (await node.isInMempool(txid))) hexes.set(txid, hex)
  return [...hexes.values()]
}

/** True for a parent of a package that a block holds already: the chain has the output that the package spends. */
async function isInChain(node: CoinSource, { txid }: Sent, transactions: readonly Sent[]): Promise<boolean> {
  const spent = transactions
    .flatMap(({ hex }) => decodeTransaction(hex).inputs)
    .find((input) => input.txid === txid)
  return spent !== undefined && (await node.txOut(spent, { mempool: false })) !== null
}

async function noteSent(context: SettlingContext, settlement: SettlementRow): Promise<void> {
  if (settlement.state !== 'intended') return
  const { sql, node, clock, log } = context
  const { blocks } = await node.blockchainInfo()
  await inTransaction(sql, async (tx) => {
    if (!(await moveToBroadcast(tx, settlement.settlementId, blocks))) return
    await handleSent(context.kinds, tx, settlement, clock())
    const { settlementId: orderId, causedBy: walletBindingId, transactions } = settlement
    await setTransferCause(
      tx,
      transactions.map((each) => each.txid),
      { walletBindingId, orderId },
    )
  })
  await holdPlace(context, settlement).catch((error: unknown) =>
    log.warn(
      { err: error, settlementId: settlement.settlementId },
      'could not send the first child of a settlement',
    ),
  )
}

/** Updates orders after a package was sent: first its own kind, then orders that depend on the coins that it spends. */
export async function handleSent(
  kinds: SettlementKinds,
  tx: Transaction,
  settlement: SettlementRow,
  now: Date,
): Promise<void> {
  await kinds.of(settlement).sent?.(tx, settlement, now)
  await endDependents(kinds.orders)(tx, spendsOf(settlement.transactions), now)
}

/** The coins that a package spends, without its own outputs. */
function spendsOf(transactions: readonly Sent[]): Spend[] {
  const own = new Set(transactions.map((each) => each.txid))
  return transactions.flatMap(({ txid: spender, hex }) =>
    decodeTransaction(hex)
      .inputs.filter((input) => !own.has(input.txid))
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
  const coins = await restsOn(context, transactions)
  const spent = await spentElsewhere(context, transactions, coins)
  await inTransaction(sql, async (tx) => {
    if (!(await moveToFailed(tx, settlementId, failure))) return
    // While this settlement held its coins, spends in the mempool ended no orders. Handle those spends now.
    await holdMempool(tx)
    const own = new Set(transactions.map((each) => each.txid))
    const seen = await listSpentInMempool(tx, coins)
    const gone: Spend[] = [...spent, ...seen.filter(({ spender }) => !own.has(spender))]
    await setCoinsLive(tx, settlementId, false)
    if (settlement.state === 'intended') await unsetSent(tx, settlementId)
    const blamed = await context.kinds.of(settlement).failed(tx, settlement, {
      failure,
      gone,
      refused,
      revoked,
      now: clock(),
    })
    if (blamed) await setFailure(tx, settlementId, `${failure}; ${blamed}`)
    // Other orders that depend on the spent coins did not end while this settlement held the coins.
    await endDependents(context.kinds.orders)(tx, gone, clock())
    // Orders that ended because this package spent their coins may become active again.
    await recheckCoins(tx, { coins: spendsOf(transactions), txids: [...own] })
  })
  log.warn({ settlementId, kind, failure }, 'a settlement failed')
}

/** Sends every unconfirmed settlement again, and fails those that can never settle. The jobs call it repeatedly. */
export async function resumeSettlements(context: SettlingContext): Promise<void> {
  const { sql, log } = context
  for (const settlement of await listLive(sql)) {
    const { settlementId, kind } = settlement
    const verdict = await send(context, settlement)
    if (verdict.ok) {
      await noteSent(context, settlement)
      continue
    }
    if (await isImpossible(context, settlement)) await failSettlement(context, settlement, verdict)
    else
      log.warn(
        { settlementId, kind, reason: reasonOf(verdict) },
        'a settlement is not in the mempool: trying again',
      )
  }
}

/**
 * True for a rejected package if another transaction on the chain spends a coin that it needs, or if it was never sent: then it conflicts
 * with the mempool and cannot settle later. Only decided while the index is at the node's tip, before and after; otherwise the settlement
 * itself may have spent the coin. Another process may have sent it since its row was read.
 */
async function isImpossible({ sql, node }: Context, settlement: SettlementRow): Promise<boolean> {
  if (!(await isAtTip(sql, node))) return false
  let gone = false
  for (const coin of await restsOn({ sql, node }, settlement.transactions))
    gone ||= (await node.txOut(coin, { mempool: false })) === null
  if (!gone && settlement.state === 'broadcast') return false
  const now = await findSettlement(sql, settlement.settlementId)
  return (await isAtTip(sql, node)) && (now?.state === 'intended' || (gone && now?.state === 'broadcast'))
}

/**
 * The confirmed coins that a package depends on: coins that it spends from outside, and its own outputs that are already confirmed. If it
 * spends change of a live settlement, the coins of that settlement too.
 */
async function restsOn(
  { sql, node }: Pick<Context, 'sql' | 'node'>,
  transactions: readonly Sent[],
): Promise<Outpoint[]> {
  const own = new Map(transactions.map(({ txid, hex }) => [txid, decodeTransaction(hex)]))
  const family = await withMakers(sql, own)
  const coins = new Map<string, Outpoint>()
  const add = async ({ txid, vout }: Outpoint): Promise<void> => {
    const parent = family.get(txid)
    if (parent && !(await node.txOut({ txid, vout }, { mempool: false })))
      for (const input of parent.inputs) await add(input)
    else coins.set(formatOutpoint({ txid, vout }), { txid, vout })
  }
  for (const tx of own.values()) {
    const spendsOwn = tx.inputs.some((input) => own.has(input.txid))
    if (spendsOwn || own.size === 1) for (const input of tx.inputs) await add(input)
  }
  return [...coins.values()]
}

/** These transactions and, recursively, the transactions of live settlements whose change they spend. */
async function withMakers(sql: Context['sql'], own: ReadonlyMap<string, Tx>): Promise<Map<string, Tx>> {
  const family = new Map(own)
  for (let added = [...own.values()]; added.length > 0; ) {
    const made = await listMakersOf(
      sql,
      added.flatMap((tx) => tx.inputs),
    )
    added = []
    for (const { txid, hex } of made.flat()) {
      if (family.has(txid)) continue
      const tx = decodeTransaction(hex)
      family.set(txid, tx)
      added.push(tx)
    }
  }
  return family
}

/** The coins among these that a transaction outside the package spends, in a block or in the mempool. */
async function spentElsewhere(
  { node }: Context,
  transactions: readonly Sent[],
  coins: readonly Outpoint[],
): Promise<Spend[]> {
  const own = new Set(transactions.map((each) => each.txid))
  const gone: Spend[] = []
  for (const coin of coins) {
    if (await node.txOut(coin)) continue
    const spender = await node.spenderInMempool(coin)
    if (spender === null || !own.has(spender))
      gone.push({ ...coin, spender: spender ?? 'another transaction' })
  }
  return gone
}
