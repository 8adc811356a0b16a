import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dustLimitOf, keySpendOf, scriptOfPublicKey } from '../address.ts'
import { signKeyInput } from '../inscribe.ts'
import { publicKeyOf, sha256, signSchnorr, xOnlyKeyOf } from '../keys.ts'
import { sumSats } from '../sats.ts'
import { SIGHASH } from '../sighash.ts'
import { txidOf } from '../transaction.ts'
import { checkSettlement } from './check.ts'
import { bidOutputOf, buildFill, buildFundingParent, type FillTerms } from './collection-offer.ts'
import { buildCounterAcceptance, buildCounterSettlement, type CounterTerms } from './counter.ts'
import { criteriaText, eligibleRoot, proofOf } from './criteria.ts'
import { economicsOf } from './economics.ts'
import { checkFill, type FillRequest } from './fill-check.ts'
import {
  type Coin,
  feeOfLayout,
  positionsOf,
  prevoutsOf,
  sighashOf,
  signedVsizeOf,
  transactionOf,
} from './layout.ts'
import { buildOffer, buildPayoutLift, type OfferTerms } from './offer.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(name))
const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
type Kind = (typeof KINDS)[number]
const scriptOf = (name: string, kind: Kind) => scriptOfPublicKey(publicKeyOf(keyOf(name)), kind)
const spendOf = (name: string, kind: Kind) => keySpendOf(scriptOf(name, kind), publicKeyOf(keyOf(name)))
const coin = (n: number, valueSats: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n % 5,
  valueSats,
  script,
})

const SELLER = scriptOf('seller', 'p2tr')
const BUYER = scriptOf('buyer', 'p2tr')
const MARKET = scriptOf('market', 'p2tr')
const fees = {
  sellerFeeBps: 100,
  sellerFeeMinSats: 0,
  buyerFeeBps: 100,
  buyerFeeMinSats: 0,
  sellerRoyaltyBps: 200,
  buyerRoyaltyBps: 50,
  leastRoyaltySats: 330,
  leastRevenueSats: 330,
}

const trades = fc.record({
  price: fc.integer({ min: 2, max: 5_000_000 }).map((thousands) => thousands * 1000),
  postage: fc.integer({ min: 330, max: 100_000 }),
  kind: fc.constantFrom(...KINDS),
  payoutKind: fc.constantFrom(...KINDS),
  coins: fc.integer({ min: 1, max: 8 }),
  spare: fc.integer({ min: 0, max: 50_000 }),
  rate: fc.integer({ min: 1, max: 200 }),
  lift: fc.integer({ min: 1, max: 20 }),
})

/** Returns `count` coins with this total value. */
function coinsFor(totalSats: number, count: number, script: Uint8Array): Coin[] {
  const shareSats = Math.floor(totalSats / count)
  return Array.from({ length: count }, (_, n) =>
    coin(100 + n, n === 0 ? totalSats - shareSats * (count - 1) : shareSats, script),
  )
}

