import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dustLimitOf, keySpendOf, scriptOfPublicKey } from '../address.ts'
import { bytesToHex } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { Holdings } from '../holdings.ts'
import { flowBlock, type Located } from '../inscription-flow.ts'
import { publicKeyOf, sha256 } from '../keys.ts'
import { blockTransactionOf } from '../raw-block.ts'
import { offsetOfInput } from '../sat-flow.ts'
import { feeOf, sumSats } from '../sats.ts'
import type { LocatedInscription } from '../trace-contents.ts'
import { type Tx, txidOf } from '../transaction.ts'
import { type Coin, feeOfLayout, prevoutsOf, signedVsizeOf, transactionOf } from './layout.ts'
import { MINIMUM_CHANGE_SATS } from './payment.ts'
import { buildSplit, checkSplit, type Split, type SplitTerms } from './split.ts'

const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
const keyOf = (name: string) => publicKeyOf(sha256(new TextEncoder().encode(name)))
const ordinalsScript = scriptOfPublicKey(keyOf('owner'), 'p2tr')
const DUST = dustLimitOf(ordinalsScript)
let coins = 0
const coin = (valueSats: number, script: Uint8Array): Coin => ({
  txid: (++coins).toString(16).padStart(64, '0'),
  vout: coins % 5,
  valueSats,
  script,
})
const idOf = (n: number) => `${(0xabc000 + n).toString(16).padStart(64, '0')}i${n}`

interface Case {
  offsets: readonly number[]
  valueSats: number
  named?: readonly number[]
  payments?: readonly number[]
  kind?: (typeof KINDS)[number]
  postageSats?: number | undefined
  rate?: number
}

/** `named` has indexes of inscriptions, default all. */
function termsOf({ offsets, valueSats, named, payments = [50_000, 20_000], ...more }: Case): SplitTerms {
  const { kind = 'p2wpkh', postageSats, rate = 3 } = more
  const paymentScript = scriptOfPublicKey(keyOf('pays'), kind)
  const contents = offsets.map((offset, n): LocatedInscription => ({ inscriptionId: idOf(n), offset }))
  return {
    coin: coin(valueSats, ordinalsScript),
    spend: keySpendOf(ordinalsScript, keyOf('owner')),
    contents,
    named: contents.filter((_, n) => !named || named.includes(n)).map(({ inscriptionId }) => inscriptionId),
    ordinalsScript,
    from: {
      payments: payments.map((sats) => coin(sats, paymentScript)),
      payer: keySpendOf(paymentScript, keyOf('pays')),
      changeScript: paymentScript,
    },
    ...(postageSats === undefined ? {} : { postageSats }),
    feeRateSatVb: rate,
  }
}

/** Returns the locations after the split by the index's rules. */
function placesAfter(
  { coin: from, contents }: SplitTerms,
  { layout }: Split,
): Map<string, LocatedInscription & { vout: number }> {
  const tx = transactionOf(layout)
  const coinbase: Tx = {
    version: 2,
    locktime: 0,
    inputs: [],
    outputs: [{ valueSats: feeOfLayout(layout), script: new Uint8Array() }],
  }
  const located = new Holdings<Located>()
  for (const [sequence, inscription] of contents.entries())
    located.put(from, { ...inscription, sequence, cursedOrVindicated: false })
  const events = flowBlock([blockTransactionOf(coinbase, []), blockTransactionOf(tx, prevoutsOf(layout))], {
    subsidySats: 0,
    jubilant: true,
    counters: { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 },
    located,
  })
  const places = new Map<string, LocatedInscription & { vout: number }>()
  for (const { inscriptionId, to } of events)
    if (to.outpoint.txid === txidOf(tx))
      places.set(inscriptionId, { inscriptionId, offset: to.offset, vout: to.outpoint.vout })
  return places
}

