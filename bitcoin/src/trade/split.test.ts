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

/** A split of a coin with inscriptions at offsets; `named` are positions among them, by default all. */
function termsOf({ offsets, valueSats, named, payments = [50_000, 20_000], ...more }: Case): SplitTerms {
  const { kind = 'p2wpkh', postageSats, rate = 3 } = more
  const paymentScript = scriptOfPublicKey(keyOf('pays'), kind)
  const contents = offsets.map((offset, n): LocatedInscription => ({ inscriptionId: idOf(n), offset }))
  return {
    coin: coin(valueSats, ordinalsScript),
    spend: keySpendOf(ordinalsScript, keyOf('owner')),
    contents,
    named: contents.filter((_, n) => !named || named.includes(n)).map((each) => each.inscriptionId),
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

/** The places of the inscriptions after the split by the rules of the index, which knows nothing of layouts. */
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
  for (const [sequence, each] of contents.entries())
    located.put(from, { ...each, sequence, cursedOrVindicated: false })
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

/** Asserts what every split promises, and gives the places of the inscriptions after it. */
function demandSplit(terms: SplitTerms, split: Split) {
  const { layout, feeSats, vsize, changeSats } = split
  const places = placesAfter(terms, split)
  expect([...places.keys()].toSorted()).toEqual(terms.contents.map((each) => each.inscriptionId).toSorted())
  const offsetOf = new Map(terms.contents.map(({ inscriptionId, offset }) => [inscriptionId, offset]))
  for (const { inscriptionId, vout } of places.values()) {
    const { script, valueSats } = layout.outputs[vout]!
    expect(bytesToHex(script)).toBe(bytesToHex(ordinalsScript))
    if (!terms.named.includes(inscriptionId)) continue
    expect(valueSats).toBeGreaterThanOrEqual(terms.postageSats ?? DUST)
    const beside = [...places.values()].filter((each) => each.vout === vout)
    expect(new Set(beside.map((each) => offsetOf.get(each.inscriptionId)))).toHaveLength(1)
  }
  expect(bytesToHex(layout.outputs[0]!.script)).toBe(bytesToHex(ordinalsScript))
  for (const { script, valueSats } of layout.outputs)
    expect(valueSats).toBeGreaterThanOrEqual(dustLimitOf(script))
  // Every sat of the coin stays at the ordinals address, whatever else is in it.
  const values = layout.inputs.map((input) => input.coin.valueSats)
  const start = offsetOfInput(
    layout.inputs.findIndex(({ role }) => role === 'inscription'),
    values,
  )
  let at = 0
  for (const { script, valueSats } of layout.outputs) {
    const holdsSome = at < start + terms.coin.valueSats && at + valueSats > start
    if (holdsSome) expect(bytesToHex(script)).toBe(bytesToHex(ordinalsScript))
    at += valueSats
  }
  expect(at).toBeGreaterThanOrEqual(start + terms.coin.valueSats)
  const spentSats = sumSats(layout.inputs.map((input) => input.coin.valueSats))
  expect(sumSats(layout.outputs.map((output) => output.valueSats)) + feeSats).toBe(spentSats)
  expect(vsize).toBe(signedVsizeOf(layout))
  expect(feeSats).toBeGreaterThanOrEqual(feeOf(vsize, terms.feeRateSatVb))
  // Change below the minimum joins the fee, and so does what its output would cost: 43 vB to a taproot address, plus rounding.
  expect(feeSats).toBeLessThan(
    feeOf(vsize, terms.feeRateSatVb) + MINIMUM_CHANGE_SATS + 44 * terms.feeRateSatVb,
  )
  return { places, changeSats }
}

/** Whether sats can be parted at all, by trying: gaps are cut so that no group between two others has too few sats. */
function canPart(sats: readonly number[], leastSats: number): boolean {
  let cut = sats[0]! + 1
  for (const [n, sat] of sats.entries()) {
    if (n === 0) continue
    if (cut > sat) return false
    cut = Math.max(cut + leastSats, sat + 1)
  }
  return true
}

/** The code with which a split is refused. */
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

it('moves each named sat to a separate coin with its postage, or rejects it by name', () => {
  const ends = { split: 0, close: 0, nothing: 0 }
  fc.assert(
    fc.property(splits, ({ first, gaps, after, fewer, ...more }) => {
      const offsets = [first]
      for (const gap of gaps) offsets.push(offsets.at(-1)! + gap)
      const valueSats = Math.max(offsets.at(-1)! + 1 + after, DUST)
      const one = fewer === null ? undefined : [fewer % offsets.length]
      const terms = termsOf({ offsets, valueSats, ...more, ...(one ? { named: one } : {}) })
      const distinct = [...new Set(offsets)]
      let split: Split
      try {
        split = buildSplit(terms)
      } catch (error) {
        if (!(error instanceof BitcoinError)) throw error
        if (error.code === 'nothing-to-split') ends.nothing++
        else if (error.code !== 'coins-insufficient') {
          expect(error.code).toBe('sats-too-close')
          ends.close++
          if (one) return
          expect(canPart(distinct, terms.postageSats ?? DUST)).toBe(false)
          const first = String(error.facts.splitFirst).split(',')
          expect(codeOf({ ...terms, named: first })).not.toBe('sats-too-close')
        }
        if (error.code === 'nothing-to-split') expect(distinct).toHaveLength(1)
        return
      }
      ends.split++
      if (!one) expect(canPart(distinct, terms.postageSats ?? DUST)).toBe(true)
      demandSplit(terms, split)
    }),
    { numRuns: 1000 },
  )
  // Every ending is met often, so that none of them is asserted in vain.
  for (const times of Object.values(ends)) expect(times).toBeGreaterThan(50)
})

it('puts each inscription at offset 0, without payment sats if there is room', () => {
  const terms = termsOf({ offsets: [0, 10_000, 20_000], valueSats: 30_000 })
  const split = buildSplit(terms)
  const { places } = demandSplit(terms, split)
  expect(split.paddingSats).toBe(0)
  expect(split.layout.inputs.map(({ role }) => role)).toEqual(['inscription', 'payment'])
  expect([...places.values()].map(({ vout, offset }) => [vout, offset])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
  ])
  expect(split.layout.outputs.slice(0, 3).map(({ valueSats }) => valueSats)).toEqual([10_000, 10_000, 10_000])
})

it('separates adjacent sats at both ends of a coin with payment sats before and after', () => {
  const terms = termsOf({ offsets: [0, 1], valueSats: 330 })
  const split = buildSplit(terms)
  demandSplit(terms, split)
  expect(split.layout.inputs.map(({ role }) => role)).toEqual(['payment', 'inscription', 'payment'])
  expect(split.paddingSats).toBe(329 + 1)
  const last = termsOf({ offsets: [0, 999], valueSats: 1000 })
  const whole = buildSplit(last)
  demandSplit(last, whole)
  expect(whole.paddingSats).toBe(0)
})

it('adds a small payment coin to the first inscription instead of creating dust', () => {
  const terms = termsOf({ offsets: [0, 1], valueSats: 330, payments: [900, 30_000] })
  const split = buildSplit(terms)
  demandSplit(terms, split)
  expect(split.layout.outputs[0]).toMatchObject({ role: 'inscription', valueSats: 901 })
})

it('names three sats that are too close, and how many sats are missing', () => {
  const close = termsOf({ offsets: [0, 5000, 5100, 5200, 9000], valueSats: 20_000 })
  expect(() => buildSplit(close)).toThrow(
    expect.objectContaining({
      code: 'sats-too-close',
      facts: expect.objectContaining({ roomSats: 199, neededSats: 330 }),
    }),
  )
  expect(() => buildSplit(close)).toThrow(
    `${idOf(2)} cannot be separated in one transaction: 199 sats are between ${idOf(1)} and ${idOf(3)}, and its coin needs 330. First split off ${idOf(0)}, ${idOf(1)}, and the rest in a second transaction`,
  )
  const fewer = { ...close, named: [idOf(0), idOf(1)] }
  demandSplit(fewer, buildSplit(fewer))
})

it('keeps unnamed inscriptions together in the remainder', () => {
  const terms = termsOf({ offsets: [0, 4000, 4001, 9000, 9500], valueSats: 20_000, named: [3] })
  const split = buildSplit(terms)
  const { places } = demandSplit(terms, split)
  expect([0, 1, 2, 3, 4].map((n) => places.get(idOf(n))!.vout)).toEqual([0, 0, 0, 1, 2])
})

it('leaves exactly the postage if the coin has more', () => {
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

it('rejects a bundle, an empty or unknown selection, and one payment coin if it needs two', () => {
  const bundle = termsOf({ offsets: [700, 700], valueSats: 10_000 })
  expect(() => buildSplit(bundle)).toThrow(expect.objectContaining({ code: 'nothing-to-split' }))
  const terms = termsOf({ offsets: [0, 5000], valueSats: 10_000 })
  expect(() => buildSplit({ ...terms, named: [] })).toThrow('name an inscription')
  expect(() => buildSplit({ ...terms, named: [idOf(7)] })).toThrow('is not in the coin')
  expect(() => buildSplit(termsOf({ offsets: [0, 10_000], valueSats: 10_000 }))).toThrow(
    'no sat at offset 10000',
  )
  const oneCoin = termsOf({ offsets: [0, 1], valueSats: 330, payments: [50_000] })
  expect(() => buildSplit(oneCoin)).toThrow('needs two payment coins')
})

it('rejects layouts that move an inscription elsewhere', () => {
  const terms = termsOf({ offsets: [0, 5000], valueSats: 10_000 })
  const { layout } = buildSplit(terms)
  const [first, second, ...rest] = layout.outputs
  const changed = (outputs: typeof layout.outputs) => () => checkSplit(terms, { ...layout, outputs })
  const size = (output: typeof first, valueSats: number) => ({ ...output!, valueSats })
  expect(changed(layout.outputs)).not.toThrow()
  // The second sat ends behind the first, in the output of the first, at another script, in the fee.
  expect(changed([size(first, 5001), size(second, 4999), ...rest])).toThrow('would not arrive alone')
  expect(changed([size(first, 10_000), ...rest])).toThrow('would not arrive alone')
  expect(changed([first!, { ...second!, script: terms.from.changeScript }, ...rest])).toThrow(
    'would not arrive',
  )
  expect(changed([first!])).toThrow('would not arrive alone')
  expect(changed([first!, second!, ...rest, size(second, 100)])).toThrow('below the dust limit')
  const stranger = scriptOfPublicKey(keyOf('a stranger'), 'p2tr')
  expect(changed([first!, second!, { ...rest[0]!, script: stranger }])).toThrow('is not to the owner')
  expect(changed([first!, second!, size(rest[0], 10_000_000)])).toThrow('more than the inputs bring')
})
