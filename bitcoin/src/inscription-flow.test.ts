import { describe, expect, it } from 'vitest'
import { buildRevealScript, envelopesOf, type NewInscription } from './envelope.ts'
import { Holdings } from './holdings.ts'
import type { Inscribed, InscriptionCounters, Moved } from './inscription-events.ts'
import { flowBlock, type Located, subsidyAt } from './inscription-flow.ts'
import { LOST } from './outpoint.ts'
import { blockTransactionOf } from './raw-block.ts'
import type { Tx, TxOutput } from './transaction.ts'
import { txidOf } from './transaction.ts'

const KEY = new Uint8Array(32).fill(7)
const SCRIPT = Uint8Array.of(0x51, 0x20, ...KEY)
const text = (body: string, more: Partial<NewInscription> = {}): NewInscription => ({
  contentType: 'text/plain',
  body: new TextEncoder().encode(body),
  ...more,
})
const reveal = (...inscriptions: NewInscription[]) => [
  new Uint8Array(64),
  buildRevealScript(KEY, inscriptions),
  Uint8Array.of(0xc0, ...KEY),
]
const raw = (script: number[]) => [new Uint8Array(64), Uint8Array.from(script), Uint8Array.of(0xc0, ...KEY)]
const ORD = [0x00, 0x63, 3, 0x6f, 0x72, 0x64]

let salt = 0
const tx = (inputs: { from?: string; vout?: number; witness?: Uint8Array[] }[], outputs: number[]): Tx => ({
  version: 2,
  locktime: salt++,
  inputs: inputs.map(({ from, vout = 0, witness = [] }, i) => ({
    txid: from ?? (1000 + salt * 10 + i).toString(16).padStart(64, '0'),
    vout,
    scriptSig: new Uint8Array(),
    sequence: 0,
    witness,
  })),
  outputs: outputs.map((valueSats) => ({ valueSats, script: SCRIPT })),
})
const values = (...all: number[]): TxOutput[] => all.map((valueSats) => ({ valueSats, script: SCRIPT }))

function run(
  transactions: { tx: Tx; prevouts: TxOutput[] }[],
  options: {
    jubilant?: boolean
    counters?: InscriptionCounters
    located?: Record<string, Located[]>
    coinbase?: number[]
  } = {},
) {
  const counters = options.counters ?? { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }
  const fees = transactions.reduce(
    (sum, { tx, prevouts }) =>
      sum + prevouts.reduce((a, b) => a + b.valueSats, 0) - tx.outputs.reduce((a, b) => a + b.valueSats, 0),
    0,
  )
  const coinbase = tx([{}], options.coinbase ?? [5000 + fees])
  const located = new Holdings<Located>()
  for (const [key, inside] of Object.entries(options.located ?? {}))
    for (const inscription of inside)
      located.put({ txid: key.slice(0, 64), vout: Number(key.slice(65)) }, inscription)
  const all = [{ tx: coinbase, prevouts: [] }, ...transactions]
  const events = flowBlock(
    all.map(({ tx, prevouts }) => blockTransactionOf(tx, prevouts)),
    {
      subsidySats: 5000,
      jubilant: options.jubilant ?? true,
      counters,
      located,
    },
  )
  return { events, counters, coinbase }
}
const inscribed = (events: (Inscribed | Moved)[]) => events.filter((event) => event.kind === 'inscribed')
const moved = (events: (Inscribed | Moved)[]) => events.filter((event) => event.kind === 'moved')

