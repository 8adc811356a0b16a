import { bytesToHex, hexToBytes, joinBytes, littleEndian } from '@ordbook/bitcoin/bytes.ts'
import type { SatBlock } from '@ordbook/bitcoin/sat-ropes/flow.ts'

/** From the first sat to the second, exclusive. */
export type Range = [from: number, to: number]
/** Ranges of every unspent coin, by `HASH:VOUT`. The hash is in serialization order. */
export type State = Map<string, Range[]>

interface Transaction {
  hash: string
  inputs: { key: string; valueSats: number }[]
  values: number[]
  mayInscribe: boolean
}

export interface Block {
  height: number
  transactions: Transaction[]
  firstSat: number
  subsidySats: number
  /** Ranges of the inputs of reveals, by txid. */
  reveals: Map<string, Range[]>
}

export const LOST_KEY = `${'0'.repeat(64)}:4294967295`
export const SUBSIDY = 50_000

export function outpointOf(key: string): Uint8Array {
  const [hash, vout] = key.split(':')
  return joinBytes([hexToBytes(hash!), littleEndian(Number(vout), 4)])
}

const txidOf = (hash: string) => bytesToHex(hexToBytes(hash).reverse())

export const satBlockOf = ({ transactions, firstSat, subsidySats }: Block): SatBlock => ({
  firstSat,
  subsidySats,
  transactions: transactions.map(({ hash, inputs, values, mayInscribe }) => ({
    txid: txidOf(hash),
    hash: hexToBytes(hash),
    mayInscribe,
    forEachCoin: (visit) => {
      for (const { key, valueSats } of inputs) visit(outpointOf(key), 0, valueSats)
    },
    forEachValue: (visit) => {
      for (const value of values) visit(value)
    },
  })),
})

/** Seeded random numbers (mulberry32). */
export class Dice {
  state: number
  constructor(seed: number) {
    this.state = seed * 7919
  }
  roll(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * sides)
  }
  chance(percent: number): boolean {
    return this.roll(100) < percent
  }
}

const sizeOf = (ranges: readonly Range[]) => ranges.reduce((sum, [from, to]) => sum + to - from, 0)

/** Random blocks, with a naive index that stores a list of ranges per coin. */
export class RandomSats {
  readonly dice: Dice
  state: State = new Map()
  repeatedCoinbases = 0
  private height = 0
  private nextSat = 0
  private coinbases: Transaction[] = []
  private values = new Map<string, number>()

  constructor(seed: number) {
    this.dice = new Dice(seed)
  }

  copy(): RandomSats {
    const copy = new RandomSats(0)
    copy.restore(this)
    return copy
  }

  /** Returns to an earlier block. Keeps the dice, so that other blocks follow. */
  restore({ state, height, nextSat, coinbases, values }: RandomSats): void {
    this.state = new Map(state)
    this.height = height
    this.nextSat = nextSat
    this.coinbases = [...coinbases]
    this.values = new Map(values)
  }

  block(): Block {
    const { dice } = this
    const block = this.begin()
    for (let n = dice.roll(16); n > 0 && this.values.size > 0; n--) {
      const style = dice.roll(10)
      const inputs = this.take(style < 5 ? 1 + dice.roll(3) : style === 5 ? 40 : 1)
      const total = inputs.reduce((sum, { valueSats }) => sum + valueSats, 0)
      const fee = dice.chance(30) ? 0 : dice.chance(10) ? total : Math.min(total, dice.roll(400))
      const values = this.cut(total - fee, style === 9 ? 60 : 1 + dice.roll(4))
      if (dice.chance(20)) values.splice(dice.roll(values.length + 1), 0, 0)
      this.add(block, { hash: this.hash(), inputs, values, mayInscribe: dice.chance(30) })
    }
    return this.end(block)
  }

  /** Returns a block of one transaction, or of none, whose coinbase claims the subsidy. `outpoint` is the first output. */
  transfer(keys: readonly string[], values: number[]): { block: Block; outpoint: string } {
    const block = this.begin()
    const inputs = keys.map((key) => ({ key, valueSats: this.values.get(key)! }))
    for (const key of keys) this.values.delete(key)
    if (keys.length > 0) this.add(block, { hash: this.hash(), inputs, values, mayInscribe: false })
    const { transactions } = this.end(block, [SUBSIDY])
    return { block, outpoint: `${transactions.at(-1)!.hash}:0` }
  }

  /** Splits a coin of the subsidy into `parts` and merges them in reverse order, once per round. */
  shred(parts: number, rounds: number): { blocks: Block[]; coin: string } {
    const blocks = [this.end(this.begin(), [SUBSIDY * 1000], SUBSIDY * 1000)]
    let coin = `${blocks[0]!.transactions[0]!.hash}:0`
    for (let round = 0; round < rounds; round++) {
      const block = this.begin()
      const valueSats = this.values.get(coin)!
      const each = Math.floor(valueSats / parts) - 3 * round
      const values = [...new Array(parts - 1).fill(each), valueSats - each * (parts - 1)]
      const split = { hash: this.hash(), inputs: [{ key: coin, valueSats }], values, mayInscribe: false }
      const inputs = values
        .map((value, vout) => ({ key: `${split.hash}:${vout}`, valueSats: value }))
        .reverse()
      const merge = { hash: this.hash(), inputs, values: [valueSats], mayInscribe: false }
      this.values.delete(coin)
      this.add(block, split)
      for (const { key } of inputs) this.values.delete(key)
      this.add(block, merge)
      blocks.push(this.end(block, [SUBSIDY]))
      coin = `${merge.hash}:0`
    }
    return { blocks, coin }
  }

