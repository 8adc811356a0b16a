import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import { payWith } from '../coins.ts'
import { BitcoinError } from '../errors.ts'
import { publicKeyOf, xOnlyKeyOf } from '../keys.ts'
import { feeOf, sumSats } from '../sats.ts'
import { checkSettlement, escrowInputsOf } from './check.ts'
import { economicsOf } from './economics.ts'
import { generationOf, LAST_GENERATION } from './generation.ts'
import { type Coin, positionsOf, prevoutsOf, signedVsizeOf, transactionOf } from './layout.ts'
import { ANCHOR_SATS, buildTransfer, TRANSFER_VSIZE } from './listing.ts'
import type { EscrowForm } from './passthrough.ts'
import { buildPurchase, feeCoinsOf, type PurchaseTerms } from './purchase.ts'

const key = (n: number) => new Uint8Array(32).fill(n)
const scriptFor = (n: number, kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh') =>
  scriptOfPublicKey(publicKeyOf(key(n)), kind)
const txid = (n: number) => n.toString(16).padStart(64, '0')
const MARKET = scriptFor(9, 'p2tr')
const market = keySpendOf(MARKET, publicKeyOf(key(9)))
const cosign = xOnlyKeyOf(key(8))
const FEES = {
  sellerFeeBps: 100,
  sellerFeeMinSats: 0,
  buyerFeeBps: 100,
  buyerFeeMinSats: 0,
  sellerRoyaltyBps: 0,
  buyerRoyaltyBps: 0,
  leastRoyaltySats: 330,
  leastRevenueSats: 0,
}

const feesWith = (royaltyBps?: { seller: number; buyer: number }) => ({
  ...FEES,
  sellerRoyaltyBps: royaltyBps?.seller ?? 0,
  buyerRoyaltyBps: royaltyBps?.buyer ?? 0,
})

function termsOf(options: {
  items: {
    priceSats: number
    postageSats: number
    payout: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh'
    confirmed: boolean
    escrowForm?: EscrowForm
    generation?: number
    royaltyBps?: { seller: number; buyer: number; creator: number }
  }[]
  donates?: boolean
  padded?: boolean
  coins: number[]
  kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh'
  feeRateSatVb: number
}): PurchaseTerms {
  const seller = scriptFor(1, 'p2tr')
  const payer = scriptFor(2, options.kind)
  return {
    items: options.items.map(({ priceSats, postageSats, payout, confirmed, royaltyBps, ...leg }, i) => {
      const economics = economicsOf(priceSats, feesWith(royaltyBps))
      const creator = scriptFor(10 + (royaltyBps?.creator ?? 0), 'p2tr')
      return {
        terms: {
          inscriptionCoin: { txid: txid(100 + i), vout: i, valueSats: postageSats, script: seller },
          seller: keySpendOf(seller, publicKeyOf(key(1))),
          marketKey: cosign,
          escrowForm: leg.escrowForm ?? 'published',
          movedTo: null,
          generation: leg.generation ?? 0,
          anchor: { txid: txid(200 + i), vout: 0, valueSats: ANCHOR_SATS, script: MARKET },
          recoveryCoin: { txid: txid(300 + i), vout: 0, valueSats: ANCHOR_SATS, script: MARKET },
          market,
          payoutSats: economics.sellerReceiveSats + postageSats,
          payoutScript: scriptFor(1, payout),
        },
        transferConfirmed: confirmed,
        marketplaceRevenueSats: economics.marketplaceRevenueSats,
        royalty:
          economics.creatorRevenueSats > 0
            ? { valueSats: economics.creatorRevenueSats, script: creator }
            : null,
      }
    }),
    payments: options.coins.map(
      (valueSats, i): Coin => ({ txid: txid(400 + i), vout: 0, valueSats, script: payer }),
    ),
    payer: keySpendOf(payer, publicKeyOf(key(2))),
    buyerScript: scriptFor(3, 'p2tr'),
    changeScript: payer,
    market,
    marketScript: MARKET,
    feeCoins: options.padded
      ? {
          by: 'pads',
          pads: [...options.items, null].map((_, i) => ({
            txid: txid(600 + i),
            vout: 0,
            valueSats: ANCHOR_SATS,
            script: MARKET,
          })),
        }
      : { by: 'tail', tail: { txid: txid(500), vout: 0, valueSats: 1_000_000, script: MARKET } },
    feeRateSatVb: options.feeRateSatVb,
    donationScript: options.donates ? scriptFor(7, 'p2wpkh') : null,
  }
}

const kind = fc.constantFrom('p2tr' as const, 'p2wpkh' as const, 'p2sh-p2wpkh' as const)
const item = fc.record({
  priceSats: fc.integer({ min: 1000, max: 1_000_000_000 }),
  postageSats: fc.integer({ min: 330, max: 100_000 }),
  payout: kind,
  confirmed: fc.boolean(),
  escrowForm: fc.constantFrom('published' as const, 'wallet' as const),
  generation: fc.constantFrom(0, 1, 1000, LAST_GENERATION),
  royaltyBps: fc.record({
    seller: fc.integer({ min: 0, max: 1000 }),
    buyer: fc.integer({ min: 0, max: 1000 }),
    creator: fc.integer({ min: 0, max: 2 }),
  }),
})

describe('buildPurchase', () => {
  it('balances to the sat for random terms', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 20 }),
        kind,
        fc.integer({ min: 10, max: 200 }).map((tenths) => tenths / 10),
        fc.array(fc.integer({ min: 600, max: 4_000_000_000 }), { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        fc.boolean(),
        (items, payerKind, feeRateSatVb, coins, donates, padded) => {
          const terms = termsOf({ items, coins, kind: payerKind, feeRateSatVb, donates, padded })
          const paidSats = sumSats(coins)
          let built: ReturnType<typeof buildPurchase>
          try {
            built = buildPurchase(terms)
          } catch (error) {
            expect((error as BitcoinError).code).toMatch(
              padded ? /coins-insufficient/ : /coins-insufficient|coins-fragmented/,
            )
            return
          }
          const { settlement, feeSats } = built
          checkSettlement(settlement, {
            inscriptionInputs: escrowInputsOf(settlement),
            ownerScript: terms.buyerScript,
            feeSats,
          })
          // inputs = outputs + fee
          const inSats = sumSats(prevoutsOf(settlement).map((output) => output.valueSats))
          expect(inSats).toBe(sumSats(settlement.outputs.map((output) => output.valueSats)) + feeSats)
          // The first output receives runes.
          expect(settlement.outputs[0]).toMatchObject({ role: 'change', script: terms.changeScript })
          // Payouts have the indexes of their escrow coins.
          for (const [n, index] of positionsOf(settlement.inputs, 'escrow').entries())
            expect(settlement.outputs[index]).toMatchObject({
              role: 'payout',
              valueSats: terms.items[n]!.terms.payoutSats,
            })
          // Escrow inputs have the signed sequences.
          for (const [n, index] of positionsOf(settlement.inputs, 'escrow').entries())
            expect(generationOf(transactionOf(settlement).inputs[index]!.sequence)).toBe(items[n]!.generation)
          const feeCoins = feeCoinsOf(terms)
          const marketIn = sumSats(feeCoins.map((coin) => coin.valueSats)) + ANCHOR_SATS * items.length
          const marketOut = sumSats(
            settlement.outputs
              .filter((output) => ['service', 'anchor', 'tail'].includes(output.role))
              .map((output) => output.valueSats),
          )
          expect(marketOut - marketIn).toBe(sumSats(terms.items.map((each) => each.marketplaceRevenueSats)))
          // Royalties of one creator share an output.
          const royalties = settlement.outputs.filter((output) => output.role === 'royalty')
          expect(sumSats(royalties.map((output) => output.valueSats))).toBe(
            sumSats(terms.items.map(({ royalty }) => royalty?.valueSats ?? 0)),
          )
          expect(new Set(royalties.map((output) => output.script.join())).size).toBe(royalties.length)
          const donation = settlement.outputs.filter((output) => output.role === 'donation')
          expect(sumSats(donation.map((output) => output.valueSats))).toBe(built.donationSats)
          if (donates) {
            expect(built.donationSats).toBeGreaterThanOrEqual(1000)
            expect(built.donationSats).toBeLessThan(2000)
            expect(built.totalCostSats % 1000).toBe(0)
          } else expect(built.donationSats).toBe(0)
          const cost =
            sumSats(
              items.map(
                ({ priceSats, postageSats, royaltyBps }) =>
                  economicsOf(priceSats, feesWith(royaltyBps)).buyerPayTotalSats + postageSats,
              ),
            ) +
            built.donationSats +
            built.networkFeeSats +
            built.cpfpFeeSats +
            built.listingTransferFeeSats
          expect(paidSats - built.changeSats).toBe(cost)
          expect(built.totalCostSats).toBe(cost)
          // The fee can exceed the rate by change that is too small for an output.
          const pending = items.filter(({ confirmed }) => !confirmed).length
          expect(feeSats + ANCHOR_SATS * pending).toBeGreaterThanOrEqual(
            feeOf(built.packageVsize, feeRateSatVb),
          )
          expect(built.packageVsize).toBe(signedVsizeOf(settlement) + TRANSFER_VSIZE * pending)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('reports the exact number of missing sats', () => {
    const options = {
      items: [{ priceSats: 50_000, postageSats: 546, payout: 'p2wpkh', confirmed: false }],
      kind: 'p2wpkh',
      feeRateSatVb: 2,
    } as const
    const terms = termsOf({ ...options, items: [...options.items], coins: [40_000] })
    const attempt = (payments: Coin[]) => buildPurchase({ ...terms, payments })
    try {
      attempt([...terms.payments])
      expect.unreachable()
    } catch (error) {
      const { code, facts } = error as BitcoinError
      expect(code).toBe('coins-insufficient')
      const enough = { ...terms.payments[0]!, valueSats: 40_000 + Number(facts.missingSats) }
      expect(attempt([enough]).changeSats).toBe(294)
      expect(() => attempt([{ ...enough, valueSats: enough.valueSats - 1 }])).toThrow(BitcoinError)
    }
    const coins = [10_000, 30_000, 60_000, 20_000].map((valueSats, i) => ({
      ...terms.payments[0]!,
      txid: txid(i),
      valueSats,
    }))
    expect(payWith(coins, attempt).chosen.map((coin) => coin.valueSats)).toEqual([60_000])
  })

  it('builds settlements that checkSettlement verifies', () => {
    const terms = termsOf({
      items: [{ priceSats: 50_000, postageSats: 546, payout: 'p2tr', confirmed: false }],
      coins: [100_000],
      kind: 'p2tr',
      feeRateSatVb: 2,
    })
    const { settlement, feeSats } = buildPurchase(terms)
    const check =
      (outputs: typeof settlement.outputs, fee = feeSats) =>
      () =>
        checkSettlement(
          { ...settlement, outputs },
          { inscriptionInputs: escrowInputsOf(settlement), ownerScript: terms.buyerScript, feeSats: fee },
        )
    const change = (role: string, by: number) =>
      settlement.outputs.map((output) =>
        output.role === role ? { ...output, valueSats: output.valueSats + by } : output,
      )
    expect(check(settlement.outputs)).not.toThrow()
    expect(check(settlement.outputs, feeSats + 1)).toThrow(/the fee is/)
    expect(check(change('service', 1))).toThrow(/do not arrive in one output/)
    expect(check(change('payout', -1))).toThrow(/do not arrive in one output/)
    expect(check(settlement.outputs.toReversed())).toThrow(/do not arrive in one output/)
    expect(check(change('tail', -1_000_000 + feeSats + 100), 1_000_000 - 100)).toThrow(/dust/)
  })
})

it('buildPurchase produces the documented sizes', () => {
  const sizesOf = (escrowForm: EscrowForm, payout: 'p2wpkh' | 'p2tr', count: number, padded: boolean) =>
    (['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const).map((kind) => {
      const listed = { priceSats: 50_000, postageSats: 546, payout, confirmed: false, escrowForm }
      const items = Array<typeof listed>(count).fill(listed)
      const terms = termsOf({ items, coins: [5_000_000], kind, feeRateSatVb: 2, padded })
      expect(signedVsizeOf(buildTransfer(terms.items[0]!.terms))).toBe(TRANSFER_VSIZE)
      return signedVsizeOf(buildPurchase(terms).settlement)
    })
  const tables = (['published', 'wallet'] as const).map((form) => ({
    'P, 1 item, paid to P2WPKH': sizesOf(form, 'p2wpkh', 1, false),
    'P, 1 item, paid to P2TR': sizesOf(form, 'p2tr', 1, false),
    'P, 20 items, paid to P2WPKH': sizesOf(form, 'p2wpkh', 20, false),
    'P, 20 items, paid to P2TR': sizesOf(form, 'p2tr', 20, false),
    'D, 1 item': sizesOf(form, 'p2wpkh', 1, true),
    'D, 20 items': sizesOf(form, 'p2wpkh', 20, true),
  }))
  expect(tables).toEqual([
    {
      'P, 1 item, paid to P2WPKH': [428, 429, 452],
      'P, 1 item, paid to P2TR': [440, 441, 464],
      'P, 20 items, paid to P2WPKH': [3738, 3740, 3762],
      'P, 20 items, paid to P2TR': [3978, 3980, 4002],
      'D, 1 item': [473, 487, 498],
      'D, 20 items': [4876, 4890, 4901],
    },
    {
      'P, 1 item, paid to P2WPKH': [436, 437, 460],
      'P, 1 item, paid to P2TR': [448, 449, 472],
      'P, 20 items, paid to P2WPKH': [3898, 3900, 3922],
      'P, 20 items, paid to P2TR': [4138, 4140, 4162],
      'D, 1 item': [481, 495, 506],
      'D, 20 items': [5036, 5050, 5061],
    },
  ])
})
