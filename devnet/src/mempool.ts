import { dustLimitOf, kindOfScript } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Tx, txidOf, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import {
  type Chain,
  COINBASE_MATURITY,
  checkTransaction,
  outputSatsOf,
  RejectError,
  type Unspent,
} from './chain.ts'

export interface Entry {
  tx: Tx
  txid: string
  vsize: number
  feeSats: number
  time: number
  parents: Set<string>
}

/** Minimum relay fee rate and increment in sat/vB, as in Bitcoin Core. */
const MIN_RELAY_SAT_VB = 0.1
const MAX_ANCESTORS = 25

/**
 * Unconfirmed transactions, with the relay policies that affect the market: minimum fee rate, dust, full RBF, ancestor and descendant
 * limits, and version 3 (BIP-431).
 */
export class Mempool {
  readonly entries = new Map<string, Entry>()
  private readonly spends = new Map<string, string>()
  private readonly chain: Chain

  constructor(chain: Chain) {
    this.chain = chain
  }

  /** Returns the txid of the mempool transaction that spends an outpoint. */
  spenderOf(outpoint: { txid: string; vout: number }): string | undefined {
    return this.spends.get(formatOutpoint(outpoint))
  }

  /** Returns an unspent output from the chain or the mempool. */
  private coin(outpoint: { txid: string; vout: number }): Unspent | undefined {
    const parent = this.entries.get(outpoint.txid)?.tx.outputs[outpoint.vout]
    if (parent) return { ...parent, height: this.chain.height + 1, coinbase: false }
    return this.chain.unspent.get(formatOutpoint(outpoint))
  }

  /**
   * Adds a transaction. Returns its entry and the replaced entries. `packageRate` (sat/vB) overrides its fee rate. Throws RejectError
   * without changing the mempool.
   */
  accept(tx: Tx, packageRate?: number): { entry: Entry; replaced: Entry[] } {
    const txid = txidOf(tx)
    if (this.entries.has(txid)) throw new RejectError('txn-already-in-mempool')
    if (this.chain.transactions.has(txid)) throw new RejectError('txn-already-known')
    this.checkStandard(tx)
    const coins = tx.inputs.map((input) => this.coin(input))
    if (coins.some((coin) => !coin)) {
      throw new RejectError(
        tx.inputs.some((input) => this.chain.transactions.has(input.txid)) ||
          tx.inputs.some((input) => this.entries.has(input.txid))
          ? 'bad-txns-inputs-missingorspent'
          : 'missing-inputs',
      )
    }
    const spentCoins = coins as Unspent[]
    if (spentCoins.some((coin) => coin.coinbase && this.chain.height + 1 - coin.height < COINBASE_MATURITY))
      throw new RejectError('bad-txns-premature-spend-of-coinbase')
    this.checkFinal(tx, spentCoins)
    const vsize = vsizeOf(tx)
    const inputsSats = sumSats(spentCoins.map((coin) => coin.valueSats))
    const feeSats = inputsSats - outputSatsOf(tx)
    if (feeSats >= 0) {
      const floor = feeOf(vsize, MIN_RELAY_SAT_VB)
      if (
        feeSats < floor &&
        (packageRate === undefined || packageRate < MIN_RELAY_SAT_VB || tx.version !== 3)
      )
        throw new RejectError(`min relay fee not met, ${feeSats} < ${floor}`)
    }
    const parents = new Set(tx.inputs.map((input) => input.txid).filter((parent) => this.entries.has(parent)))
    const entry: Entry = { tx, txid, vsize, feeSats, time: this.chain.now(), parents }
    const conflicts = this.conflictsOf(tx)
    // BIP-431: a version 3 parent has one child. A second child must replace the first.
    if (tx.version === 3)
      for (const parent of parents) for (const sibling of this.childrenOf(parent)) conflicts.add(sibling)
    this.checkReplacement(entry, conflicts)
    this.checkFamily(entry, conflicts)
    checkTransaction(tx, spentCoins)
    const replaced = [...conflicts].flatMap((id) => this.remove(id))
    this.entries.set(txid, entry)
    for (const input of tx.inputs) this.spends.set(formatOutpoint(input), txid)
    return { entry, replaced }
  }

  /** Removes a transaction and its descendants. */
  remove(txid: string): Entry[] {
    const entry = this.entries.get(txid)
    if (!entry) return []
    const removed = [...this.childrenOf(txid)].flatMap((child) => this.remove(child))
    this.entries.delete(txid)
    for (const input of entry.tx.inputs) this.spends.delete(formatOutpoint(input))
    return [entry, ...removed]
  }

  /** Removes the transactions of a new block and their conflicts. */
  settle(transactions: readonly Tx[]): void {
    for (const tx of transactions) {
      const txid = txidOf(tx)
      const entry = this.entries.get(txid)
      if (entry) {
        // Read the children first: they are found by the entry's outputs.
        for (const child of this.childrenOf(txid)) this.entries.get(child)!.parents.delete(txid)
        this.entries.delete(txid)
        for (const input of tx.inputs) this.spends.delete(formatOutpoint(input))
      } else
        for (const input of tx.inputs) {
          const spender = this.spenderOf(input)
          if (spender) this.remove(spender)
        }
    }
  }

