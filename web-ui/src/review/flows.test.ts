import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { publicKeyOf, sha256, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { psbtOf } from '@ordbook/bitcoin/psbt.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Coin, feeOfLayout, type Layout, type Role } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase, type PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import type { SigningRequest } from '@ordbook/sdk/wallet.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agreement, TradedItem } from './agreement.ts'
import { billOf } from './bill.ts'
import { type Flow, flowsOf, purposeOf, UnknownOutput } from './flows.ts'
import { reviewModelOf } from './model.ts'

const { first: wallet } = demoWallets('regtest')
const keyOf = (name: string) => sha256(new TextEncoder().encode(name))
const scriptOf = (name: string) => scriptOfPublicKey(publicKeyOf(keyOf(name)), 'p2tr')
const MARKET = scriptOf('market')
const SELLER = scriptOf('seller')
const PARTIES = {
  ordinalsScript: wallet.ordinalsScript,
  paymentScript: wallet.paymentScript,
  marketScript: MARKET,
}
let coins = 0
const coin = (valueSats: number, script: Uint8Array): Coin => ({
  txid: (++coins).toString(16).padStart(64, '0'),
  vout: 0,
  valueSats,
  script,
})
const traded = (n: number, valueSats: number, goes: TradedItem['goes']): TradedItem => ({
  inscriptionId: `${n}`,
  name: `Lamp #${n}`,
  contentType: null,
  collection: null,
  outpoint: `${n}:0`,
  offset: 0,
  valueSats,
  carries: [],
  listedForSats: null,
  goes,
})

