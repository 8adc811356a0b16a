import { OUTPOINT_BYTES, OutpointTable } from './outpoint-table.ts'
import { MissingLeaf, Ropes, resized } from './ropes.ts'

/** A transaction as the flow of sats needs it, without decoding scripts. */
export interface SatTransaction {
  /** Hex, display order. */
  readonly txid: string
  /** The txid in serialization order. */
  readonly hash: Uint8Array
  readonly mayInscribe: boolean
  /** Visits the inputs: the serialized outpoint at `at`, and its value. The coinbase has none. */
  forEachCoin(visit: (bytes: Uint8Array, at: number, valueSats: number) => void): void
  forEachValue(visit: (valueSats: number) => void): void
}

export interface SatBlock {
  transactions: readonly SatTransaction[]
  firstSat: number
  subsidySats: number
}

/** Changes of coins by a block. Entries are numbers of outpoints. */
export interface SatChange {
  /** Coins of earlier blocks that were spent or replaced, with their former ropes. */
  taken: { entry: number; root: number }[]
  /** Coins that were created and not spent. */
  made: number[]
}

/** Yields leaves that must be loaded. */
export type Loading<T> = Generator<readonly number[], T, void>

const NULL_HASH = new Uint8Array(32)
/** Output index of the null outpoint, which has the lost sats. */
const NULL_VOUT = 0xffffffff

/**
 * Moves the sats of coins through blocks, first in, first out (ord handbook, "Ordinal Theory"). Load the coins that `wanted` returns
 * first.
 */
export class SatFlow {
  readonly ropes: Ropes
  private readonly table = new OutpointTable()
  /** By entry: the rope of the coin; 0 if spent or unknown. */
  private roots = new Int32Array(2 ** 12)
  private known = new Uint8Array(2 ** 12)
  /** By entry: 1 if the block created the coin and has not spent it. */
  private fresh = new Uint8Array(2 ** 12)
  private readonly reveals = new Map<string, { roots: number[]; ends: number[] }>()
  private readonly key = new Uint8Array(OUTPOINT_BYTES)
  private readonly keyView = new DataView(this.key.buffer)
  private readonly inputs: number[] = []
  private readonly values: number[] = []
  private readonly outputs: number[] = []

  constructor(ropes = new Ropes()) {
    this.ropes = ropes
  }

  /** Removes all coins. */
  reset(): void {
    this.known.fill(0, 0, this.table.size)
    this.roots.fill(0, 0, this.table.size)
    this.fresh.fill(0, 0, this.table.size)
    this.table.clear()
    this.ropes.reset()
    this.reveals.clear()
  }

  /**
   * Returns coins to load: spent coins, outputs of coinbases and the lost sats. A coinbase can repeat an earlier txid (BIP-30). Its
   * outputs replace the earlier ones.
   */
  wanted(blocks: readonly SatBlock[]): number[] {
    const wanted: number[] = []
    const want = (bytes: Uint8Array, at: number) => {
      const entry = this.entryOf(bytes, at)
      if (this.known[entry]) return
      this.known[entry] = 1
      wanted.push(entry)
    }
    const own = new OutpointTable()
    want(this.keyOf(NULL_HASH, NULL_VOUT), 0)
    for (const { transactions } of blocks)
      for (const [index, transaction] of transactions.entries()) {
        const { hash } = transaction
        transaction.forEachCoin((bytes, at, valueSats) => {
          if (valueSats === 0) return
          if (!own.hasTxid(bytes, at)) want(bytes, at)
        })
        own.addTxid(hash, 0)
        let vout = 0
        if (index === 0)
          transaction.forEachValue((valueSats) => {
            if (valueSats > 0) want(this.keyOf(hash, vout), 0)
            vout++
          })
      }
    return wanted
  }

  /** Number of coins. */
  get size(): number {
    return this.table.size
  }

  /** Returns the serialized outpoint of a coin. */
  outpointOf(entry: number): Uint8Array {
    return this.table.bytesOf(entry)
  }

  /** Returns the rope of a coin; 0 if it is spent. */
  rootOf(entry: number): number {
    return this.roots[entry]!
  }

  load(entry: number, root: number): void {
    this.roots[entry] = root
  }