  /** Adds transactions disconnected by a reorg, and drops entries that are no longer valid. */
  restore(fallen: readonly Tx[]): void {
    const candidates = [...fallen, ...[...this.entries.values()].map((entry) => entry.tx)]
    this.entries.clear()
    this.spends.clear()
    for (const tx of candidates) {
      try {
        this.accept(tx, Number.POSITIVE_INFINITY)
      } catch (error) {
        if (!(error instanceof RejectError)) throw error
      }
    }
  }

  /** Returns unconfirmed ancestors, including the given transactions. */
  ancestorsOf(parents: Iterable<string>): Set<string> {
    const all = new Set<string>()
    const walk = (txid: string) => {
      if (all.has(txid)) return
      all.add(txid)
      for (const parent of this.entries.get(txid)?.parents ?? []) walk(parent)
    }
    for (const parent of parents) walk(parent)
    return all
  }

  childrenOf(txid: string): Set<string> {
    const children = new Set<string>()
    for (const vout of this.entries.get(txid)?.tx.outputs.keys() ?? []) {
      const child = this.spends.get(formatOutpoint({ txid, vout }))
      if (child) children.add(child)
    }
    return children
  }

  /** Returns a transaction and its descendants. */
  familyBelow(txid: string): Set<string> {
    const all = new Set<string>()
    const walk = (id: string) => {
      if (all.has(id)) return
      all.add(id)
      for (const child of this.childrenOf(id)) walk(child)
    }
    walk(txid)
    return all
  }

  private conflictsOf(tx: Tx): Set<string> {
    const conflicts = new Set<string>()
    for (const input of tx.inputs) {
      const spender = this.spenderOf(input)
      if (spender) conflicts.add(spender)
    }
    return conflicts
  }

  private checkStandard(tx: Tx): void {
    if (tx.version < 1 || tx.version > 3) throw new RejectError('version')
    if (vsizeOf(tx) > 100_000) throw new RejectError('tx-size')
    for (const output of tx.outputs) {
      if (output.script[0] === 0x6a) continue
      if (kindOfScript(output.script) === 'other') throw new RejectError('scriptpubkey')
      if (output.valueSats < dustLimitOf(output.script)) throw new RejectError('dust')
    }
  }

  private checkFinal(tx: Tx, coins: readonly Unspent[]): void {
    const height = this.chain.height + 1
    const final = tx.inputs.every((input) => input.sequence === 0xffffffff)
    if (tx.locktime > 0 && !final) {
      const limit = tx.locktime < 500_000_000 ? height : this.chain.tip.header.time
      if (tx.locktime >= limit) throw new RejectError('non-final')
    }
    for (const [i, input] of tx.inputs.entries()) {
      if (tx.version < 2 || input.sequence >= 2 ** 31) continue
      if ((input.sequence & 0x400000) !== 0)
        throw new RejectError('The devnet does not support time-based relative locktimes.')
      if (coins[i]!.height + (input.sequence & 0xffff) > height) throw new RejectError('non-BIP68-final')
    }
  }

  /** BIP-125 with full RBF: higher total fee, higher fee rate, and payment for relay. */
  private checkReplacement(entry: Entry, conflicts: ReadonlySet<string>): void {
    if (conflicts.size === 0) return
    const evicted = new Set([...conflicts].flatMap((id) => [...this.familyBelow(id)]))
    for (const ancestor of this.ancestorsOf(entry.parents))
      if (evicted.has(ancestor)) throw new RejectError('bad-txns-spends-conflicting-tx')
    if (evicted.size > 100) throw new RejectError('too many potential replacements')
    for (const id of conflicts) {
      const old = this.entries.get(id)!
      if (entry.feeSats / entry.vsize <= old.feeSats / old.vsize)
        throw new RejectError('insufficient fee, rejecting replacement; new feerate not above old feerate')
    }
    const oldFees = sumSats([...evicted].map((id) => this.entries.get(id)!.feeSats))
    if (entry.feeSats < oldFees)
      throw new RejectError('insufficient fee, rejecting replacement, less fees than conflicting txs')
    if (entry.feeSats - oldFees < feeOf(entry.vsize, MIN_RELAY_SAT_VB))
      throw new RejectError('insufficient fee, rejecting replacement, not enough additional fees to relay')
  }

  /** Checks ancestor and descendant limits. Like Core, allows replacing a single descendant. */
  private checkFamily(entry: Entry, conflicts: ReadonlySet<string>): void {
    const ancestors = this.ancestorsOf(entry.parents)
    if (ancestors.size + 1 > MAX_ANCESTORS) throw new RejectError('too-long-mempool-chain')
    for (const ancestor of ancestors)
      if (this.familyBelow(ancestor).size + 1 > MAX_ANCESTORS + (conflicts.size === 1 ? 1 : 0))
        throw new RejectError('too-long-mempool-chain')
    // BIP-431
    const isTruc = entry.tx.version === 3
    for (const parent of entry.parents)
      if ((this.entries.get(parent)!.tx.version === 3) !== isTruc)
        throw new RejectError(
          isTruc
            ? 'TRUC-violation, version=3 tx cannot spend from non-version=3 tx'
            : 'TRUC-violation, non-version=3 tx cannot spend from version=3 tx',
        )
    if (!isTruc) return
    if (entry.vsize > 10_000 || (ancestors.size > 0 && entry.vsize > 1_000))
      throw new RejectError('TRUC-violation, version=3 tx is too big')
    if (ancestors.size > 1) throw new RejectError('TRUC-violation, too many ancestors')
  }
}