const purchases = fc.record({
  items: fc.array(
    fc.record({
      priceSats: fc.integer({ min: 5000, max: 5_000_000 }),
      postageSats: fc.integer({ min: 546, max: 20_000 }),
      feeSats: fc.integer({ min: 0, max: 9000 }),
      royaltySats: fc.constantFrom(0, 330, 4000),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  coins: fc.array(fc.integer({ min: 5_000_000, max: 40_000_000 }), { minLength: 1, maxLength: 6 }),
  isPadded: fc.boolean(),
  feeRateSatVb: fc.integer({ min: 1, max: 30 }),
  donates: fc.boolean(),
})
type Case = typeof purchases extends fc.Arbitrary<infer T> ? T : never

function termsOf({ items, coins: payments, isPadded, feeRateSatVb, donates }: Case): PurchaseTerms {
  const market = keySpendOf(MARKET, publicKeyOf(keyOf('market')))
  return {
    items: items.map(({ priceSats, postageSats, feeSats, royaltySats }) => ({
      terms: {
        inscriptionCoin: coin(postageSats, SELLER),
        seller: keySpendOf(SELLER, publicKeyOf(keyOf('seller'))),
        marketKey: xOnlyKeyOf(keyOf('cosign')),
        escrowForm: 'published',
        movedTo: null,
        generation: 0,
        anchor: coin(ANCHOR_SATS, MARKET),
        recoveryCoin: coin(ANCHOR_SATS, MARKET),
        market,
        payoutSats: priceSats + postageSats,
        payoutScript: SELLER,
      },
      transferConfirmed: false,
      marketplaceRevenueSats: feeSats,
      royalty: royaltySats > 0 ? { valueSats: royaltySats, script: scriptOf('creator') } : null,
    })),
    payments: payments.map((sats) => coin(sats, wallet.paymentScript)),
    payer: keySpendOf(wallet.paymentScript, Buffer.from(wallet.paymentPublicKey, 'hex')),
    buyerScript: wallet.ordinalsScript,
    changeScript: wallet.paymentScript,
    market,
    marketScript: MARKET,
    feeCoins: isPadded
      ? { by: 'pads', pads: Array.from({ length: items.length + 1 }, () => coin(ANCHOR_SATS, MARKET)) }
      : { by: 'tail', tail: coin(60_000, MARKET) },
    feeRateSatVb,
    donationScript: donates ? scriptOf('initiative') : null,
  }
}

const boughtOf = ({ items }: Case): Agreement => ({
  kind: 'buy',
  bought: items.map(({ priceSats, postageSats }, n) => ({
    item: traded(n, postageSats, 'arrives'),
    priceSats,
  })),
})

/** Numbers the inscription outputs like the items of `boughtOf`. */
function tracedOf(layout: Layout) {
  let at = 0
  return { layout, contents: layout.outputs.map(({ role }) => (role === 'inscription' ? [`${at++}`] : [])) }
}

const satsFor = (flows: readonly Flow[], to: Flow['to']) =>
  sumSats(flows.filter((flow) => flow.to === to && flow.purpose !== 'returned').map(({ sats }) => sats))

it('accounts for every sat of a purchase', () => {
  let built = 0
  fc.assert(
    fc.property(purchases, (each) => {
      const terms = termsOf(each)
      let purchase: ReturnType<typeof buildPurchase>
      try {
        purchase = buildPurchase(terms)
      } catch (error) {
        if (error instanceof BitcoinError) return
        throw error
      }
      built++
      const { settlement } = purchase
      const table = flowsOf(boughtOf(each), [tracedOf(settlement)], PARTIES)
      const inputSats = sumSats(settlement.inputs.map((input) => input.coin.valueSats))
      expect(sumSats(table.flows.map(({ sats }) => sats))).toBe(inputSats)
      expect(table.costSats).toBe(purchase.totalCostSats)
      expect(satsFor(table.flows, 'miners')).toBe(feeOfLayout(settlement))
      expect(satsFor(table.flows, 'seller')).toBe(sumSats(terms.items.map((item) => item.terms.payoutSats)))
      expect(satsFor(table.flows, 'market')).toBe(
        sumSats(each.items.map(({ feeSats }) => feeSats)) + ANCHOR_SATS * each.items.length,
      )
      expect(satsFor(table.flows, 'creator')).toBe(sumSats(each.items.map(({ royaltySats }) => royaltySats)))
      const returned = table.flows.find(({ purpose }) => purpose === 'returned')
      expect(returned?.sats).toBe(table.marketSats)
      expect(sumSats(table.flows.map(({ outputs }) => outputs))).toBe(settlement.outputs.length)
      // The rest of the rows, less what the item coins bring in, is the bill.
      const change = sumSats(
        table.flows.filter(({ purpose }) => purpose === 'change').map(({ sats }) => sats),
      )
      expect(inputSats - change - table.marketSats - table.broughtSats).toBe(purchase.totalCostSats)
    }),
    { numRuns: 100 },
  )
  expect(built).toBeGreaterThan(60)
})

it('rejects an output without a known purpose', () => {
  const each: Case = {
    items: [{ priceSats: 90_000, postageSats: 10_000, feeSats: 900, royaltySats: 0 }],
    coins: [30_000_000],
    isPadded: false,
    feeRateSatVb: 2,
    donates: false,
  }
  const { settlement } = buildPurchase(termsOf(each))
  const agreement = boughtOf(each)
  expect(() => flowsOf(agreement, [tracedOf(settlement)], PARTIES)).not.toThrow()
  const foreign = scriptOf('stranger')
  for (const role of ['change', 'service', 'recovery', 'escrow', 'funding', 'pad', 'inscription'] as const) {
    const layout = {
      ...settlement,
      outputs: [...settlement.outputs, { role, valueSats: 546, script: foreign }],
    }
    const contents = [...tracedOf(settlement).contents, role === 'inscription' ? ['0'] : []]
    expect(() => flowsOf(agreement, [{ layout, contents }], PARTIES), role).toThrow(UnknownOutput)
  }
  // The item at an address that is not the buyer's.
  const elsewhere = {
    ...settlement,
    outputs: settlement.outputs.map((output) =>
      output.role === 'inscription' ? { ...output, script: foreign } : output,
    ),
  }
  expect(() => flowsOf(agreement, [tracedOf(elsewhere)], PARTIES)).toThrow(UnknownOutput)
  // An item that the agreement does not name.
  const other = { layout: settlement, contents: settlement.outputs.map(() => ['unknown']) }
  expect(() => flowsOf(agreement, [other], PARTIES)).toThrow(UnknownOutput)
})

const item = traded(0, 10_000, 'leaves')
const own = wallet.paymentScript
const AT: [Agreement, Role, Uint8Array, ReturnType<typeof purposeOf>][] = [
  [{ kind: 'sell', item, priceSats: 1 }, 'payout', own, { purpose: 'payout', to: 'you' }],
  [{ kind: 'sell', item, priceSats: 1 }, 'payout', SELLER, null],
  [{ kind: 'sell', item, priceSats: 1 }, 'change', SELLER, null],
  [{ kind: 'accept', item, priceSats: 1 }, 'change', SELLER, { purpose: 'others-change', to: 'buyer' }],
  [
    { kind: 'counter', item, priceSats: 1 },
    'recovery',
    wallet.ordinalsScript,
    { purpose: 'home', to: 'you' },
  ],
  [{ kind: 'counter', item, priceSats: 1 }, 'recovery', SELLER, null],
  [{ kind: 'bid', about: 'any', pricesSats: [1] }, 'funding', SELLER, { purpose: 'offer', to: 'escrow' }],
  [{ kind: 'accept-counter', item, priceSats: 1 }, 'funding', SELLER, null],
  [{ kind: 'exit', items: [item], maxNetworkSats: 1 }, 'recovery', SELLER, null],
  [{ kind: 'withdraw', items: [item], maxNetworkSats: 0 }, 'change', SELLER, null],
  [{ kind: 'move', items: [item], maxNetworkSats: 1 }, 'escrow', SELLER, { purpose: 'escrow', to: 'escrow' }],
  [{ kind: 'buy', bought: [] }, 'royalty', SELLER, { purpose: 'royalty', to: 'creator' }],
  [{ kind: 'swap', gives: [], gets: [], netSats: 0, completes: true, endsAt: null }, 'royalty', SELLER, null],
]

it.each(AT)('knows the purpose of outputs: %j %s', (agreement, role, script, expected) => {
  expect(purposeOf(agreement, { output: { role, valueSats: 600, script }, ids: [] }, PARTIES)).toEqual(
    expected,
  )
})

const ONE: Case = {
  items: [{ priceSats: 90_000, postageSats: 10_000, feeSats: 900, royaltySats: 0 }],
  coins: [30_000_000],
  isPadded: false,
  feeRateSatVb: 2,
  donates: false,
}

/** The review of a purchase of one item. `change` replaces members of the request. */
function modelWith(change: (layout: Layout) => Partial<SigningRequest>, totalSats?: number) {
  const purchase = buildPurchase(termsOf(ONE))
  const { settlement } = purchase
  const at = settlement.inputs.findIndex(({ role }) => role === 'escrow')
  const { coin: escrow } = settlement.inputs[at]!
  const bought = { ...traded(0, 10_000, 'arrives'), outpoint: formatOutpoint(escrow) }
  const psbtBase64 = psbtOf(settlement, { indexes: [0] })
  const inputsToSign = [{ signingIndexes: [0] }]
  return {
    purchase,
    model: reviewModelOf({
      agreement: { kind: 'buy', bought: [{ item: bought, priceSats: 90_000 }] },
      quotes: [
        {
          bill: [{ kind: 'price', sats: 90_000, rateBps: null }],
          totalSats: totalSats ?? purchase.totalCostSats,
        },
      ],
      wallet,
      marketScript: MARKET,
      requests: [{ psbtBase64, inputsToSign, layout: settlement, ...change(settlement) }],
    }),
  }
}

describe('reviewModelOf', () => {
  it('derives the total from the transaction', () => {
    const { model, purchase } = modelWith(() => ({}))
    expect(model).toMatchObject({ blocked: null, moved: null, totalSats: purchase.totalCostSats })
    expect(model.tables[0]!.flows[0]).toMatchObject({ purpose: 'item', to: 'you', inscriptionIds: ['0'] })
    expect(model.transactions[0]!.purposes).toHaveLength(purchase.settlement.outputs.length)
  })

  it('states both totals if the quote differs, with a bill that adds up', () => {
    const { model, purchase } = modelWith(() => ({}), 12_345)
    expect(model.moved).toEqual({ from: 12_345, to: purchase.totalCostSats })
    const { bill, totalSats } = billOf(model)
    expect(totalSats).toBe(purchase.totalCostSats)
    expect(bill.find(({ kind }) => kind === 'networkFee')?.sats).toBe(purchase.totalCostSats - 12_345)
  })

  it('blocks a PSBT without a verified layout', () => {
    const { model } = modelWith(() => ({ layout: undefined as never }))
    expect(model.blocked).toMatch(/does not know the purpose of this transaction/)
  })

  it('blocks a layout that is not the one of the PSBT', () => {
    const { model } = modelWith((layout) => ({
      layout: {
        ...layout,
        outputs: layout.outputs.map((output, n) => (n === 0 ? { ...output, valueSats: 1 } : output)),
      },
    }))
    expect(model.blocked).toMatch(/does not know the purpose of this transaction/)
  })
})