describe('buildOffer', () => {
  it('delivers the whole coin to the buyer', () => {
    fc.assert(
      fc.property(trades, ({ price, postage, kind, payoutKind, coins, spare, rate, lift }) => {
        const economics = economicsOf(price, fees)
        const creator = scriptOf('creator', 'p2wpkh')
        const payScript = scriptOf('buyer pays', kind)
        const terms: OfferTerms = {
          inscriptionCoin: coin(1, postage, SELLER),
          seller: spendOf('seller', 'p2tr'),
          payoutSats: economics.sellerReceiveSats + postage,
          payoutScript: scriptOf('seller is paid', payoutKind),
          marketplaceRevenueSats: economics.marketplaceRevenueSats,
          marketScript: MARKET,
          royalty:
            economics.creatorRevenueSats > 0
              ? { valueSats: economics.creatorRevenueSats, script: creator }
              : null,
          payer: spendOf('buyer pays', kind),
          changeScript: payScript,
          buyerScript: BUYER,
          feeRateSatVb: rate,
          payments: coinsFor(economics.buyerPayTotalSats + postage + rate * 1500 + spare, coins, payScript),
        }
        const { settlement, feeSats, totalCostSats, vsize } = buildOffer(terms)
        checkSettlement(settlement, { inscriptionInputs: [0], ownerScript: BUYER, feeSats })
        expect(totalCostSats).toBe(economics.buyerPayTotalSats + postage + feeSats)
        expect(feeSats).toBeGreaterThanOrEqual(Math.floor(vsize * rate))
        expect(feeOfLayout(settlement)).toBe(feeSats)
        const lifted = buildPayoutLift(
          { txid: txidOf(transactionOf(settlement)), layout: settlement, vsize, feeSats },
          spendOf('seller is paid', payoutKind),
          { feeRateSatVb: rate + lift, leastSats: -1e9 },
        )
        // The fee may include small change and already meet the higher rate.
        if (!lifted) return expect(feeSats).toBeGreaterThanOrEqual(vsize * (rate + lift) - 1)
        const whole = vsize + signedVsizeOf(lifted.layout)
        expect(feeSats + lifted.feeSats).toBe(Math.ceil(whole * (rate + lift)))
        expect(lifted.layout.outputs[0]!.valueSats).toBe(terms.payoutSats - lifted.feeSats)
      }),
    )
  })

  it('waives a fee below the dust limit', () => {
    expect(economicsOf(16_000, fees)).toMatchObject({
      marketplaceRevenueSats: 0,
      sellerMarketplaceFeeSats: 0,
      buyerMarketplaceFeeSats: 0,
    })
    expect(economicsOf(17_000, fees).marketplaceRevenueSats).toBe(340)
  })

  it('rejects insufficient coins', () => {
    const terms: OfferTerms = {
      inscriptionCoin: coin(1, 546, SELLER),
      seller: spendOf('seller', 'p2tr'),
      payoutSats: 2546,
      payoutScript: SELLER,
      marketplaceRevenueSats: 0,
      marketScript: MARKET,
      royalty: null,
      payer: spendOf('buyer', 'p2tr'),
      changeScript: BUYER,
      buyerScript: BUYER,
      feeRateSatVb: 1,
      payments: [coin(2, 2600, BUYER)],
    }
    expect(() => buildOffer(terms)).toThrow(/needs .* more sats/)
    const enough = { ...terms, payments: [coin(2, 2900, BUYER)] }
    const { settlement, vsize, feeSats } = buildOffer(enough)
    const lift = () =>
      buildPayoutLift(
        { txid: 'aa'.repeat(32), layout: settlement, vsize, feeSats },
        spendOf('seller', 'p2tr'),
        {
          feeRateSatVb: 20,
          leastSats: dustLimitOf(SELLER),
        },
      )
    expect(lift).toThrow(/lower fee rate/)
  })
})

