import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { isAtTip } from '../chain/follower.ts'
import { holdMempool, listSpentInMempool, type Spend } from '../chain/mempool-queries.ts'
import type { CoinSource, MempoolSource, PackageVerdict } from '../chain/source.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { conflict, unavailable } from '../errors.ts'
import { setTransferCause, unsetSent } from '../market-coins/ledger-queries.ts'
import { recheckCoins } from './backing-queries.ts'
import { holdPlace } from './bump.ts'
import { listMakersOf } from './change-queries.ts'
import { endDependents } from './dependent-orders.ts'
import { entersTogether } from './enters-together.ts'
import type { SettlementKinds, SettlingContext } from './kinds.ts'
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

/** How long a request waits for the index to say what became of a package that the node refuses, in milliseconds. */
const PATIENCE = 5000
const PAUSE = 100

/**
 * Sends a package that is written. Sending is idempotent, so whoever comes first does it: the request, the jobs after a
 * crash, or both. A refusal alone says little: somebody else may have sent the package, and a block may hold it already.
 * Only a package that can settle no more fails. Throws conflict when it failed, unavailable when it is not known yet.
 */
export async function broadcastSettlement(
  context: SettlingContext,
  settlementId: string,
): Promise<SettlementRow> {
  const { sql } = context
  for (let waited = 0; ; waited += PAUSE) {
    const settlement = (await findSettlement(sql, settlementId))!
    if (settlement.state === 'failed')
      throw conflict(
        'network-refused',
        `The network refuses this trade (${settlement.failure}): prepare it again`,
      )
    if (settlement.state === 'confirmed') return settlement
    const verdict = await send(context, settlement)
    if (verdict.ok) {
      await noteSent(context, settlement)
      return { ...settlement, state: 'broadcast' }
    }
    if (await isImpossible(context, settlement)) await failSettlement(context, settlement, verdict)
    else if (waited < PATIENCE) await new Promise((resolve) => setTimeout(resolve, PAUSE))
    else
      throw unavailable(
        'settlement-undecided',
        `The network does not take this trade now (${reasonOf(verdict)}): submit the same again to learn how it ends`,
      )
  }
}

const reasonOf = ({ reasons }: PackageVerdict) => [...new Set(reasons.values())].join('; ')

/**
 * Tests a package, then sends what of it is not out yet. `submitpackage` is not atomic: each parent that pays its own way
 * stays in the mempool where the rest is refused. So nothing is sent that fails the test, with one exception
 * (`entersTogether`), and this holds for the request and for the jobs that send again.
 */
async function send({ sql, node }: Context, settlement: SettlementRow): Promise<PackageVerdict> {
  const { transactions } = settlement
  if (await node.isInMempool(transactions.at(-1)!.txid)) return SENT
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

const SENT: PackageVerdict = { ok: true, reasons: new Map(), refused: [] }

/** Other unconfirmed parents of a package's child: a package has to name all parents, also those that the mempool has. */
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
    log.warn({ err: error, settlementId: settlement.settlementId }, 'a settlement has no first child'),
  )
}

/** Handles that a package was sent: its own kind first, then the orders that depended on the coins that it spends. */
export async function handleSent(
  kinds: SettlementKinds,
  tx: Transaction,
  settlement: SettlementRow,
  now: Date,
): Promise<void> {
  await kinds.of(settlement).sent?.(tx, settlement, now)
  await endDependents(kinds.orders)(tx, spendsOf(settlement.transactions), now)
}

/** The coins of others that a package spends. */
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
  verdict: PackageVerdict,
): Promise<void> {
  const { sql, clock, log } = context
  const { refused } = verdict
  const failure = reasonOf(verdict)
  const { settlementId, kind, transactions } = settlement
  const coins = await restsOn(context, transactions)
  const spent = await spentElsewhere(context, transactions, coins)
  await inTransaction(sql, async (tx) => {
    if (!(await moveToFailed(tx, settlementId, failure))) return
    // What the mempool was seen to spend meanwhile nobody was told of: the coins were in our hands.
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
      now: clock(),
    })
    if (blamed) await setFailure(tx, settlementId, `${failure}; ${blamed}`)
    // Other orders that depend on the spent coins did not end while this settlement held the coins.
    await endDependents(context.kinds.orders)(tx, gone, clock())
    // Orders that ended because this package spent their coins may come back.
    await recheckCoins(tx, { coins: spendsOf(transactions), txids: [...own] })
  })
  log.warn({ settlementId, kind, failure }, 'a settlement failed')
}

/** Follows every settlement that is not confirmed. Run on start and after. */
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
 * True when a coin that the package rests on is gone from the chain by something other than the package. Judged only
 * while the index holds the node's tip before and after: else the settlement itself may be what spent it.
 */
async function isImpossible({ sql, node }: Context, settlement: SettlementRow): Promise<boolean> {
  if (!(await isAtTip(sql, node))) return false
  let gone = false
  for (const coin of await restsOn({ sql, node }, settlement.transactions))
    gone ||= (await node.txOut(coin, { mempool: false })) === null
  // Never out and now refused although nothing is spent: a conflict in the mempool. Nothing of it can settle later.
  const neverOut = settlement.state === 'intended'
  if (!gone && !neverOut) return false
  const now = await findSettlement(sql, settlement.settlementId)
  return (await isAtTip(sql, node)) && (now?.state === 'intended' || now?.state === 'broadcast')
}

/**
 * The coins of the chain that a package rests on now: what its transactions spend of others, and the outputs of those of
 * its transactions that a block has taken already. A package that spends the change of a live settlement rests on the
 * same coins as that settlement.
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

/** Transactions, and with them those of the live settlements whose change they spend, and so on. */
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

/** Of the coins that a package rests on, those that something else spends, in a block or in the mempool. */
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
