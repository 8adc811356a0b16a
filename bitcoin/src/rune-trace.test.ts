import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinBytes } from './bytes.ts'
import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { isProvenWithoutRunes, type RuneSource } from './rune-trace.ts'
import { readRunestone } from './runestone.ts'
import type { Tx } from './transaction.ts'

const NONE = { txid: '00'.repeat(32), vout: 0xffffffff }
const FIRST_RUNE = 100

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
const push = (bytes: readonly number[]) => [0x4d, bytes.length & 255, bytes.length >> 8, ...bytes]
const stoneScript = (...integers: number[]) =>
  Uint8Array.from([0x6a, 0x5d, ...push(integers.flatMap(varint))])
const P2TR = Uint8Array.of(0x51)
const DATA = Uint8Array.of(0x6a, 0x01, 0x07)

function txOf(inputs: readonly Outpoint[], scripts: readonly Uint8Array[]): Tx {
  return {
    version: 2,
    locktime: 0,
    inputs: inputs.map((outpoint) => ({
      ...outpoint,
      scriptSig: new Uint8Array(),
      sequence: 0xffffffff,
      witness: [],
    })),
    outputs: scripts.map((script) => ({ valueSats: 1000, script })),
  }
}

/** Outputs that a transaction may send runes to; null for a cenotaph. */
function namedBy(...scripts: Uint8Array[]): { named: number[]; creates: boolean } | null {
  const stone = readRunestone(txOf([NONE], scripts))
  if (stone === 'cenotaph') return null
  return { named: scripts.flatMap((_, vout) => (stone.mayName(vout) ? [vout] : [])), creates: stone.creates }
}

describe('readRunestone', () => {
  it.each<[string, Uint8Array[], { named: number[]; creates: boolean } | null]>([
    [
      'no Runestone: the first output that is not OP_RETURN',
      [DATA, P2TR, P2TR],
      { named: [1], creates: false },
    ],
    ['only OP_RETURN', [DATA, DATA], { named: [], creates: false }],
    ['an empty Runestone', [stoneScript(), P2TR, P2TR], { named: [1], creates: false }],
    ['a pointer', [stoneScript(22, 2), P2TR, P2TR], { named: [2], creates: false }],
    ['an edict', [P2TR, P2TR, P2TR, stoneScript(0, 5, 1, 9, 2)], { named: [0, 2], creates: false }],
    [
      'edicts of one block',
      [P2TR, P2TR, P2TR, stoneScript(0, 5, 1, 9, 1, 0, 1, 9, 2)],
      { named: [0, 1, 2], creates: false },
    ],
    [
      'an edict for all outputs',
      [P2TR, P2TR, stoneScript(0, 5, 1, 9, 3)],
      { named: [0, 1, 2], creates: false },
    ],
    ['a mint', [P2TR, P2TR, stoneScript(20, 5, 20, 1)], { named: [0], creates: true }],
    [
      'an etching with terms',
      [P2TR, P2TR, stoneScript(2, 3, 6, 9, 8, 1, 10, 2)],
      { named: [0], creates: true },
    ],
    ['odd tags, also repeated', [P2TR, stoneScript(127, 1, 127, 2)], { named: [0], creates: false }],
    [
      'the first of two Runestones',
      [stoneScript(22, 2), stoneScript(22, 3), P2TR, P2TR],
      { named: [2], creates: false },
    ],
    [
      'payload in several pushes',
      [P2TR, P2TR, Uint8Array.of(0x6a, 0x5d, 1, 22, 0, 1, 1)],
      { named: [1], creates: false },
    ],
    ['an opcode', [P2TR, Uint8Array.of(0x6a, 0x5d, 1, 22, 0x51)], null],
    ['a cut push', [P2TR, Uint8Array.of(0x6a, 0x5d, 2, 22)], null],
    ['a cut integer', [P2TR, Uint8Array.of(0x6a, 0x5d, 1, 0x80)], null],
    [
      'an integer above 128 bits',
      [P2TR, Uint8Array.from([0x6a, 0x5d, 20, 127, ...Array(18).fill(255), 4])],
      null,
    ],
    ['a field without a value', [P2TR, stoneScript(22)], null],
    ['an unknown even tag', [P2TR, stoneScript(126, 1)], null],
    ['an unknown flag', [P2TR, stoneScript(2, 8)], null],
    ['a pointer past the outputs', [P2TR, stoneScript(22, 2)], null],
    ['two pointers', [P2TR, P2TR, stoneScript(22, 0, 22, 1)], null],
    ['a mint of half an id', [P2TR, stoneScript(20, 5)], null],
    ['a mint of no id', [P2TR, stoneScript(20, 0, 20, 1)], null],
    ['a premine without an etching', [P2TR, stoneScript(6, 9)], null],
    ['three integers of an edict', [P2TR, stoneScript(0, 5, 1, 9)], null],
    ['an edict past the outputs', [P2TR, stoneScript(0, 5, 1, 9, 3)], null],
    ['an edict of block 0', [P2TR, stoneScript(0, 0, 1, 9, 0)], null],
  ])('reads %s', (_, scripts, expected) => expect(namedBy(...scripts)).toEqual(expected))
})