describe('buildCounterAcceptance', () => {
  it('balances to the sat', () => {
    fc.assert(
      fc.property(trades, ({ price, postage, kind, payoutKind, coins, spare, rate }) => {
        const economics = economicsOf(price, {
          ...fees,
          leastRevenueSats: 0,
          sellerRoyaltyBps: 0,
          buyerRoyaltyBps: 0,
        })
        const payScript = scriptOf('buyer pays', kind)
        const terms: CounterTerms = {
          inscriptionCoin: coin(1, postage, SELLER),
          seller: spendOf('seller', 'p2tr'),
          marketKey: xOnlyKeyOf(keyOf('cosign')),
          escrowForm: 'published',
          movedTo: null,
          generation: 0,
          anchor: coin(2, 330, MARKET),
          recoveryCoin: coin(3, 330, MARKET),
          market: spendOf('market', 'p2tr'),
          payoutSats: economics.sellerReceiveSats + postage,
          payoutScript: scriptOf('seller is paid', payoutKind),
          marketplaceRevenueSats: economics.marketplaceRevenueSats,
          marketScript: MARKET,
          royalty: null,
          buyerScript: BUYER,
        }
        const payments = coinsFor(
          economics.buyerPayTotalSats + postage + rate * 2500 + 330 + spare,
          coins,
          payScript,
        )
        const from = { payments, payer: spendOf('buyer pays', kind), changeScript: payScript }
        const { funding, settlement, totalCostSats, packageFeeSats } = buildCounterAcceptance(
          terms,
          from,
          rate,
        )
        checkSettlement(settlement, {
          inscriptionInputs: [0],
          ownerScript: BUYER,
          feeSats: feeOfLayout(settlement),
        })
        // The seller signed the outputs before the funding was known.
        expect(settlement.outputs).toEqual(buildCounterSettlement(terms, null).outputs)
        expect(totalCostSats).toBe(economics.buyerPayTotalSats + postage + packageFeeSats)
        expect(sumSats(payments.map((payment) => payment.valueSats)) - funding.changeSats).toBe(totalCostSats)
        expect(packageFeeSats).toBe(330 + funding.feeSats + feeOfLayout(settlement))
      }),
    )
  })
})