describe('envelopesOf', () => {
  it('round-trips every field', () => {
    const parent = `${'ab'.repeat(32)}i300`
    const whole = text('x'.repeat(1200), {
      contentEncoding: 'br',
      metaprotocol: 'cbrc',
      metadata: new Uint8Array(700).fill(3),
      parents: [parent],
      delegate: `${'cd'.repeat(32)}i0`,
      pointer: 77,
    })
    const [envelope] = envelopesOf(tx([{ witness: reveal(whole) }], [1000]))
    expect(envelope).toMatchObject({
      contentType: 'text/plain',
      contentEncoding: 'br',
      metaprotocol: 'cbrc',
      metadata: whole.metadata,
      parents: [parent],
      delegate: `${'cd'.repeat(32)}i0`,
      pointer: 77,
      hasPointer: true,
      body: whole.body,
      duplicateField: true, // metadata in two pieces
      incompleteField: false,
      unrecognizedEvenField: false,
    })
  })

  it.each([
    ['a number opcode as a value', [...ORD, 1, 1, 0x52, 0x68], { pushnum: true }],
    ['an OP_FALSE before the envelope', [0x00, ...ORD, 0x68], { stutter: true }],
    ['an odd number of fields', [...ORD, 1, 1, 0x68], { incompleteField: true }],
    ['an unknown even field', [...ORD, 1, 22, 1, 9, 0x68], { unrecognizedEvenField: true }],
    ['an unknown odd field', [...ORD, 1, 23, 1, 9, 0x68], { unrecognizedEvenField: false }],
    ['the same field twice', [...ORD, 1, 1, 1, 9, 1, 1, 1, 8, 0x68], { duplicateField: true }],
    [
      'a second pointer',
      [...ORD, 1, 2, 1, 9, 1, 2, 1, 8, 0x68],
      { duplicateField: true, unrecognizedEvenField: true },
    ],
    [
      'a pointer with high bytes',
      [...ORD, 1, 2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x68],
      { hasPointer: true, pointer: null },
    ],
  ])('parses %s', (_what, script, expected) => {
    expect(envelopesOf(tx([{ witness: raw(script) }], [1000]))[0]).toMatchObject(expected)
  })

  it('returns ? for a binary property encoding', () => {
    const encoded = (bytes: number[]) =>
      envelopesOf(tx([{ witness: raw([...ORD, 1, 19, bytes.length, ...bytes, 0x68]) }], [1000]))[0]!
    expect(encoded([0xff, 0xfe]).propertyEncoding).toBe('?')
    expect(encoded([0x62, 0x72]).propertyEncoding).toBe('br')
  })

  it.each([
    ['without OP_ENDIF', [...ORD, 1, 1, 1, 9]],
    ['with another protocol', [0x00, 0x63, 3, 0x6f, 0x72, 0x65, 0x68]],
    ['with an opcode inside', [...ORD, 0x76, 0x68]],
    ['in a truncated script', [...ORD, 0x68, 0x05, 1]],
  ])('ignores an envelope %s', (_what, script) => {
    expect(envelopesOf(tx([{ witness: raw(script) }], [1000]))).toEqual([])
  })
})

