import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { hexOfTransaction, type Tx, txidOf, vsizeOf, wtxidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Block } from './block.ts'
import { Chain, outputSatsOf, RejectError } from './chain.ts'
import { type Entry, Mempool } from './mempool.ts'
import type { Store } from './store.ts'

export interface PackageResult {
  txid: string
  wtxid: string
  vsize: number
  feeSats: number | null
  error: string | null
  details: string | null
}

export class Node {
  readonly chain = new Chain()
  readonly mempool = new Mempool(this.chain)
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
    for (const record of store.read()) {
      if (record.kind === 'block') this.chain.accept(record.block)
      else if (record.kind === 'invalidate') this.chain.invalidate(record.hash)
      else this.chain.reconsider(record.hash)
    }
    this.mempool.restore(store.readMempool())
  }

  /** Mines `count` blocks with the whole mempool. Returns their hashes. */
  mine(script: Uint8Array, count: number): string[] {
    return Array.from({ length: count }, () => this.mineWith(script, [...this.mempool.entries.values()]).hash)
  }

  /** Mines a block with exactly these transactions, ignoring policy. */
  mineExactly(script: Uint8Array, transactions: readonly Tx[]): Block {
    return this.commit(this.chain.mine(script, transactions, this.feesOf(transactions)))
  }

  private mineWith(script: Uint8Array, entries: readonly Entry[]): Block {
    // Sort parents first. Insertion order differs after a replacement or reorg.
    const ordered: Entry[] = []
    const placed = new Set<string>()
    const visit = (entry: Entry) => {
      if (placed.has(entry.txid)) return
      placed.add(entry.txid)
      for (const parent of entry.parents) visit(this.mempool.entries.get(parent)!)
      ordered.push(entry)
    }
    for (const entry of entries) visit(entry)
    const feesSats = sumSats(ordered.map((entry) => entry.feeSats))
    return this.commit(
      this.chain.mine(
        script,
        ordered.map((entry) => entry.tx),
        feesSats,
      ),
    )
  }

  /** Implements `submitblock` for blocks on the tip. Returns null or the reject reason. */
  takeBlock(block: Block): string | null {
    if (this.chain.blocks.has(block.hash)) return 'duplicate'
    if (block.header.previous !== this.chain.tip.hash) return 'inconclusive'
    try {
      this.chain.extend(block)
    } catch (error) {
      if (!(error instanceof RejectError)) throw error
      return error.message
    }
    this.commit(block)
    return null
  }

  private commit(block: Block): Block {
    this.store.appendBlock(block)
    this.mempool.settle(block.transactions)
    return block
  }

  private feesOf(transactions: readonly Tx[]): number {
    const newOutputs = new Map(
      transactions.flatMap((tx) => {
        const txid = txidOf(tx)
        return tx.outputs.map((output, vout) => [formatOutpoint({ txid, vout }), output] as const)
      }),
    )
    return sumSats(
      transactions.map((tx) => {
        const inputs = tx.inputs.map((input) => {
          const key = formatOutpoint(input)
          const coin = newOutputs.get(key) ?? this.chain.unspent.get(key)
          if (!coin) throw new RejectError('bad-txns-inputs-missingorspent')
          return coin.valueSats
        })
        return sumSats(inputs) - outputSatsOf(tx)
      }),
    )
  }

  /** Invalidates or reconsiders a block. Disconnected transactions return to the mempool. */
  judge(kind: 'invalidate' | 'reconsider', hash: string): void {
    if (!this.chain.blocks.has(hash)) throw new RejectError('Block not found')
    const fallen = this.chain[kind](hash)
    this.store.appendJudgement(kind, hash)
    this.mempool.restore(fallen)
  }

  /** Tests transactions in order, each after the previous ones, without changing the mempool. */
  test(transactions: readonly Tx[]): PackageResult[] {
    const trial = new Mempool(this.chain)
    trial.restore([...this.mempool.entries.values()].map((entry) => entry.tx))
    let failed = false
    return transactions.map((tx) => {
      const result = failed ? describe(tx, null, 'package-not-fully-validated') : attempt(trial, tx)
      failed ||= result.error !== null
      return result
    })
  }

  /** Implements `submitpackage`. Retries a version 3 parent below the minimum rate together with its child. */
  submitPackage(transactions: readonly Tx[]): { results: PackageResult[]; replaced: string[] } {
    const replaced: Entry[] = []
    const results = transactions.map((tx) => attempt(this.mempool, tx, undefined, replaced))
    const child = transactions.at(-1)!
    const isLow = (result: PackageResult) => result.error?.startsWith('min relay fee not met') === true
    if (results.length === 2 && isLow(results[0]!) && transactions[0]!.version === 3 && child.version === 3) {
      const [parent] = transactions
      const before = [...this.mempool.entries.values()].map((entry) => entry.tx)
      const first = attempt(this.mempool, parent!, Number.POSITIVE_INFINITY, replaced)
      const second = first.error
        ? describe(child, null, first.error, first.details)
        : attempt(this.mempool, child, undefined, replaced)
      const rate = ((first.feeSats ?? 0) + (second.feeSats ?? 0)) / (first.vsize + second.vsize)
      if (second.error || rate < 0.1) {
        // Do not keep a parent below the minimum rate without its child.
        if (!first.error) this.mempool.remove(first.txid)
        this.mempool.restore(before)
        const reason = second.error ?? 'package feerate too low'
        // Like Core, report the parent's low fee unless the parent has another fault.
        return { results: [first.error ? first : results[0]!, describe(child, null, reason)], replaced: [] }
      }
      return { results: [first, second], replaced: replaced.map((entry) => entry.txid) }
    }
    return { results, replaced: replaced.map((entry) => entry.txid) }
  }

  close(): void {
    this.store.writeMempool([...this.mempool.entries.values()].map((entry) => hexOfTransaction(entry.tx)))
  }
}

function attempt(mempool: Mempool, tx: Tx, packageRate?: number, replaced?: Entry[]): PackageResult {
  try {
    const accepted = mempool.accept(tx, packageRate)
    replaced?.push(...accepted.replaced)
    return describe(tx, accepted.entry.feeSats, null)
  } catch (error) {
    if (!(error instanceof RejectError)) throw error
    // The transaction is already in the mempool.
    const entry = mempool.entries.get(txidOf(tx))
    if (entry && replaced) return describe(tx, entry.feeSats, null)
    return describe(tx, null, error.message, error.details)
  }
}

function describe(
  tx: Tx,
  feeSats: number | null,
  error: string | null,
  details: string | null = null,
): PackageResult {
  return { txid: txidOf(tx), wtxid: wtxidOf(tx), vsize: vsizeOf(tx), feeSats, error, details }
}