describe('buildFill and checkFill', () => {
  const secret = keyOf('secret')
  const ids = Array.from({ length: 9 }, (_, n) => `${(n + 1).toString(16).padStart(64, '0')}i0`)

  function fillOf(
    price: number,
    postage: number,
    kind: Kind,
    coins: number,
    spare: number,
    rate: number,
  ): FillTerms {
    const payScript = scriptOf('maker pays', kind)
    const economics = economicsOf(price, { ...fees, sellerFeeBps: 250, buyerFeeBps: 0, buyerRoyaltyBps: 0 })
    return {
      offer: {
        makerScript: BUYER,
        guardianKey: xOnlyKeyOf(keyOf('guardian')),
        marketKey: xOnlyKeyOf(keyOf('cosign')),
        secretHash: sha256(secret),
        priceSats: price,
        payments: coinsFor(price + spare, coins, payScript),
        payer: spendOf('maker pays', kind),
        changeScript: payScript,
      },
      inscriptionCoin: coin(1, postage, SELLER),
      seller: spendOf('seller', 'p2tr'),
      sellerReceiveSats: economics.sellerReceiveSats,
      payoutScript: scriptOf('seller is paid', 'p2wpkh'),
      marketplaceRevenueSats: economics.marketplaceRevenueSats,
      marketScript: MARKET,
      royalty:
        economics.creatorRevenueSats > 0
          ? { valueSats: economics.creatorRevenueSats, script: scriptOf('creator', 'p2wpkh') }
          : null,
      feeRateSatVb: rate,
      leastPayoutSats: 294,
    }
  }

  it('pays exactly the price', () => {
    fc.assert(
      fc.property(trades, ({ price, postage, kind, coins, spare, rate }) => {
        const terms = fillOf(price + 1_000_000, postage, kind, coins, spare, rate)
        const { fundingParent, settlement, feeSats, payoutSats } = buildFill(terms)
        expect(feeOfLayout(fundingParent)).toBe(0)
        checkSettlement(settlement, {
          inscriptionInputs: [0],
          ownerScript: BUYER,
          feeSats: feeOfLayout(settlement),
        })
        const paidSats = sumSats(
          settlement.outputs.filter(({ role }) => role !== 'inscription').map(({ valueSats }) => valueSats),
        )
        const excessSats = fundingParent.outputs[0]!.valueSats - terms.offer.priceSats
        expect(paidSats + feeOfLayout(settlement)).toBe(terms.offer.priceSats + excessSats)
        expect(payoutSats + feeSats).toBe(terms.sellerReceiveSats)
        expect(excessSats).toBeLessThan(546)
      }),
    )
  })

  /** Returns a fill signed by maker and seller. */
  function signedFill(): FillRequest {
    const terms = fillOf(100_000, 10_000, 'p2tr', 2, 30_000, 3)
    const { fundingParent, settlement } = buildFill(terms)
    return {
      terms,
      asked: {
        criteria: criteriaText('lamps', { kind: 'all' }),
        eligibleRoot: eligibleRoot(ids),
        expiresAt: 2e12,
      },
      inscriptionId: ids[3]!,
      satOffset: 12,
      proof: proofOf(ids, ids[3]!)!,
      makerSignatures: positionsOf(fundingParent.inputs, 'payment').map((index) =>
        signKeyInput(fundingParent, index, keyOf('maker pays')),
      ),
      sellerSignature: signKeyInput(settlement, 0, keyOf('seller')),
    }
  }

  it('rejects a changed fill', () => {
    checkFill(signedFill(), secret)
    const changes: Record<string, (fill: FillRequest) => unknown> = {
      'another inscription': (fill) => (fill.inscriptionId = ids[4]!),
      'an ineligible inscription': (fill) => (fill.inscriptionId = `${'ff'.repeat(32)}i0`),
      'another eligible set': (fill) => (fill.asked.eligibleRoot = eligibleRoot(ids.slice(1))),
      'no proof': (fill) => (fill.proof = []),
      'a sat beyond the coin': (fill) => (fill.satOffset = 10_000),
      'a lower price': (fill) => (fill.terms.offer.priceSats = 90_000),
      'another maker': (fill) => (fill.terms.offer.makerScript = SELLER),
      'another guardian': (fill) => (fill.terms.offer.guardianKey = xOnlyKeyOf(keyOf('other'))),
      'another market': (fill) => (fill.terms.offer.marketKey = xOnlyKeyOf(keyOf('other'))),
      'another secret': (fill) => (fill.terms.offer.secretHash = sha256(keyOf('other'))),
      'a smaller payout': (fill) => (fill.terms.sellerReceiveSats -= 1),
      'another payout': (fill) => (fill.terms.payoutScript = MARKET),
      'a larger fee': (fill) => (fill.terms.marketplaceRevenueSats += 1),
      'another rate': (fill) => (fill.terms.feeRateSatVb += 1),
      'a smaller coin': (fill) => (fill.terms.inscriptionCoin.valueSats = 9_999),
      'another coin': (fill) => (fill.terms.inscriptionCoin.vout = 3),
      'a missing signature': (fill) => (fill.makerSignatures = fill.makerSignatures.slice(1)),
      'a signature of the other side': (fill) => (fill.sellerSignature = fill.makerSignatures[0]!),
    }
    for (const [name, change] of Object.entries(changes)) {
      const fill = structuredClone(signedFill())
      change(fill)
      expect(() => checkFill(fill, secret), name).toThrow()
    }
    expect(() => checkFill(signedFill(), keyOf('other'))).toThrow(/secret/)
  })

  it('builds an output that the maker can reclaim', () => {
    const { offer } = fillOf(100_000, 10_000, 'p2tr', 1, 0, 1)
    const bid = bidOutputOf(offer)
    // SIZE 32 EQUALVERIFY SHA256 h EQUALVERIFY G CHECKSIGVERIFY M CHECKSIG
    expect(Buffer.from(bid.leaf).toString('hex')).toBe(
      `82012088a820${Buffer.from(offer.secretHash).toString('hex')}8820${Buffer.from(offer.guardianKey).toString('hex')}ad20${Buffer.from(offer.marketKey).toString('hex')}ac`,
    )
    expect(bid.makerKey).toEqual(BUYER.slice(2))
    const parent = buildFundingParent(offer)
    expect(parent).toMatchObject({ version: 3, outputs: [{ valueSats: 100_000 }] })
    expect(prevoutsOf(parent)).toHaveLength(1)
    expect(signSchnorr(sighashOf(parent, 0, SIGHASH.DEFAULT), keyOf('any'))).toHaveLength(64)
  })
})