  /** Returns a block that moves a coin, without changing the state. */
  moves(coin: string, count: number, feeSats: number): Block {
    const before = this.copy()
    const block = this.begin()
    let valueSats = this.values.get(coin)!
    let key = coin
    for (let n = 0; n < count; n++) {
      const hash = this.hash()
      const values = [valueSats - feeSats]
      block.transactions.push({ hash, inputs: [{ key, valueSats }], values, mayInscribe: false })
      key = `${hash}:0`
      valueSats -= feeSats
    }
    const coinbase = {
      hash: this.hash(),
      inputs: [],
      values: [SUBSIDY + count * feeSats],
      mayInscribe: false,
    }
    block.transactions.unshift(coinbase)
    this.restore(before)
    return block
  }

  private begin(): Block {
    return {
      height: this.height,
      transactions: [],
      firstSat: this.nextSat,
      subsidySats: SUBSIDY,
      reveals: new Map(),
    }
  }

  /** Adds the coinbase, which can claim less than the reward or repeat an earlier txid. */
  private end(block: Block, claimed?: number[], subsidySats = this.dice.chance(5) ? 0 : SUBSIDY): Block {
    const { dice } = this
    block.subsidySats = claimed && subsidySats === 0 ? SUBSIDY : subsidySats
    const fees = this.fees(block)
    const reward = block.subsidySats + sizeOf(fees)
    let sats = reward
    if (dice.chance(40)) sats -= dice.roll(Math.min(sats, 800) + 1)
    if (dice.chance(5)) sats = 0
    let coinbase: Transaction = {
      hash: this.hash(),
      inputs: [],
      values: claimed ?? this.cut(sats, 1 + dice.roll(3)),
      mayInscribe: false,
    }
    const earlier = this.coinbases[dice.roll(this.coinbases.length + 1)]
    if (!claimed && earlier && dice.chance(15) && earlier.values.reduce((a, b) => a + b, 0) <= reward) {
      coinbase = earlier
      if (earlier.values.some((_, vout) => this.values.has(`${earlier.hash}:${vout}`)))
        this.repeatedCoinbases++
    }
    this.coinbases.push(coinbase)
    const subsidy: Range[] =
      block.subsidySats > 0 ? [[block.firstSat, block.firstSat + block.subsidySats]] : []
    const lost = this.deal(coinbase, [...subsidy, ...fees])
    if (lost.length > 0) this.state.set(LOST_KEY, [...(this.state.get(LOST_KEY) ?? []), ...lost])
    block.transactions.unshift(coinbase)
    this.nextSat += block.subsidySats
    this.height++
    return block
  }

  private readonly feesOf = new WeakMap<Block, Range[]>()

  private fees(block: Block): Range[] {
    return this.feesOf.get(block) ?? []
  }

  private add(block: Block, transaction: Transaction): void {
    const ranges = transaction.inputs.flatMap(({ key }) => {
      const inside = this.state.get(key) ?? []
      this.state.delete(key)
      return inside
    })
    if (transaction.mayInscribe) block.reveals.set(txidOf(transaction.hash), ranges)
    this.feesOf.set(block, [...this.fees(block), ...this.deal(transaction, ranges)])
    block.transactions.push(transaction)
  }

  /** Gives sats to the outputs of a transaction. Returns the rest. */
  private deal({ hash, values }: Transaction, ranges: readonly Range[]): Range[] {
    const queue = ranges.map(([from, to]): Range => [from, to])
    let next = 0
    for (const [vout, value] of values.entries()) {
      const key = `${hash}:${vout}`
      this.values.set(key, value)
      const own: Range[] = []
      for (let left = value; left > 0; ) {
        const range = queue[next]!
        const end = Math.min(range[1], range[0] + left)
        own.push([range[0], end])
        left -= end - range[0]
        range[0] = end
        if (end === range[1]) next++
      }
      if (value > 0) this.state.set(key, own)
    }
    return queue.slice(next)
  }

  /** Removes coins, often recent ones. */
  private take(count: number): Transaction['inputs'] {
    const taken: Transaction['inputs'] = []
    const keys = [...this.values.keys()]
    while (taken.length < count && keys.length > 0) {
      const recent = this.dice.chance(40) ? Math.min(3, keys.length) : keys.length
      const [key] = keys.splice(keys.length - 1 - this.dice.roll(recent), 1)
      taken.push({ key: key!, valueSats: this.values.get(key!)! })
      this.values.delete(key!)
    }
    return taken
  }

  private cut(total: number, parts: number): number[] {
    const ends = Array.from({ length: parts - 1 }, () => this.dice.roll(total + 1)).sort((a, b) => a - b)
    return [...ends, total].map((end, i) => end - (i === 0 ? 0 : ends[i - 1]!))
  }

  private hash(): string {
    return Array.from({ length: 8 }, () =>
      this.dice
        .roll(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('')
  }
}
