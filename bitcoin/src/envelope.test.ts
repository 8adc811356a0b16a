import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, joinBytes } from './bytes.ts'
import { type Envelope, envelopesOf } from './envelope.ts'

const ORD = [0x00, 0x63, 3, 0x6f, 0x72, 0x64]
const END = 0x68

const reads = (...scripts: Uint8Array[]): Envelope[] =>
  envelopesOf({
    version: 2,
    locktime: 0,
    outputs: [],
    inputs: scripts.map((script) => ({
      txid: '00'.repeat(32),
      vout: 0,
      sequence: 0,
      scriptSig: new Uint8Array(),
      witness: [new Uint8Array(64), script, new Uint8Array(33)],
    })),
  })

function repeated(head: readonly number[], unit: readonly number[], count: number): Uint8Array {
  const script = new Uint8Array(head.length + unit.length * count + 1)
  script.set(head)
  for (let i = 0; i < count; i++) script.set(unit, head.length + i * unit.length)
  script[script.length - 1] = END
  return script
}

/** Approximate maximum witness size. A multiple of the unit sizes below. */
const MOST = 42 * 92_857

describe('envelopes of maximum size', () => {
  it.each([130_000, 200_000, MOST / 2])('joins a body of %i one-byte pushes', (count) => {
    const [envelope] = reads(repeated([...ORD, 0x00], [1, 0x41], count))
    expect(envelope!.body!.length).toBe(count)
    expect(envelope!.body!.every((byte) => byte === 0x41)).toBe(true)
  })

  it.each([66_600, MOST / 3])('parses one tag repeated %i times', (count) => {
    const [metadata] = reads(repeated(ORD, [1, 5, 0x00], count))
    expect(metadata).toMatchObject({ duplicateField: true, body: null })
    expect(metadata!.metadata!.length).toBe(0)
    const [unknown] = reads(repeated(ORD, [1, 0x20, 0x00], count))
    expect(unknown).toMatchObject({ duplicateField: true, unrecognizedEvenField: true })
    const [parents] = reads(repeated(ORD, [1, 3, 0x00], count))
    expect(parents!.parents).toEqual([])
  })

  it('parses 110,000 parents', () => {
    const parent = [1, 3, 32, ...Array.from({ length: 32 }, (_, n) => n)]
    const [envelope] = reads(repeated(ORD, parent, 110_000))
    expect(envelope!.parents.length).toBe(110_000)
    expect(envelope!.parents[109_999]).toMatch(/^1f1e[0-9a-f]{60}i0$/)
  })

  it('parses 650,000 different tags', () => {
    const script = repeated(ORD, [4, 0x21, 0, 0, 0, 0x00], 650_000)
    for (let i = 0; i < 650_000; i++) {
      const at = ORD.length + i * 6 + 2
      script[at] = i & 0xff
      script[at + 1] = (i >> 8) & 0xff
      script[at + 2] = i >> 16
    }
    expect(reads(script)[0]).toMatchObject({ duplicateField: false, unrecognizedEvenField: false })
  })

  it('accepts number opcodes as pushes', () => {
    expect(reads(repeated([...ORD, 0x00], [0x51], MOST))[0]!.body!.length).toBe(MOST)
    expect(reads(repeated(ORD, [0x61], MOST))).toEqual([])
    expect(reads(repeated([], [0x00], MOST))).toEqual([])
  })

  it('parses 550,000 envelopes in one input', () => {
    const envelopes = reads(repeated([], [...ORD, END], MOST / 7))
    expect(envelopes.length).toBe(MOST / 7)
    expect(envelopes.at(-1)).toMatchObject({ offset: envelopes.length - 1, body: null, parents: [] })
  })

  it('ignores an unclosed envelope', () => {
    expect(reads(repeated([], [...ORD, 0x61], MOST / 7))).toEqual([])
  })
})