/** Asserts the invariants of a split. Returns the new locations. */
function assertSplit(terms: SplitTerms, split: Split) {
  const { layout, feeSats, vsize, changeSats } = split
  const places = placesAfter(terms, split)
  expect([...places.keys()].toSorted()).toEqual(
    terms.contents.map(({ inscriptionId }) => inscriptionId).toSorted(),
  )
  const offsetOf = new Map(terms.contents.map(({ inscriptionId, offset }) => [inscriptionId, offset]))
  for (const { inscriptionId, vout } of places.values()) {
    const { script, valueSats } = layout.outputs[vout]!
    expect(bytesToHex(script)).toBe(bytesToHex(ordinalsScript))
    if (!terms.named.includes(inscriptionId)) continue
    expect(valueSats).toBeGreaterThanOrEqual(terms.postageSats ?? DUST)
    const inOutput = [...places.values()].filter((place) => place.vout === vout)
    expect(new Set(inOutput.map((place) => offsetOf.get(place.inscriptionId)))).toHaveLength(1)
  }
  expect(bytesToHex(layout.outputs[0]!.script)).toBe(bytesToHex(ordinalsScript))
  for (const { script, valueSats } of layout.outputs)
    expect(valueSats).toBeGreaterThanOrEqual(dustLimitOf(script))
  // All sats of the coin stay at the ordinals address.
  const values = layout.inputs.map((input) => input.coin.valueSats)
  const start = offsetOfInput(
    layout.inputs.findIndex(({ role }) => role === 'inscription'),
    values,
  )
  let at = 0
  for (const { script, valueSats } of layout.outputs) {
    const hasCoinSats = at < start + terms.coin.valueSats && at + valueSats > start
    if (hasCoinSats) expect(bytesToHex(script)).toBe(bytesToHex(ordinalsScript))
    at += valueSats
  }
  expect(at).toBeGreaterThanOrEqual(start + terms.coin.valueSats)
  const spentSats = sumSats(layout.inputs.map((input) => input.coin.valueSats))
  expect(sumSats(layout.outputs.map((output) => output.valueSats)) + feeSats).toBe(spentSats)
  expect(vsize).toBe(signedVsizeOf(layout))
  expect(feeSats).toBeGreaterThanOrEqual(feeOf(vsize, terms.feeRateSatVb))
  // The fee can exceed the rate by change that is too small for an output.
  expect(feeSats).toBeLessThan(
    feeOf(vsize, terms.feeRateSatVb) + MINIMUM_CHANGE_SATS + 44 * terms.feeRateSatVb,
  )
  return { places, changeSats }
}

/** Checks by greedy search whether sats can be separated. */
function canSeparate(sats: readonly number[], leastSats: number): boolean {
  let cut = sats[0]! + 1
  for (const [n, sat] of sats.entries()) {
    if (n === 0) continue
    if (cut > sat) return false
    cut = Math.max(cut + leastSats, sat + 1)
  }
  return true
}

function codeOf(terms: SplitTerms): string | null {
  try {
    buildSplit(terms)
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

const gaps = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 1, max: 700 }),
  fc.integer({ min: 1, max: 20_000 }),
  fc.constantFrom(329, 330, 331, 546, 10_000),
)
const wide = fc.array(fc.oneof(fc.integer({ min: 330, max: 20_000 }), fc.constantFrom(0, 330)), {
  minLength: 1,
  maxLength: 19,
})
const many = fc.array(gaps, { minLength: 1, maxLength: 19 })
const splits = fc.record({
  first: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
  gaps: fc.oneof(fc.array(fc.constant(0), { minLength: 1, maxLength: 3 }), many, many, wide, wide),
  after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
  kind: fc.constantFrom(...KINDS),
  payments: fc.array(fc.integer({ min: 600, max: 30_000 }), { minLength: 2, maxLength: 5 }),
  postageSats: fc.constantFrom(undefined, undefined, 330, 546, 1000, 10_000),
  rate: fc.integer({ min: 1, max: 20 }),
  fewer: fc.option(fc.integer({ min: 0, max: 19 })),
})