describe('numbering and curses', () => {
  it('vindicates cursed inscriptions after the jubilee', () => {
    const two = {
      tx: tx([{ witness: reveal(text('a'), text('b')) }, { witness: reveal(text('c')) }], [500, 500]),
      prevouts: values(600, 400),
    }
    expect(
      inscribed(run([two], { jubilant: false }).events).map((event) => [
        event.number,
        event.cursed,
        event.to.outpoint.vout,
      ]),
    ).toEqual([
      [0, false, 0],
      [-1, true, 0],
      [-2, true, 1],
    ])
    expect(inscribed(run([two]).events).map((event) => [event.number, event.vindicated])).toEqual([
      [0, false],
      [1, true],
      [2, true],
    ])
  })

  it('curses a reinscription', () => {
    const spend = (from: string) => ({
      tx: tx([{ from, witness: reveal(text('again')) }], [900]),
      prevouts: values(1000),
    })
    const first = { inscriptionId: `${'aa'.repeat(32)}i0`, sequence: 0, offset: 0 }
    const at = `${'ee'.repeat(32)}`
    for (const cursedOrVindicated of [false, true]) {
      const { events } = run([spend(at)], {
        jubilant: false,
        located: { [`${at}:0`]: [{ ...first, cursedOrVindicated }] },
      })
      expect(inscribed(events)[0]).toMatchObject({ reinscription: true, cursed: !cursedOrVindicated })
    }
  })

  it('ignores pointers beyond the outputs', () => {
    const pointed = (pointer: number) => ({
      tx: tx([{ witness: reveal(text('p', { pointer })) }], [300, 700]),
      prevouts: values(1000),
    })
    expect(inscribed(run([pointed(450)]).events)[0]!.to).toMatchObject({ outpoint: { vout: 1 }, offset: 150 })
    expect(inscribed(run([pointed(1000)]).events)[0]!.to).toMatchObject({ outpoint: { vout: 0 }, offset: 0 })
  })

  it('leaves an inscription without a sat unbound', () => {
    const empty = { tx: tx([{ witness: reveal(text('n')) }, {}], [900]), prevouts: values(0, 1000) }
    const { events, counters } = run([empty])
    expect(inscribed(events)[0]).toMatchObject({ unbound: true, to: { output: null, offset: 0 } })
    expect(counters.unbound).toBe(1)
  })

  it('ignores parents that are not spent', () => {
    const id = `${'aa'.repeat(32)}i0`
    const stranger = `${'bb'.repeat(32)}i0`
    const at = 'ee'.repeat(32)
    const child = {
      tx: tx([{ witness: reveal(text('c', { parents: [id, stranger, id] })) }, { from: at }], [500, 500]),
      prevouts: values(500, 500),
    }
    const { events } = run([child], {
      located: { [`${at}:0`]: [{ inscriptionId: id, sequence: 0, offset: 0, cursedOrVindicated: false }] },
    })
    expect(inscribed(events)[0]!.parents).toEqual([id])
  })

  it('ignores a parent that an earlier transaction of the block spent as fee', () => {
    const located: Record<string, Located[]> = {}
    const pairs = Array.from({ length: 10 }, (_, n) => {
      const at = (n + 1).toString(16).padStart(2, '0').repeat(32)
      const [first, parent] = [`${at}i0`, `${at}i1`]
      located[`${at}:0`] = [
        { inscriptionId: first, sequence: 2 * n, offset: 0, cursedOrVindicated: false },
        { inscriptionId: parent, sequence: 2 * n + 1, offset: 900, cursedOrVindicated: true },
      ]
      const spent = tx([{ from: at }], [600])
      const child = tx(
        [{ from: txidOf(spent), witness: reveal(text('c', { parents: [parent, first] })) }],
        [600],
      )
      return [
        { tx: spent, prevouts: values(1000) },
        { tx: child, prevouts: values(600) },
      ]
    })
    const { events } = run(pairs.flat(), { located })
    expect(inscribed(events).map((event) => event.parents)).toEqual(
      pairs.map((_, n) => [`${(n + 1).toString(16).padStart(2, '0').repeat(32)}i0`]),
    )
  })

  it('ignores a parent with a higher number', () => {
    const family = tx([{}], [500, 500])
    const txid = txidOf(family) // does not depend on witnesses
    family.inputs[0]!.witness = reveal(
      text('claims itself', { parents: [`${txid}i0`] }),
      text('claims an earlier and a later one', { parents: [`${txid}i0`, `${txid}i3`] }),
      text('claims a later one', { parents: [`${txid}i3`], pointer: 10 }),
      text('the last of all', { pointer: 700, parents: [`${txid}i2`] }),
    )
    const { events } = run([{ tx: family, prevouts: values(1000) }])
    expect(inscribed(events).map((event) => event.parents)).toEqual([[], [`${txid}i0`], [], [`${txid}i2`]])
  })

  it('splits the fee of a reveal among its inscriptions', () => {
    const three = {
      tx: tx([{ witness: reveal(text('a'), text('b'), text('c')) }], [900]),
      prevouts: values(1000),
    }
    expect(inscribed(run([three]).events).map((event) => event.feeSats)).toEqual([33, 33, 33])
  })
})