/** Reference implementation of ord's parser. */
function parseByInstruction(script: Uint8Array): object[] {
  type Instruction = { op: number; push: number[] | null }
  const all: Instruction[] = []
  for (let at = 0; at < script.length; ) {
    const op = script[at++]!
    if (op > 0x4e) {
      all.push({ op, push: null })
      continue
    }
    const width = op < 0x4c ? 0 : 2 ** (op - 0x4c)
    if (at + width > script.length) return []
    let length = op
    if (width > 0) {
      length = 0
      for (let i = 0; i < width; i++) length += script[at + i]! * 256 ** i
    }
    at += width
    if (at + length > script.length) return []
    all.push({ op, push: [...script.subarray(at, at + length)] })
    at += length
  }
  const isEmpty = (instruction: Instruction | undefined) => instruction?.push?.length === 0
  const envelopes: object[] = []
  let stutter = false
  for (let at = 0; at < all.length; ) {
    if (!isEmpty(all[at++])) continue
    if (all[at]?.op !== 0x63) {
      stutter = isEmpty(all[at])
      continue
    }
    at++
    if (all[at]?.push?.join() !== '111,114,100') {
      stutter = isEmpty(all[at])
      continue
    }
    at++
    const payload: number[][] = []
    let pushnum = false
    let closed = false
    for (; at < all.length && !closed; at++) {
      const { op, push } = all[at]!
      if (push) payload.push(push)
      else if (op === 0x4f || (op >= 0x51 && op <= 0x60)) {
        pushnum = true
        payload.push([op === 0x4f ? 0x81 : op - 0x50])
      } else if (op === END) closed = true
      else {
        at++
        break
      }
    }
    if (!closed) {
      stutter = false
      continue
    }
    const split = payload.findIndex((push, i) => i % 2 === 0 && push.length === 0)
    const header = split === -1 ? payload : payload.slice(0, split)
    const pairs = header.flatMap((tag, i) =>
      i % 2 === 0 && i + 1 < header.length ? [{ tag: tag.join(), value: header[i + 1]! }] : [],
    )
    const valuesOf = (tag: number) =>
      pairs.filter((pair) => pair.tag === String(tag)).map(({ value }) => value)
    const hex = (values: number[][]) => bytesToHex(Uint8Array.from(values.flat()))
    const metadata = valuesOf(5)
    const tags = pairs.map(({ tag }) => tag)
    envelopes.push({
      offset: envelopes.length,
      pushnum,
      stutter,
      body: split === -1 ? null : hex(payload.slice(split + 1)),
      metadata: metadata.length > 0 ? hex(metadata) : null,
      hasPointer: valuesOf(2).length > 0,
      duplicateField: new Set(tags).size < tags.length,
      incompleteField: header.length % 2 === 1,
      unrecognizedEvenField: tags.some(
        (tag, i) => Number(tag.split(',')[0]) % 2 === 0 && !(tag === '2' && tags.indexOf(tag) === i),
      ),
    })
  }
  return envelopes
}

it('matches the reference parser on random scripts', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constant(bytes(...ORD)) },
    { weight: 4, arbitrary: fc.constant(bytes(END)) },
    { weight: 3, arbitrary: fc.constant(bytes(0x00)) },
    { weight: 2, arbitrary: fc.constantFrom(bytes(0x63), bytes(0x4c, 0), bytes(0x4d, 0, 0), bytes(0x61)) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(1, 2, 3, 5, 9, 13, 17, 66, 67), fc.uint8Array({ maxLength: 4 }))
        .map(([tag, value]) => bytes(1, tag, value.length, ...value)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.uint8Array({ minLength: 2, maxLength: 2 }), fc.uint8Array({ maxLength: 2 }))
        .map(([tag, value]) => bytes(2, ...tag, value.length, ...value)),
    },
    { weight: 2, arbitrary: fc.integer({ min: 0x4f, max: 0x60 }).map((op) => bytes(op)) },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ minLength: 76, maxLength: 90 })
        .map((push) => bytes(0x4c, push.length, ...push)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }) },
  )
  const shown = ({ body, metadata, ...envelope }: Envelope) => ({
    offset: envelope.offset,
    pushnum: envelope.pushnum,
    stutter: envelope.stutter,
    body: body && bytesToHex(body),
    metadata: metadata && bytesToHex(metadata),
    hasPointer: envelope.hasPointer,
    duplicateField: envelope.duplicateField,
    incompleteField: envelope.incompleteField,
    unrecognizedEvenField: envelope.unrecognizedEvenField,
  })
  let count = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const script = joinBytes(pieces)
      const envelopes = reads(script)
      count += envelopes.length
      expect(envelopes.map(shown)).toEqual(parseByInstruction(script))
    }),
    { numRuns: 5000 },
  )
  expect(count).toBeGreaterThan(300)
})

it('numbers envelopes per input', () => {
  const one = Uint8Array.of(...ORD, END)
  const two = concatBytes(one, one)
  const envelopes = reads(two, concatBytes(two, Uint8Array.of(0x4d, 1)), one)
  expect(envelopes.map(({ input, offset }) => [input, offset])).toEqual([
    [0, 0],
    [0, 1],
    [2, 0],
  ])
})