it('buildSplit moves each named sat to a separate coin', () => {
  const outcomes = { split: 0, close: 0, nothing: 0 }
  fc.assert(
    fc.property(splits, ({ first, gaps, after, fewer, ...more }) => {
      const offsets = [first]
      for (const gap of gaps) offsets.push(offsets.at(-1)! + gap)
      const valueSats = Math.max(offsets.at(-1)! + 1 + after, DUST)
      const named = fewer === null ? undefined : [fewer % offsets.length]
      const terms = termsOf({ offsets, valueSats, ...more, ...(named ? { named } : {}) })
      const distinct = [...new Set(offsets)]
      let split: Split
      try {
        split = buildSplit(terms)
      } catch (error) {
        if (!(error instanceof BitcoinError)) throw error
        if (error.code === 'nothing-to-split') outcomes.nothing++
        else if (error.code !== 'coins-insufficient') {
          expect(error.code).toBe('sats-too-close')
          outcomes.close++
          if (named) return
          expect(canSeparate(distinct, terms.postageSats ?? DUST)).toBe(false)
          const first = String(error.facts.splitFirst).split(',')
          expect(codeOf({ ...terms, named: first })).not.toBe('sats-too-close')
        }
        if (error.code === 'nothing-to-split') expect(distinct).toHaveLength(1)
        return
      }
      outcomes.split++
      if (!named) expect(canSeparate(distinct, terms.postageSats ?? DUST)).toBe(true)
      assertSplit(terms, split)
    }),
    { numRuns: 1000 },
  )
  // Each outcome must occur often enough.
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(50)
})

it('buildSplit places each inscription at offset 0', () => {
  const terms = termsOf({ offsets: [0, 10_000, 20_000], valueSats: 30_000 })
  const split = buildSplit(terms)
  const { places } = assertSplit(terms, split)
  expect(split.paddingSats).toBe(0)
  expect(split.layout.inputs.map(({ role }) => role)).toEqual(['inscription', 'payment'])
  expect([...places.values()].map(({ vout, offset }) => [vout, offset])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
  ])
  expect(split.layout.outputs.slice(0, 3).map(({ valueSats }) => valueSats)).toEqual([10_000, 10_000, 10_000])
})

it('buildSplit separates two adjacent sats', () => {
  const terms = termsOf({ offsets: [0, 1], valueSats: 330 })
  const split = buildSplit(terms)
  assertSplit(terms, split)
  expect(split.layout.inputs.map(({ role }) => role)).toEqual(['payment', 'inscription', 'payment'])
  expect(split.paddingSats).toBe(329 + 1)
  const last = termsOf({ offsets: [0, 999], valueSats: 1000 })
  const whole = buildSplit(last)
  assertSplit(last, whole)
  expect(whole.paddingSats).toBe(0)
})

it('buildSplit creates no dust from a small payment coin', () => {
  const terms = termsOf({ offsets: [0, 1], valueSats: 330, payments: [900, 30_000] })
  const split = buildSplit(terms)
  assertSplit(terms, split)
  expect(split.layout.outputs[0]).toMatchObject({ role: 'inscription', valueSats: 901 })
})

it('buildSplit rejects inscriptions that are too close', () => {
  const close = termsOf({ offsets: [0, 5000, 5100, 5200, 9000], valueSats: 20_000 })
  expect(() => buildSplit(close)).toThrow(
    expect.objectContaining({
      code: 'sats-too-close',
      facts: expect.objectContaining({ roomSats: 199, neededSats: 330 }),
    }),
  )
  expect(() => buildSplit(close)).toThrow(
    `${idOf(2)} cannot be separated in one transaction: there are 199 sats between ${idOf(1)} and ${idOf(3)}, but its coin needs 330. Split off ${idOf(0)}, ${idOf(1)} first, and the other inscriptions in a second transaction`,
  )
  const fewer = { ...close, named: [idOf(0), idOf(1)] }
  assertSplit(fewer, buildSplit(fewer))
})

it('buildSplit keeps unnamed inscriptions together', () => {
  const terms = termsOf({ offsets: [0, 4000, 4001, 9000, 9500], valueSats: 20_000, named: [3] })
  const split = buildSplit(terms)
  const { places } = assertSplit(terms, split)
  expect([0, 1, 2, 3, 4].map((n) => places.get(idOf(n))!.vout)).toEqual([0, 0, 0, 1, 2])
})

it('buildSplit keeps exactly the postage', () => {
  const terms = termsOf({ offsets: [2000, 60_000], valueSats: 100_000, postageSats: 10_000 })
  const { layout } = buildSplit(terms)
  expect(layout.outputs.map(({ role, valueSats }) => [role, valueSats]).slice(0, -1)).toEqual([
    ['change', 2000],
    ['inscription', 10_000],
    ['change', 48_000],
    ['inscription', 10_000],
    ['change', 30_000],
  ])
})