  /** Applies a block. */
  *block({ transactions, firstSat, subsidySats }: SatBlock): Loading<SatChange> {
    this.reveals.clear()
    const taken: SatChange['taken'] = []
    const made: number[] = []
    const subsidy = this.ropes.one(firstSat, subsidySats)
    const reward = subsidy === 0 ? [] : [subsidy]
    for (const transaction of transactions.slice(1)) {
      const inputs = this.spend(transaction, taken)
      const rest = yield* this.lay(transaction, inputs, taken, made)
      if (rest !== 0) reward.push(rest)
    }
    const lost = yield* this.lay(transactions[0]!, reward, taken, made)
    if (lost !== 0) {
      const entry = this.entryOf(this.keyOf(NULL_HASH, NULL_VOUT), 0)
      const former = this.roots[entry]!
      const joined = yield* this.loading(() => this.ownLeaf(this.ropes.join(former, lost)))
      this.put(entry, joined, taken, made)
    }
    const unspent = made.filter((entry) => this.fresh[entry] === 1)
    for (const entry of unspent) this.fresh[entry] = 0
    return { taken, made: unspent }
  }

  /** Returns the sat at an offset across the inputs of a transaction that may inscribe, or null. */
  *satOf(revealTxid: string, inputOffset: number): Loading<number | null> {
    const reveal = this.reveals.get(revealTxid)
    if (!reveal) return null
    const { roots, ends } = reveal
    if (ends.length === 0) {
      let total = 0
      for (const root of roots) ends.push((total += this.ropes.sats[root]!))
    }
    const index = firstAbove(ends, inputOffset)
    if (index === ends.length) return null
    const start = index === 0 ? 0 : ends[index - 1]!
    return yield* this.loading(() => this.ropes.satAt(roots[index]!, inputOffset - start))
  }

  /** Removes the coins that a transaction spends, and returns their ropes. */
  private spend(transaction: SatTransaction, taken: SatChange['taken']): number[] {
    const { inputs, ropes } = this
    inputs.length = 0
    transaction.forEachCoin((bytes, at, valueSats) => {
      if (valueSats === 0) return
      const entry = this.table.find(bytes, at)
      const root = entry === -1 ? 0 : this.roots[entry]!
      if (root === 0 || ropes.sats[root] !== valueSats)
        throw new RangeError(`the sats of an input of ${transaction.txid} are unknown`)
      this.roots[entry] = 0
      if (this.fresh[entry] === 1) this.fresh[entry] = 0
      else taken.push({ entry, root })
      inputs.push(root)
    })
    if (transaction.mayInscribe) this.reveals.set(transaction.txid, { roots: [...inputs], ends: [] })
    return inputs
  }

  /** Deals sats to the outputs of a transaction. Returns the rest. */
  private *lay(
    transaction: SatTransaction,
    inputs: readonly number[],
    taken: SatChange['taken'],
    made: number[],
  ): Loading<number> {
    const { values, outputs } = this
    values.length = 0
    transaction.forEachValue((valueSats) => values.push(valueSats))
    const rest = yield* this.loading(
      () => this.deal(inputs),
      () => this.leavesToCut(inputs),
    )
    const { hash } = transaction
    for (let vout = 0; vout < outputs.length; vout++)
      if (outputs[vout] !== 0) this.put(this.entryOf(this.keyOf(hash, vout), 0), outputs[vout]!, taken, made)
    return rest
  }

  private put(entry: number, root: number, taken: SatChange['taken'], made: number[]): void {
    const former = this.roots[entry]!
    this.roots[entry] = root
    if (this.fresh[entry] === 1) return
    if (former !== 0) taken.push({ entry, root: former })
    this.fresh[entry] = 1
    made.push(entry)
  }

  /**
   * Fills `outputs` with ropes for `values`. Returns the rest. The outputs have too few sats only in a trial run of the first transactions
   * of a block, whose coinbase claims the fees of all.
   */
  private deal(inputs: readonly number[]): number {
    const { ropes, values, outputs } = this
    outputs.length = 0
    if (inputs.length === 1 && values.length === 1 && ropes.sats[inputs[0]!] === values[0]) {
      outputs.push(inputs[0]!)
      return 0
    }
    if (inputs.every((root) => ropes.isLeaf(root))) return this.dealLeaves(inputs)
    let rest = this.gather(inputs)
    for (const value of values) {
      if (rest !== 0) ropes.split(rest, value)
      outputs.push(rest === 0 ? 0 : this.ownLeaf(ropes.before))
      if (rest !== 0) rest = ropes.after
    }
    return rest
  }

