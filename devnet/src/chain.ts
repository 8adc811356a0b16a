import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { MAX_SATS, sumSats } from '@ordbook/bitcoin/sats.ts'
import { verifyInput } from '@ordbook/bitcoin/script-interpreter.ts'
import { ScriptError } from '@ordbook/bitcoin/tapscript.ts'
import { type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { type Block, genesisBlock, meetsTarget, merkleRoot, mineBlock } from './block.ts'

export interface Unspent extends TxOutput {
  height: number
  coinbase: boolean
}

/** A transaction or block was rejected. The message is Core's reject reason. */
export class RejectError extends Error {
  readonly details: string | null

  constructor(message: string, details: string | null = null) {
    super(message)
    this.details = details
  }
}

export const COINBASE_MATURITY = 100
const HALVING_INTERVAL = 150

interface Connected {
  block: Block
  /** Spent outputs per transaction and input, restored on disconnect. */
  spent: Unspent[][]
}

/** The regtest chain, in memory. The longest valid chain is active; on a tie, the first one seen. */
export class Chain {
  readonly blocks = new Map<string, Block>()
  readonly unspent = new Map<string, Unspent>()
  readonly transactions = new Map<string, { tx: Tx; block: string; height: number }>()
  /** Time set by `setmocktime`, in Unix seconds. 0 uses the system clock. */
  mockTime = 0
  private readonly active: Connected[] = []
  private readonly invalid = new Set<string>()

  constructor() {
    const genesis = genesisBlock()
    this.blocks.set(genesis.hash, genesis)
    this.active.push({ block: genesis, spent: [[]] })
  }

  /** Returns the current time in Unix seconds. */
  now(): number {
    return this.mockTime || Math.floor(Date.now() / 1000)
  }

  get height(): number {
    return this.active.length - 1
  }

  get tip(): Block {
    return this.active.at(-1)!.block
  }

  at(height: number): Block | undefined {
    return this.active[height]?.block
  }

  isActive(block: Block): boolean {
    return this.active[block.height]?.block.hash === block.hash
  }

  /** Returns the outputs spent by an active block, per transaction and input. */
  spentBy(block: Block): readonly Unspent[][] | undefined {
    return this.isActive(block) ? this.active[block.height]!.spent : undefined
  }

  /** Mines the next block. Throws RejectError if a transaction is invalid. */
  mine(script: Uint8Array, transactions: readonly Tx[], feesSats: number): Block {
    const height = this.height + 1
    const block = mineBlock({
      previous: this.tip.hash,
      height,
      time: Math.max(this.now(), this.tip.header.time + 1),
      rewardSats: subsidyAt(height, HALVING_INTERVAL) + feesSats,
      script,
      transactions,
    })
    this.connect(block, checkMined)
    this.blocks.set(block.hash, block)
    return block
  }

  /** Connects a submitted block to the tip. Throws RejectError. */
  extend(block: Block): void {
    if (!meetsTarget(block.hash)) throw new RejectError('high-hash')
    if (merkleRoot(block.transactions.map(txidOf)) !== block.header.merkleRoot)
      throw new RejectError('bad-txnmrklroot')
    this.connect(block, checkMined)
    this.blocks.set(block.hash, block)
  }

  /** Adds a stored block and activates the best chain. */
  accept(block: Block): void {
    this.blocks.set(block.hash, block)
    if (block.header.previous === this.tip.hash) this.connect(block)
    else this.activateBest()
  }

  /** Marks a block invalid. Returns the disconnected transactions in chain order. */
  invalidate(hash: string): Tx[] {
    this.invalid.add(hash)
    return this.activateBest()
  }

  /** Undoes `invalidate` of a block, its ancestors and its descendants, as Core does. Returns the disconnected transactions in chain order. */
  reconsider(hash: string): Tx[] {
    const block = this.blocks.get(hash)!
    for (const invalid of this.invalid) {
      const other = this.blocks.get(invalid)!
      const [low, high] = other.height < block.height ? [other, block] : [block, other]
      if (this.ancestorOf(high, low.height) === low) this.invalid.delete(invalid)
    }
    return this.activateBest()
  }

  private ancestorOf(block: Block, height: number): Block {
    let at = block
    while (at.height > height) at = this.blocks.get(at.header.previous)!
    return at
  }

  private lineOf(block: Block): Block[] | null {
    const line: Block[] = []
    for (let at: Block | undefined = block; at; at = this.blocks.get(at.header.previous)) {
      if (this.invalid.has(at.hash)) return null
      line.push(at)
    }
    return line.at(-1)?.height === 0 ? line.reverse() : null
  }

  private activateBest(): Tx[] {
    // Highest first. On a tie, the active block wins, then the first seen.
    const candidates = [...this.blocks.values()].toSorted(
      (a, b) => b.height - a.height || Number(this.isActive(b)) - Number(this.isActive(a)),
    )
    let best: Block[] | null = null
    for (const block of candidates) if ((best = this.lineOf(block))) break
    if (!best) throw new RejectError('The genesis block cannot be invalidated.')
    let common = 0
    while (common < best.length && best[common]?.hash === this.at(common)?.hash) common++
    const fallen: Tx[] = []
    while (this.active.length > common) fallen.unshift(...this.disconnect())
    for (const block of best.slice(common)) this.connect(block)
    return fallen.filter((tx) => !this.transactions.has(txidOf(tx)))
  }

  /** Connects a block. Like Core, skips script checks for stored blocks. */
  private connect(block: Block, feeOf = feeWithoutScripts): void {
    const spent: Unspent[][] = []
    const undo: (() => void)[] = []
    try {
      let feesSats = 0
      for (const [i, tx] of block.transactions.entries()) {
        const coins = i === 0 ? [] : tx.inputs.map((input) => this.spendable(input, block.height))
        if (i > 0) feesSats += feeOf(tx, coins)
        spent.push(coins)
        for (const [j, input] of (i === 0 ? [] : tx.inputs).entries()) {
          this.unspent.delete(formatOutpoint(input))
          undo.push(() => this.unspent.set(formatOutpoint(input), coins[j]!))
        }
        const txid = txidOf(tx)
        for (const [vout, output] of tx.outputs.entries()) {
          if (output.script[0] === 0x6a) continue
          const key = formatOutpoint({ txid, vout })
          this.unspent.set(key, { ...output, height: block.height, coinbase: i === 0 })
          undo.push(() => this.unspent.delete(key))
        }
      }
      const claimed = outputSatsOf(block.transactions[0]!)
      if (claimed > subsidyAt(block.height, HALVING_INTERVAL) + feesSats)
        throw new RejectError('bad-cb-amount')
    } catch (error) {
      for (const step of undo.reverse()) step()
      throw error
    }
    for (const tx of block.transactions)
      this.transactions.set(txidOf(tx), { tx, block: block.hash, height: block.height })
    this.active.push({ block, spent })
  }

  private disconnect(): Tx[] {
    const { block, spent } = this.active.pop()!
    for (const [i, tx] of [...block.transactions.entries()].reverse()) {
      const txid = txidOf(tx)
      this.transactions.delete(txid)
      for (const vout of tx.outputs.keys()) this.unspent.delete(formatOutpoint({ txid, vout }))
      for (const [j, coin] of spent[i]!.entries()) this.unspent.set(formatOutpoint(tx.inputs[j]!), coin)
    }
    return block.transactions.slice(1)
  }

  /** Returns the coin spent by an input at `height`. Throws RejectError if it is missing or immature. */
  private spendable(outpoint: Outpoint, height: number): Unspent {
    const coin = this.unspent.get(formatOutpoint(outpoint))
    if (!coin) throw new RejectError('bad-txns-inputs-missingorspent')
    if (coin.coinbase && height - coin.height < COINBASE_MATURITY)
      throw new RejectError('bad-txns-premature-spend-of-coinbase')
    return coin
  }
}

/** Sums a transaction's outputs in sats. Throws RejectError above the money limit. */
export function outputSatsOf({ outputs }: Tx): number {
  const values = outputs.map((output) => output.valueSats)
  if (values.some((valueSats) => valueSats < 0 || valueSats > MAX_SATS))
    throw new RejectError('bad-txns-vout-toolarge')
  return sumSats(values)
}

/** Checks a transaction that a node may relay. Returns its fee in sats. Throws RejectError. */
export function checkTransaction(tx: Tx, coins: readonly TxOutput[]): number {
  return checkScripts(tx, coins, () => true)
}

/** Checks a transaction in a block, which may spend witness versions of later soft forks with any witness (BIP-141). */
function checkMined(tx: Tx, coins: readonly TxOutput[]): number {
  return checkScripts(tx, coins, ({ script }) => !isLaterWitness(script))
}

function isLaterWitness(script: Uint8Array): boolean {
  const [version, length] = script
  const isWitness =
    version! >= 0x51 && version! <= 0x60 && length === script.length - 2 && length >= 2 && length <= 40
  return isWitness && !(version === 0x51 && length === 32)
}

function checkScripts(tx: Tx, coins: readonly TxOutput[], isChecked: (coin: TxOutput) => boolean): number {
  const feeSats = feeWithoutScripts(tx, coins)
  for (const [index, coin] of coins.entries()) {
    if (!isChecked(coin)) continue
    try {
      verifyInput(tx, index, coins)
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error
      const reason = `mempool-script-verify-flag-failed (${error.message})`
      const spends = formatOutpoint(tx.inputs[index]!)
      throw new RejectError(reason, `${reason}, input ${index} of ${txidOf(tx)}, spending ${spends}`)
    }
  }
  return feeSats
}

/** Like `checkTransaction`, but skips scripts. */
function feeWithoutScripts(tx: Tx, coins: readonly TxOutput[]): number {
  if (tx.inputs.length === 0) throw new RejectError('bad-txns-vin-empty')
  if (tx.outputs.length === 0) throw new RejectError('bad-txns-vout-empty')
  if (new Set(tx.inputs.map(formatOutpoint)).size !== tx.inputs.length)
    throw new RejectError('bad-txns-inputs-duplicate')
  const feeSats = sumSats(coins.map((coin) => coin.valueSats)) - outputSatsOf(tx)
  if (feeSats < 0) throw new RejectError('bad-txns-in-belowout')
  return feeSats
}