it('buildSplit rejects two inscriptions on one sat', () => {
  const bundle = termsOf({ offsets: [700, 700], valueSats: 10_000 })
  expect(() => buildSplit(bundle)).toThrow(expect.objectContaining({ code: 'nothing-to-split' }))
  const terms = termsOf({ offsets: [0, 5000], valueSats: 10_000 })
  expect(() => buildSplit({ ...terms, named: [] })).toThrow('name at least one inscription')
  expect(() => buildSplit({ ...terms, named: [idOf(7)] })).toThrow('is not in the coin')
  expect(() => buildSplit(termsOf({ offsets: [0, 10_000], valueSats: 10_000 }))).toThrow(
    'no sat at offset 10000',
  )
  const oneCoin = termsOf({ offsets: [0, 1], valueSats: 330, payments: [50_000] })
  expect(() => buildSplit(oneCoin)).toThrow('requires two payment coins')
})

it('checkSplit rejects a misplaced inscription', () => {
  const terms = termsOf({ offsets: [0, 5000], valueSats: 10_000 })
  const { layout } = buildSplit(terms)
  const [first, second, ...rest] = layout.outputs
  const changed = (outputs: typeof layout.outputs) => () => checkSplit(terms, { ...layout, outputs })
  const size = (output: typeof first, valueSats: number) => ({ ...output!, valueSats })
  expect(changed(layout.outputs)).not.toThrow()
  expect(changed([size(first, 5001), size(second, 4999), ...rest])).toThrow('to a separate coin of its owner')
  expect(changed([size(first, 10_000), ...rest])).toThrow('to a separate coin of its owner')
  expect(changed([first!, { ...second!, script: terms.from.changeScript }, ...rest])).toThrow('does not move')
  expect(changed([first!])).toThrow('to a separate coin of its owner')
  expect(changed([first!, second!, ...rest, size(second, 100)])).toThrow('below the dust limit')
  const stranger = scriptOfPublicKey(keyOf('a stranger'), 'p2tr')
  expect(changed([first!, second!, { ...rest[0]!, script: stranger }])).toThrow('does not pay the owner')
  expect(changed([first!, second!, size(rest[0], 10_000_000)])).toThrow('the outputs exceed the inputs')
})

it('moves the runes to a coin without inscriptions', () => {
  const cases = fc.record({
    offsets: fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 }),
    rate: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(cases, ({ offsets, rate }) => {
      const terms = {
        ...termsOf({
          offsets: offsets.map((n) => n * 700),
          valueSats: 10_000,
          rate,
          payments: [90_000, 80_000],
        }),
        hasRunes: true,
      }
      const split = buildSplit(terms)
      const { layout, feeSats, vsize } = split
      const stones = layout.outputs.filter(({ script }) => script[0] === 0x6a)
      expect(stones).toHaveLength(1)
      const [, prefix, length, tag, vout, ...rest] = stones[0]!.script
      expect([prefix, length, tag, stones[0]!.valueSats, rest]).toEqual([0x5d, 2, 22, 0, []])
      const runes = layout.outputs[vout!]!
      expect(bytesToHex(runes.script)).toBe(bytesToHex(ordinalsScript))
      expect(runes.valueSats).toBeGreaterThanOrEqual(DUST)
      const places = placesAfter(terms, split)
      expect(places.size).toBe(offsets.length)
      expect([...places.values()].map((place) => place.vout)).not.toContain(vout)
      expect(feeSats).toBeGreaterThanOrEqual(feeOf(vsize, rate))
    }),
  )
})

it('rejects a runestone that points to an inscription', () => {
  const terms = { ...termsOf({ offsets: [0, 700], valueSats: 10_000 }), hasRunes: true }
  const { layout } = buildSplit(terms)
  const altered = (script: (before: Uint8Array) => Uint8Array) => ({
    ...layout,
    outputs: layout.outputs.map((output) =>
      output.role === 'runestone' ? { ...output, script: script(output.script) } : output,
    ),
  })
  expect(() =>
    checkSplit(
      terms,
      altered((before) => before),
    ),
  ).not.toThrow()
  expect(() =>
    checkSplit(
      terms,
      altered((before) => before.with(4, 0)),
    ),
  ).toThrow(/runes/)
  expect(() =>
    checkSplit(
      terms,
      altered(() => new Uint8Array()),
    ),
  ).toThrow(/runes/)
  const { hasRunes: _, ...without } = terms
  expect(() => checkSplit(without, layout)).toThrow(BitcoinError)
})
