import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { publicKeyOf, sha256 } from '../keys.ts'
import { feeOf, sumSats } from '../sats.ts'
import { type Coin, feeOfLayout, signedVsizeOf } from './layout.ts'
import { buildSwap, checkSwap, type SwapSide, type SwapTerms, swapInputsOf } from './swap.ts'

const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
const keyOf = (name: string) => publicKeyOf(sha256(new TextEncoder().encode(name)))
let coins = 0
const coin = (valueSats: number, script: Uint8Array): Coin => ({
  txid: (++coins).toString(16).padStart(64, '0'),
  vout: coins % 5,
  valueSats,
  script,
})

function side(
  name: string,
  kind: (typeof KINDS)[number],
  postages: readonly number[],
  payments: readonly number[],
): SwapSide {
  const ordinalsScript = scriptOfPublicKey(keyOf(name), 'p2tr')
  const paymentScript = scriptOfPublicKey(keyOf(`${name} pays`), kind)
  return {
    inscriptionCoins: postages.map((sats) => coin(sats, ordinalsScript)),
    ordinals: keySpendOf(ordinalsScript, keyOf(name)),
    ordinalsScript,
    payments: payments.map((sats) => coin(sats, paymentScript)),
    payer: keySpendOf(paymentScript, keyOf(`${name} pays`)),
    paymentScript,
  }
}

const postages = fc.array(fc.integer({ min: 330, max: 100_000 }), { maxLength: 10 })
const swaps = fc
  .record({
    gives: postages,
    gets: postages,
    kinds: fc.tuple(fc.constantFrom(...KINDS), fc.constantFrom(...KINDS)),
    sats: fc.integer({ min: 546, max: 5_000_000 }),
    way: fc.constantFrom('offered', 'requested', 'none'),
    change: fc.constantFrom(0, 546, 10_000),
    spare: fc.array(fc.integer({ min: 600, max: 2_000_000 }), { maxLength: 4 }),
    marketplaceFeeSats: fc.constantFrom(0, 330, 5000),
    rate: fc.integer({ min: 1, max: 100 }),
  })
  .filter(({ gives, gets }) => gives.length + gets.length > 0)

it('buildSwap delivers every coin to the other side', () => {
  let built = 0
  fc.assert(
    fc.property(swaps, ({ gives, gets, kinds, sats, way, change, spare, marketplaceFeeSats, rate }) => {
      const offeredSats = way === 'offered' ? sats : 0
      const requestedSats = way === 'requested' ? sats : 0
      const terms: SwapTerms = {
        proposer: side('proposer', kinds[0], gives, offeredSats > 0 ? [offeredSats + change] : []),
        acceptor: side('acceptor', kinds[1], gets, [...spare]),
        offeredSats,
        requestedSats,
        marketplaceFeeSats,
        marketScript: scriptOfPublicKey(keyOf('market'), 'p2tr'),
        feeRateSatVb: rate,
      }
      let swap: ReturnType<typeof buildSwap>
      try {
        swap = buildSwap(terms)
      } catch (error) {
        expect((error as BitcoinError).code).toBe('coins-insufficient')
        return
      }
      built++
      const { settlement, feeSats } = swap
      checkSwap(terms, swap)
      expect(feeOfLayout(settlement)).toBe(feeSats)
      expect(feeSats).toBeGreaterThanOrEqual(feeOf(signedVsizeOf(settlement), rate))
      // Runes go to the side that pays with coins.
      const [first] = settlement.outputs
      if (gets.length > 0 && offeredSats > 0) expect(first!.script).toBe(terms.proposer.ordinalsScript)
      if (gives.length > 0 && offeredSats === 0) expect(first!.script).toBe(terms.acceptor.ordinalsScript)
      const paidTo = (script: Uint8Array) =>
        sumSats(
          settlement.outputs.filter((output) => output.script === script).map((output) => output.valueSats),
        )
      const spentOf = (inputs: readonly Coin[]) => sumSats(inputs.map((input) => input.valueSats))
      const { proposer, acceptor } = terms
      expect(paidTo(proposer.paymentScript) - spentOf(proposer.payments)).toBe(requestedSats - offeredSats)
      expect(swap.proposerNetSats).toBe(requestedSats - offeredSats)
      expect(paidTo(acceptor.paymentScript) - spentOf(acceptor.payments)).toBe(swap.acceptorNetSats)
      expect(swap.acceptorNetSats).toBe(offeredSats - requestedSats - marketplaceFeeSats - feeSats)
      expect(paidTo(acceptor.ordinalsScript)).toBe(spentOf(proposer.inscriptionCoins))
      expect(paidTo(proposer.ordinalsScript)).toBe(spentOf(acceptor.inscriptionCoins))
      const signed = [...swapInputsOf(settlement, 'proposer'), ...swapInputsOf(settlement, 'acceptor')]
      expect(signed.toSorted((a, b) => a - b)).toEqual(settlement.inputs.map((_, n) => n))
    }),
    { numRuns: 300 },
  )
  expect(built).toBeGreaterThan(50)
})

it('buildSwap rejects dust change', () => {
  const terms: SwapTerms = {
    proposer: side('proposer', 'p2wpkh', [10_000], [20_545]),
    acceptor: side('acceptor', 'p2wpkh', [10_000], [50_000]),
    offeredSats: 20_000,
    requestedSats: 0,
    marketplaceFeeSats: 0,
    marketScript: scriptOfPublicKey(keyOf('market'), 'p2tr'),
    feeRateSatVb: 1,
  }
  expect(() => buildSwap(terms)).toThrow(BitcoinError)
  expect(() => buildSwap({ ...terms, offeredSats: 20_546 })).toThrow(/would be -1 sats/)
})

it('checkSwap rejects a misplaced inscription', () => {
  const terms: SwapTerms = {
    proposer: side('proposer', 'p2wpkh', [10_000], []),
    acceptor: side('acceptor', 'p2tr', [600], [50_000]),
    offeredSats: 0,
    requestedSats: 0,
    marketplaceFeeSats: 0,
    marketScript: scriptOfPublicKey(keyOf('market'), 'p2tr'),
    feeRateSatVb: 1,
  }
  const swap = buildSwap(terms)
  const [first, second, ...rest] = swap.settlement.outputs
  const swapped = { ...swap.settlement, outputs: [second!, first!, ...rest] }
  expect(() => checkSwap(terms, { ...swap, settlement: swapped })).toThrow(/do not arrive in one output/)
  expect(() => checkSwap(terms, { ...swap, feeSats: swap.feeSats - 1 })).toThrow(/the fee is/)
})