  /** Joins the inputs. Adjacent small coins are concatenated first. */
  private gather(inputs: readonly number[]): number {
    const { ropes } = this
    let all = 0
    for (let i = 0; i < inputs.length; ) {
      const from = i
      while (i < inputs.length && ropes.isLeaf(inputs[i]!)) i++
      if (i - from > 1) {
        const at = ropes.top
        for (const leaf of inputs.slice(from, i)) ropes.copy(leaf)
        all = ropes.join(all, ropes.build(at, ropes.top - at))
      } else {
        all = ropes.join(all, inputs[from]!)
        i = from + 1
      }
    }
    return all
  }

  /** Deals the ranges of small coins in one pass. */
  private dealLeaves(inputs: readonly number[]): number {
    const { ropes, values, outputs } = this
    let count = values.length + 1
    for (const leaf of inputs) count += ropes.count[leaf]!
    ropes.reserve(count)
    const { ranges } = ropes
    let [input, at, end, from, sats] = [0, 0, 0, 0, 0]
    for (let vout = 0; vout <= values.length; vout++) {
      const start = ropes.top
      let wanted = vout < values.length ? values[vout]! : Number.POSITIVE_INFINITY
      let total = 0
      while (wanted > 0) {
        if (sats === 0) {
          if (at === end) {
            if (input === inputs.length) break
            const leaf = inputs[input++]!
            at = ropes.at(leaf) * 2
            end = at + ropes.count[leaf]! * 2
          }
          from = ranges[at]!
          sats = ranges[at + 1]!
          at += 2
        }
        const part = Math.min(sats, wanted)
        ropes.push(from, part)
        total += part
        wanted -= part
        from += part
        sats -= part
      }
      const size = ropes.top - start
      if (size === 0) outputs.push(0)
      else outputs.push(size <= ropes.leafRanges ? ropes.leaf(start, size, total) : ropes.build(start, size))
    }
    return outputs.pop()!
  }

  /** A coin of one leaf is stored without a chunk, so its leaf must not refer to the chunk of a former coin. */
  private ownLeaf(root: number): number {
    const { ropes } = this
    if (root === 0 || !ropes.isLeaf(root) || ropes.chunk[root] === 0) return root
    return ropes.leaf(ropes.at(root), ropes.count[root]!, ropes.sats[root]!)
  }

  /** Returns the leaves that the outputs of a transaction cut and that are not loaded, to load them with one query. */
  private leavesToCut(inputs: readonly number[]): Set<number> {
    const { ropes, values } = this
    const found = new Set<number>()
    let [position, input, start] = [0, 0, 0]
    for (const value of values) {
      position += value
      while (input < inputs.length && start + ropes.sats[inputs[input]!]! <= position)
        start += ropes.sats[inputs[input++]!]!
      if (input === inputs.length) break
      const { leaf } = ropes.leafOf(inputs[input]!, position - start)
      if (!ropes.isLoaded(leaf)) found.add(leaf)
    }
    return found
  }

  /** Repeats a step until all leaves that it needs are loaded. A failed step leaves only unused ranges and nodes. */
  private *loading<T>(step: () => T, others: () => Iterable<number> = () => []): Loading<T> {
    for (;;) {
      const { top } = this.ropes
      try {
        return step()
      } catch (error) {
        if (!(error instanceof MissingLeaf)) throw error
        this.ropes.top = top
        yield [...new Set([error.leaf, ...others()])]
      }
    }
  }

  private keyOf(hash: Uint8Array, vout: number): Uint8Array {
    this.key.set(hash)
    this.keyView.setUint32(32, vout, true)
    return this.key
  }

  private entryOf(bytes: Uint8Array, at: number): number {
    const entry = this.table.add(bytes, at)
    if (entry >= this.roots.length) {
      this.roots = resized(this.roots, new Int32Array(2 * this.roots.length))
      this.known = resized(this.known, new Uint8Array(2 * this.known.length))
      this.fresh = resized(this.fresh, new Uint8Array(2 * this.fresh.length))
    }
    return entry
  }
}

/** Returns the index of the first element above a number in an ascending list. */
function firstAbove(list: readonly number[], than: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! <= than) low = middle + 1
    else high = middle
  }
  return low
}