describe('sat flow', () => {
  const at = 'ee'.repeat(32)
  const id = `${'aa'.repeat(32)}i0`
  const locatedAt = (offset: number) => ({
    [`${at}:0`]: [{ inscriptionId: id, sequence: 0, offset, cursedOrVindicated: false }],
  })

  it('follows an inscription within a block', () => {
    const first = tx([{ from: at }], [400, 600])
    const second = tx([{ from: txidOf(first), vout: 1 }], [600])
    const { events } = run(
      [
        { tx: first, prevouts: values(1000) },
        { tx: second, prevouts: values(600) },
      ],
      { located: locatedAt(450) },
    )
    expect(moved(events).map((event) => [event.to.outpoint.vout, event.to.offset])).toEqual([
      [1, 50],
      [0, 50],
    ])
  })

  it('moves fee sats into the coinbase', () => {
    const other = { tx: tx([{}], [900]), prevouts: values(1000) }
    const fee = { tx: tx([{ from: at }], [700]), prevouts: values(1000) }
    const { events, coinbase } = run([other, fee], { located: locatedAt(750), coinbase: [5100, 300] })
    expect(moved(events)[0]!.to).toMatchObject({ outpoint: { txid: txidOf(coinbase), vout: 1 }, offset: 50 })
  })

  it('drops unclaimed fees', () => {
    const fee = { tx: tx([{ from: at }], [700]), prevouts: values(1000) }
    const { events, counters } = run([fee], {
      located: locatedAt(750),
      coinbase: [5000],
      counters: { nextSequence: 1, blessed: 1, cursed: 0, unbound: 0, lostSats: 10 },
    })
    expect(moved(events)[0]!.to).toMatchObject({ outpoint: LOST, offset: 60, output: null })
    expect(counters.lostSats).toBe(310)
  })

  it('halves the subsidy at each interval', () => {
    expect([
      subsidyAt(0, 150),
      subsidyAt(149, 150),
      subsidyAt(150, 150),
      subsidyAt(840_000, 210_000),
      subsidyAt(99_999_999, 150),
    ]).toEqual([5_000_000_000, 5_000_000_000, 2_500_000_000, 312_500_000, 0])
  })
})

describe('blocks of maximum size', () => {
  const many = (count: number) => {
    const script = new Uint8Array(count * 7)
    for (let i = 0; i < count; i++) script.set([...ORD, 0x68], i * 7)
    return [new Uint8Array(64), script, Uint8Array.of(0xc0, ...KEY)]
  }

  it('moves 200,000 inscriptions on one sat', () => {
    const reveals = { tx: tx([{ witness: many(200_000) }], [0]), prevouts: values(1000) }
    const { events } = run([reveals])
    const created = inscribed(events)
    expect(created.length).toBe(200_000)
    expect(created.every(({ to }) => to.outpoint.vout === 0 && to.offset === 5000)).toBe(true)
  })

  it('locates 300,000 inscriptions in 15,000 inputs', () => {
    const inputs = Array.from({ length: 15_000 }, () => ({ witness: many(20) }))
    const { events } = run([{ tx: tx(inputs, [15_000]), prevouts: values(...inputs.map(() => 1)) }])
    expect(events.length).toBe(300_000)
    expect(inscribed(events).at(-1)).toMatchObject({ to: { offset: 14_999 }, reinscription: true })
  })

  it('moves 53,000 inscriptions of 3,001 transactions', () => {
    const small = () => ({ tx: tx([{ witness: many(1) }], [0]), prevouts: values(1) })
    const first = { tx: tx([{ witness: many(50_000) }], [0]), prevouts: values(1000) }
    const { events } = run([first, ...Array.from({ length: 3000 }, small)])
    expect(events.length).toBe(53_000)
    expect(inscribed(events).at(-1)!.to.offset).toBe(5000 + 1000 + 2999)
  })
})
