import { formatOutpoint, type Outpoint } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'

/** Sat numbers of an output as a flat list of ranges: from, to (exclusive), from, to. */
export type SatRanges = readonly number[]

/** Sats of unspent outputs. Records changes. */
export class SatRangeCache {
  private readonly coins = new Map<string, { outpoint: Outpoint; ranges: SatRanges }>()
  private readonly createdKeys = new Set<string>()
  /** Loaded outputs that were spent. */
  readonly spent: Outpoint[] = []

  load(outpoint: Outpoint, ranges: SatRanges): void {
    this.coins.set(formatOutpoint(outpoint), { outpoint, ranges })
  }

  find(outpoint: Outpoint): SatRanges | null {
    return this.coins.get(formatOutpoint(outpoint))?.ranges ?? null
  }

  get made(): { outpoint: Outpoint; ranges: SatRanges }[] {
    return [...this.createdKeys].map((key) => this.coins.get(key)!)
  }

  /** Throws RangeError for an unknown output. The index must start at the first block. */
  take(outpoint: Outpoint): SatRanges {
    const key = formatOutpoint(outpoint)
    const coin = this.coins.get(key)
    if (!coin) throw new RangeError(`no sats are known for output ${key}`)
    this.coins.delete(key)
    if (!this.createdKeys.delete(key)) this.spent.push(coin.outpoint)
    return coin.ranges
  }

  put(outpoint: Outpoint, ranges: SatRanges): void {
    const key = formatOutpoint(outpoint)
    this.coins.set(key, { outpoint, ranges })
    this.createdKeys.add(key)
  }
}

export interface SatFlow {
  /** Spent outputs of earlier blocks, to undo the block. */
  taken: { outpoint: Outpoint; ranges: SatRanges }[]
  /** All created outputs, including spent ones. */
  made: Outpoint[]
  /** Returns the sat at an offset across a reveal's inputs, or null. */
  satOf(revealTxid: string, inputOffset: number): number | null
}

/** Applies a block. Updates `cache` in place. */
export function flowSats(
  transactions: readonly BlockTransaction[],
  { firstSat, subsidySats, cache }: { firstSat: number; subsidySats: number; cache: SatRangeCache },
): SatFlow {
  const taken: SatFlow['taken'] = []
  const made: Outpoint[] = []
  const own = new Set<string>()
  const reveals = new Map<string, (offset: number) => number | null>()
  const reward: number[] = subsidySats > 0 ? [firstSat, firstSat + subsidySats] : []
  const lay = (transaction: BlockTransaction, sats: SatRanges): SatRanges => {
    const { txid } = transaction
    const dealer = new Dealer(sats)
    for (const [vout, { valueSats }] of transaction.outputs.entries()) {
      const ranges = dealer.deal(valueSats)
      if (valueSats === 0) continue
      const outpoint = { txid, vout }
      cache.put(outpoint, ranges)
      made.push(outpoint)
    }
    own.add(txid)
    return dealer.rest()
  }
  for (const transaction of transactions.slice(1)) {
    const sats: number[] = []
    const { prevouts } = transaction
    for (const [index, { txid, vout }] of transaction.outpoints.entries()) {
      if (prevouts[index]!.valueSats === 0) continue
      const ranges = cache.take({ txid, vout })
      if (!own.has(txid)) taken.push({ outpoint: { txid, vout }, ranges })
      for (const bound of ranges) sats.push(bound)
    }
    if (transaction.mayInscribe) reveals.set(transaction.txid, satFinder(sats))
    for (const bound of lay(transaction, sats)) reward.push(bound)
  }
  lay(transactions[0]!, reward)
  return {
    taken,
    made,
    satOf: (revealTxid, inputOffset) => reveals.get(revealTxid)?.(inputOffset) ?? null,
  }
}

/** Returns a binary search by offset. A reveal can have 100,000 inscriptions. */
function satFinder(ranges: SatRanges): (offset: number) => number | null {
  let ends: number[] | null = null
  return (offset) => {
    if (!ends) {
      let total = 0
      ends = []
      for (let i = 0; i < ranges.length; i += 2) ends.push((total += ranges[i + 1]! - ranges[i]!))
    }
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low === ends.length ? null : ranges[2 * low + 1]! - (ends[low]! - offset)
  }
}

/** Consumes ranges in order. */
class Dealer {
  private readonly ranges: SatRanges
  private index = 0
  private from: number

  constructor(ranges: SatRanges) {
    this.ranges = ranges
    this.from = ranges[0] ?? 0
  }

  deal(count: number): number[] {
    const dealt: number[] = []
    while (count > 0 && this.index < this.ranges.length) {
      const to = this.ranges[this.index + 1]!
      const end = Math.min(to, this.from + count)
      dealt.push(this.from, end)
      count -= end - this.from
      this.from = end
      if (end === to) {
        this.index += 2
        this.from = this.ranges[this.index] ?? 0
      }
    }
    return dealt
  }

  rest(): number[] {
    return this.deal(Number.MAX_SAFE_INTEGER)
  }
}