interface Step {
  inputs: number[]
  outputs: number
  stone: {
    edicts: { of: number; amount: number; to: number }[]
    pointer: number | null
    etches: number
  } | null
}

const step: fc.Arbitrary<Step> = fc.record({
  inputs: fc.array(fc.nat(1000), { minLength: 0, maxLength: 3 }),
  outputs: fc.integer({ min: 1, max: 4 }),
  stone: fc.option(
    fc.record({
      edicts: fc.array(fc.record({ of: fc.nat(5), amount: fc.nat(4), to: fc.nat(5) }), { maxLength: 2 }),
      pointer: fc.option(fc.nat(3)),
      etches: fc.nat(4),
    }),
    { freq: 2 },
  ),
})

/** A chain of a transaction a block, with the runes of each coin by the rules of the specification. */
class Ledger {
  readonly runes = new Map<string, Map<number, number>>()
  readonly heights = new Map<string, number>()
  private readonly transactions: { tx: Tx; inputHeights: number[] }[] = []
  readonly source: RuneSource = {
    firstRuneHeight: FIRST_RUNE,
    fetch: async (txid, height) => {
      const found = this.transactions[Number.parseInt(txid, 16) - 1]!
      expect(this.heights.get(`${txid}:0`)).toBe(height)
      return found
    },
  }

  add({ inputs, outputs, stone }: Step): void {
    const coins = [...this.runes.keys()]
    const spent = [...new Set(inputs.map((n) => coins[n % coins.length]!).filter(Boolean))]
    const height = FIRST_RUNE + this.transactions.length
    const ids = [...new Set([...this.runes.values()].flatMap((runes) => [...runes.keys()]))].sort(
      (a, b) => a - b,
    )
    const edicts = (stone?.edicts ?? [])
      .filter(() => ids.length > 0)
      .map(({ of, amount, to }) => ({ id: ids[of % ids.length]!, amount, to: to % (outputs + 2) }))
      .sort((a, b) => a.id - b.id)
    const pointer = stone && stone.pointer !== null ? stone.pointer % outputs : null
    const etches = stone?.etches ?? 0
    const scripts: Uint8Array[] = Array.from({ length: outputs }, () => P2TR)
    if (stone) {
      const body = edicts.flatMap(({ id, amount, to }, n) => [
        id - (edicts[n - 1]?.id ?? 0),
        ...[0, amount, to],
      ])
      scripts.push(
        stoneScript(
          ...(etches > 0 ? [2, 1, 6, etches] : []),
          ...(pointer === null ? [] : [22, pointer]),
          ...(body.length > 0 ? [0, ...body] : []),
        ),
      )
    }
    const txid = (this.transactions.length + 1).toString(16).padStart(64, '0')
    const held = new Map<number, number>()
    for (const coin of spent) {
      for (const [id, amount] of this.runes.get(coin)!) held.set(id, (held.get(id) ?? 0) + amount)
      this.runes.delete(coin)
    }
    if (etches > 0) held.set(height, etches)
    const landed = scripts.map(() => new Map<number, number>())
    const give = (id: number, amount: number, to: number) => {
      const given = Math.min(amount, held.get(id) ?? 0)
      held.set(id, (held.get(id) ?? 0) - given)
      if (given > 0) landed[to]!.set(id, (landed[to]!.get(id) ?? 0) + given)
    }
    for (const { id, amount, to } of edicts) {
      const all = held.get(id) ?? 0
      if (to < scripts.length) give(id, amount === 0 ? all : amount, to)
      // Amount 0 divides evenly; the first outputs get the rest.
      else
        for (let n = 0; n < outputs; n++)
          give(id, amount === 0 ? Math.floor(all / outputs) + Number(n < all % outputs) : amount, n)
    }
    for (const [id, amount] of [...held]) give(id, amount, pointer ?? 0)
    const parse = (coin: string) => ({ txid: coin.split(':')[0]!, vout: Number(coin.split(':')[1]) })
    this.transactions.push({
      tx: txOf(spent.length > 0 ? spent.map(parse) : [NONE], scripts),
      inputHeights: spent.map((coin) => this.heights.get(coin)!),
    })
    for (const vout of scripts.keys()) {
      this.runes.set(`${txid}:${vout}`, landed[vout]!)
      this.heights.set(`${txid}:${vout}`, height)
    }
  }
}

describe('isProvenWithoutRunes', () => {
  it('never proves a coin that has runes, and proves most of the others', async () => {
    let [plain, proven] = [0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const ledger = new Ledger()
        for (const each of steps) ledger.add(each)
        for (const [coin, runes] of ledger.runes) {
          const [txid, vout] = coin.split(':') as [string, string]
          const place = { txid, vout: Number(vout), height: ledger.heights.get(coin)! }
          const isProven = await isProvenWithoutRunes(place, ledger.source, { mostTransactions: 50 })
          if (runes.size > 0) expect(isProven, coin).toBe(false)
          else {
            plain++
            if (isProven) proven++
          }
        }
      }),
      { numRuns: 200 },
    )
    expect(proven / plain).toBeGreaterThan(0.5)
  })

  const at = (n: number) => (n + 1).toString(16).padStart(64, '0')
  const chainOf = (...transactions: { tx: Tx; height: number }[]) => {
    let reads = 0
    const source: RuneSource = {
      firstRuneHeight: FIRST_RUNE,
      fetch: async (txid) => {
        reads++
        const { tx } = transactions[Number.parseInt(txid, 16) - 1]!
        return {
          tx,
          inputHeights: tx.inputs.map(
            (input) => transactions[Number.parseInt(input.txid, 16) - 1]?.height ?? 0,
          ),
        }
      },
    }
    return { source, reads: () => reads }
  }
  /** A chain of transactions with one input and output each, over a coinbase. */
  const line = (length: number, firstHeight = FIRST_RUNE) =>
    chainOf(
      { tx: txOf([NONE], [P2TR]), height: firstHeight },
      ...Array.from({ length }, (_, n) => ({
        tx: txOf([{ txid: at(n), vout: 0 }], [P2TR]),
        height: firstHeight + n + 1,
      })),
    )

  it.each([
    [49, 50, true],
    [50, 50, false],
  ])('of a coin with %s ancestors and %s transactions is %s', async (length, mostTransactions, expected) => {
    const coin = { txid: at(length), vout: 0, height: FIRST_RUNE + length }
    const { source, reads } = line(length)
    expect(await isProvenWithoutRunes(coin, source, { mostTransactions })).toBe(expected)
    expect(reads()).toBeLessThanOrEqual(mostTransactions)
  })

  it('reads nothing of known coins and of blocks before the first rune', async () => {
    const { source, reads } = line(3)
    const known = new Set([formatOutpoint({ txid: at(3), vout: 0 })])
    const coin = { txid: at(3), vout: 0, height: FIRST_RUNE + 3 }
    expect(await isProvenWithoutRunes(coin, source, { mostTransactions: 0 }, known)).toBe(true)
    const old = { ...coin, height: FIRST_RUNE - 1 }
    expect(await isProvenWithoutRunes(old, source, { mostTransactions: 0 })).toBe(true)
    expect(reads()).toBe(0)
  })

  it('parses a transaction once, however many of its outputs are ancestors', async () => {
    const parsesOf = async (count: number) => {
      const many = txOf([NONE], [...Array<Uint8Array>(count + 1).fill(P2TR), stoneScript(22, 0)])
      const { outputs } = many
      let parses = 0
      Object.defineProperty(many, 'outputs', {
        get() {
          parses++
          return outputs
        },
      })
      const inputs = Array.from({ length: count }, (_, n) => ({ txid: at(0), vout: n + 1 }))
      const { source } = chainOf(
        { tx: many, height: FIRST_RUNE },
        { tx: txOf(inputs, [P2TR]), height: FIRST_RUNE + 1 },
      )
      const coin = { txid: at(1), vout: 0, height: FIRST_RUNE + 1 }
      expect(await isProvenWithoutRunes(coin, source, { mostTransactions: 50 })).toBe(true)
      return parses
    }
    expect(await parsesOf(1000)).toBe(await parsesOf(1))
  })

  it('does not prove a coinbase that mints', async () => {
    const { source } = chainOf({ tx: txOf([NONE], [P2TR, stoneScript(20, 5, 20, 1)]), height: FIRST_RUNE })
    const coin = { txid: at(0), vout: 0, height: FIRST_RUNE }
    expect(await isProvenWithoutRunes(coin, source, { mostTransactions: 50 })).toBe(false)
    expect(await isProvenWithoutRunes({ ...coin, vout: 1 }, source, { mostTransactions: 50 })).toBe(true)
  })
})

/** Scripts above must be whole, or they would test something else. */
it('stoneScript pushes its payload once', () => {
  expect(joinBytes([stoneScript(22, 2)])).toEqual(Uint8Array.of(0x6a, 0x5d, 0x4d, 2, 0, 22, 2))
})
