import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import {
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  counter,
  fill,
  offer,
  propose,
  settle,
} from '@ordbook/sdk/index.ts'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { balanceOf } from '../support/chain.ts'
import { agreementFor, freshWallet, listAll, setUpMarket } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront, visit } from '../support/storefront.ts'

const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
const creator = freshWallet()
const market = setUpMarket({ ANCHOR_POOL: '160', BUYER_FEE_BPS: '150', PROPOSAL_FEE_SATS: '1000' })

const trader = async (kind: (typeof KINDS)[number] = 'p2wpkh') =>
  traderAtStorefront(market.server.url, (await market.trader(kind)).wallet)
type Visitor = Awaited<ReturnType<typeof trader>>

async function royal(seller: Visitor, count: number) {
  const { slug, ids } = await market.collection(seller.wallet, count)
  const royalty = { address: creator.ordinalsAddress, sellerBps: 250, buyerBps: 125 }
  await setCollectionRoyalty(market.server.context, slug, royalty)
  return { slug, ids }
}

/** Creates a collection with royalties and lists its items at these prices. */
async function listed(seller: Visitor, prices: readonly number[]) {
  const { slug, ids } = await royal(seller, prices.length)
  const listings = []
  for (const [i, id] of ids.entries()) {
    const by = await listAll(market, seller, slug, [id], prices[i]!, 450)
    listings.push({ listingId: by.get(id)!, inscriptionId: id })
  }
  return { slug, ids, listings }
}

function feeRate(satVb: number): void {
  const { config } = market.server.context
  config.feeRateMinSatVb = satVb
  config.feeRateMaxSatVb = satVb
}

const toInput = ({ txid, vout, valueSats }: Coin) => ({ txid, vout, valueSats })
const sumOf = (bill: readonly { sats: number }[]) => bill.reduce((sum, row) => sum + row.sats, 0)

/** All rows and row versions of the tables that a preflight writes. */
async function traces(): Promise<unknown> {
  const tables = [
    'preflights',
    'listings',
    'offers',
    'collection_offers',
    'backing_coins',
    'settlements',
    'escrows',
    'order_events',
    'offer_events',
  ]
  const found: unknown[] = [await market.sql`select txid, vout, named_at from market_coins order by 1, 2`]
  for (const table of tables)
    found.push(await market.sql.unsafe(`select xmin::text, t::text from ${table} t order by 2`))
  return found
}

describe('quote of a purchase', () => {
  it('returns the costs of the preflight', async () => {
    const seller = await trader()
    const { slug, listings } = await listed(seller, [20_000, 31_000, 47_000])
    for (const kind of KINDS) {
      const buyer = await trader(kind)
      const script = buyer.wallet.paymentScript
      await market.regtest.pay(
        [600, 12_000, 33_000, 61_000, 90_000].map((valueSats) => ({ valueSats, script })),
      )
      await market.mine()
      const coins = (await coinsOf(market, buyer)).map(toInput)
      const before = await traces()
      await buyer.client.call('quotePurchase', {
        params: { slug },
        body: { walletBindingId: buyer.walletBindingId, listings, spendableUtxos: coins },
      })
      expect(await traces()).toEqual(before)
      const request = fc.record({
        rate: fc.constantFrom(1, 1.5, 4, 7),
        count: fc.integer({ min: 1, max: 3 }),
        from: fc.subarray(coins, { minLength: 1 }),
      })
      await fc.assert(
        fc.asyncProperty(request, async ({ rate, count, from }) => {
          feeRate(rate)
          const { walletBindingId } = buyer
          const body = { walletBindingId, listings: listings.slice(0, count), spendableUtxos: from }
          const quote = await buyer.client.call('quotePurchase', { params: { slug }, body })
          expect(sumOf(quote.bill)).toBe(quote.totalSats)
          expect(quote.gone).toEqual([])
          const { paymentPublicKey } = buyer.wallet
          const preflight = buyer.client.call('preflightPurchase', {
            params: { slug },
            body: { ...body, paymentPublicKey },
          })
          if (!quote.exact) {
            expect(quote.missingSats).toBeGreaterThan(0)
            await expect(preflight).rejects.toMatchObject({ status: 400, code: 'coins-insufficient' })
            return
          }
          const prepared = await preflight
          const alike: Partial<typeof prepared> = {}
          for (const field of Object.keys(prepared) as (keyof typeof prepared)[])
            if (field in quote) Object.assign(alike, { [field]: prepared[field] })
          expect(quote).toMatchObject(alike)
          expect(quote.totalSats).toBe(prepared.totalBuyerCostSats)
        }),
        { numRuns: 5, seed: 21 },
      )
    }
    feeRate(2)
  })

  it('reports ended listings in a quote', async () => {
    const [seller, buyer, other] = [await trader(), await trader('p2tr'), await trader()]
    const { slug, ids, listings } = await listed(seller, [20_000, 30_000, 40_000, 50_000])
    const [sold, cancelled, repriced, kept] = listings as [
      (typeof listings)[0],
      (typeof listings)[0],
      (typeof listings)[0],
      (typeof listings)[0],
    ]
    await buy(other, slug, { ...(await agreementFor(market, other, [ids[0]!])), maxFeeBps: 400 })
    await seller.client.call('delistListing', {
      params: { slug },
      body: { walletBindingId: seller.walletBindingId, listings: [cancelled] },
    })
    const relisted = await listAll(market, seller, slug, [ids[2]!], 44_000, 450)
    const unknown = { listingId: '00000000-0000-4000-8000-000000000000', inscriptionId: ids[1]! }
    const body = { walletBindingId: buyer.walletBindingId, listings: [sold, cancelled, repriced, kept] }
    const quote = await buyer.client.call('quotePurchase', { params: { slug }, body })
    expect(quote.gone).toEqual([
      { ...sold, reason: 'being-bought', replacedBy: null },
      { ...cancelled, reason: 'delisted', replacedBy: null },
      {
        ...repriced,
        reason: 'repriced',
        replacedBy: { listingId: relisted.get(ids[2]!), priceSats: 44_000 },
      },
    ])
    expect(quote.listings.map((listing) => listing.listingId)).toEqual([kept.listingId])
    const nothing = await buyer.client.call('quotePurchase', {
      params: { slug },
      body: { ...body, listings: [unknown] },
    })
    expect(nothing).toMatchObject({ gone: [{ reason: 'unknown' }], bill: [], totalSats: 0 })
    const ownQuote = await seller.client.call('quotePurchase', {
      params: { slug },
      body: { walletBindingId: seller.walletBindingId, listings: [kept] },
    })
    expect(ownQuote.gone).toMatchObject([{ reason: 'own' }])
    await market.mine()

    const before = await balanceOf(market, buyer.wallet.paymentScript)
    const now = await buyer.client.call('quotePurchase', { params: { slug }, body })
    expect(now.gone[0]).toMatchObject({ reason: 'sold' })
    expect(now.comparisons).toMatchObject([{ inscriptionId: ids[3], lastSaleSats: null }])
    expect(now.collection).toMatchObject({ floorSats: 44_000, verificationStatus: 'unverified' })
    await buy(buyer, slug, { ...(await agreementFor(market, buyer, [ids[3]!])), maxFeeBps: 400 })
    await market.mine()
    expect(before - (await balanceOf(market, buyer.wallet.paymentScript))).toBe(now.totalSats)
  })

  it("does not reveal another wallet's coins", async () => {
    const [seller, buyer] = [await trader(), await trader()]
    const { slug, listings } = await listed(seller, [20_000])
    const requestQuote = (body: object, headers = {}) =>
      visit(market.server.url, `/web/v1/collection/${slug}/purchases/quote`, { body, headers })
    const estimate = await requestQuote({ listings })
    expect(estimate.status, JSON.stringify(estimate.body)).toBe(200)
    expect(estimate.body).toMatchObject({ exact: false, availableSats: null, selectedPaymentUtxos: [] })
    expect(sumOf(estimate.body.bill)).toBe(estimate.body.totalSats)
    const exact = await buyer.client.call('quotePurchase', {
      params: { slug },
      body: { walletBindingId: buyer.walletBindingId, listings },
    })
    expect(exact).toMatchObject({ exact: true, availableSats: 20_000_000 })
    expect(exact.totalSats).toBe(estimate.body.totalSats)

    const { walletBindingId } = seller
    expect((await requestQuote({ listings, walletBindingId })).status).toBe(403)
    const foreign = buyer.client.call('quotePurchase', {
      params: { slug },
      body: { walletBindingId, listings },
    })
    await expect(foreign).rejects.toMatchObject({ status: 403 })
    const foreignQuote = await buyer.client.call('quotePurchase', {
      params: { slug },
      body: {
        walletBindingId: buyer.walletBindingId,
        listings,
        spendableUtxos: (await coinsOf(market, seller)).map(toInput),
      },
    })
    expect(foreignQuote).toMatchObject({ exact: false, selectedPaymentUtxos: [] })
    // Unknown coins are looked up at the node, up to a limit.
    const unknownCoins = Array.from({ length: 1000 }, (_, n) => ({
      txid: n.toString(16).padStart(64, '0'),
      vout: 0,
      valueSats: 1_000_000,
    }))
    const looked = vi.spyOn(CoreSource.prototype, 'txOut')
    const none = await buyer.client.call('quotePurchase', {
      params: { slug },
      body: { walletBindingId: buyer.walletBindingId, listings, spendableUtxos: unknownCoins },
    })
    expect(none.exact).toBe(false)
    const lookups = looked.mock.calls.filter(([{ txid }]) => unknownCoins.some((coin) => coin.txid === txid))
    looked.mockRestore()
    expect(lookups.length).toBeGreaterThan(0)
    expect(lookups.length).toBeLessThanOrEqual(100)
    for (const hostile of [
      { listings: [] },
      { listings: [...listings, ...listings] },
      { listings: [{ ...listings[0], listingId: 'x' }] },
      { listings, walletBindingId: 7 },
      { listings, spendableUtxos: [{ txid: 'x', vout: -1, valueSats: 0 }] },
    ])
      expect((await requestQuote(hostile)).status, JSON.stringify(hostile)).toBe(400)
  })
})

describe('quote of an offer or bid', () => {
  it('returns the balance changes of an accepted offer', async () => {
    for (const kind of ['p2wpkh', 'p2tr'] as const) {
      const [seller, buyer] = [await trader(kind), await trader(kind)]
      const { slug, ids } = await listed(seller, [300_000])
      const priceSats = 250_000
      const body = {
        walletBindingId: buyer.walletBindingId,
        inscriptionIds: ids,
        priceSats,
        spendableUtxos: (await coinsOf(market, buyer)).map(toInput),
      }
      const traced = await traces()
      const quote = await buyer.client.call('quoteOffers', { params: { slug }, body })
      expect(await traces()).toEqual(traced)
      expect(quote.items[0]).toMatchObject({ listingPriceSats: 300_000, minimumSats: 60_000 })
      expect(quote).toMatchObject({ exact: true, sharesCoinWith: [] })
      const agreement = { ...(await offering(market, buyer, ids, priceSats)), maxFeeBps: 400 }
      const prepared = await buyer.client.call('preflightCollectionOffer', {
        params: { slug },
        body: { ...body, paymentPublicKey: buyer.wallet.paymentPublicKey },
      })
      const { steps: _, expectedSettlementTxid: __, targetFeeRateSatVb, ...same } = prepared.items[0]!
      expect(quote.items[0]).toMatchObject(same)
      expect(quote.targetFeeRateSatVb).toBe(targetFeeRateSatVb)
      expect(quote.selectedPaymentUtxos).toEqual(prepared.selectedPaymentUtxos)

      const before = {
        buyer: await balanceOf(market, buyer.wallet.paymentScript),
        seller: await balanceOf(market, seller.wallet.paymentScript),
      }
      const { offerId } = (await offer(buyer, slug, agreement)).items[0]!
      const params = { id: ids[0]!, offerId }
      const secondQuote = await buyer.client.call('quoteOffers', { params: { slug }, body })
      expect(secondQuote.sharesCoinWith).toMatchObject([
        { offerId, kind: 'offer', priceSats, replaced: false },
      ])
      const free = await buyer.client.call('quoteOffers', {
        params: { slug },
        body: { ...body, keepOffers: true },
      })
      expect(free).toMatchObject({ exact: true, sharesCoinWith: [], availableSats: 10_000_000 })

      const sale = await seller.client.call('quoteOfferAcceptance', {
        params,
        body: { walletBindingId: seller.walletBindingId },
      })
      const stranger = buyer.client.call('quoteOfferAcceptance', {
        params,
        body: { walletBindingId: buyer.walletBindingId },
      })
      await expect(stranger).rejects.toMatchObject({ status: 403 })
      expect(sumOf(sale.bill)).toBe(sale.totalSats)
      expect(sale.comparisons[0]!.bestBid).toMatchObject({ offerId, netSats: sale.totalSats })
      await acceptOffer(seller, offerId, await selling(market, ids[0]!, priceSats, 450))
      await market.mine()
      expect(before.buyer - (await balanceOf(market, buyer.wallet.paymentScript))).toBe(quote.totalSats)
      expect((await balanceOf(market, seller.wallet.paymentScript)) - before.seller).toBe(sale.payoutSats)
      expect(sale.payoutSats).toBe(sale.totalSats + sale.inscriptionUtxoValueSats)
    }
  })

  it('lists the offers that a collection offer replaces', async () => {
    const [seller, buyer] = [await trader(), await trader()]
    const { slug } = await royal(seller, 2)
    const target = { kind: 'all' } as const
    const coins = (await coinsOf(market, buyer)).map(toInput)
    const body = {
      walletBindingId: buyer.walletBindingId,
      target,
      priceSats: 100_000,
      offerCount: 3,
      ladderStepSats: 10_000,
      spendableUtxos: coins,
    }
    const quote = await buyer.client.call('quoteCollectionOffers', { params: { slug }, body })
    const prepared = await buyer.client.call('preflightCollectionWideOffer', {
      params: { slug },
      body: {
        ...body,
        ordinalsPublicKey: buyer.wallet.ordinalsPublicKey,
        paymentPublicKey: buyer.wallet.paymentPublicKey,
      },
    })
    const { walletBindingId: _, spendableUtxos: __, ...visitors } = body
    const path = `/web/v1/collection/${slug}/collection-offers/quote`
    const estimate = await visit(market.server.url, path, { body: visitors })
    expect(estimate.body).toMatchObject({ exact: false, totalSats: 270_000 })
    expect(quote.offers.map(({ priceSats, sharesCoinsWith }) => ({ priceSats, sharesCoinsWith }))).toEqual(
      prepared.offers.map(({ priceSats, sharesCoinsWith }) => ({ priceSats, sharesCoinsWith })),
    )
    // Two coins for three offers: the third shares a coin, so at most two can be filled.
    expect(quote).toMatchObject({ exact: true, totalSats: 190_000, eligibleCount: 2 })
    const created = await bid(buyer, slug, {
      target,
      priceSats: 100_000,
      coins: coins.slice(0, 1).map(ofBuyer),
    })
    const one = { ...body, offerCount: 1, spendableUtxos: coins.slice(0, 1) }
    const second = await buyer.client.call('quoteCollectionOffers', { params: { slug }, body: one })
    expect(second.sharesCoinWith).toMatchObject([
      { offerId: created.offers[0]!.offerId, kind: 'collection-offer', replaced: true, priceSats: 100_000 },
    ])
    const trapped = await buyer.client.call('quoteCollectionOffers', {
      params: { slug },
      body: { ...one, keepOffers: true },
    })
    expect(trapped).toMatchObject({ exact: false, availableSats: 0 })
    const free = await buyer.client.call('quoteCollectionOffers', {
      params: { slug },
      body: { ...one, keepOffers: true, spendableUtxos: coins },
    })
    expect(free).toMatchObject({ exact: true, sharesCoinWith: [] })
    function ofBuyer(coin: (typeof coins)[number]): Coin {
      return { ...coin, script: buyer.wallet.paymentScript }
    }
  })
})

it('quotes a fill and a counter to the sat', async () => {
  for (const kind of ['p2sh-p2wpkh', 'p2tr'] as const) {
    const [seller, buyer] = [await trader(kind), await trader(kind)]
    const { slug, ids } = await royal(seller, 2)
    const [sold, countering] = ids as [string, string]
    const binding = { walletBindingId: seller.walletBindingId }
    const received = async (act: () => Promise<unknown>) => {
      const before = await balanceOf(market, seller.wallet.paymentScript)
      await act()
      await market.mine()
      return (await balanceOf(market, seller.wallet.paymentScript)) - before
    }
    const target = { kind: 'all' } as const
    const coins = await coinsOf(market, buyer)
    const created = await bid(buyer, slug, { target, priceSats: 200_000, coins: coins.slice(0, 1) })
    const { offerId } = created.offers[0]!
    const traced = await traces()
    const sale = await seller.client.call('quoteFill', {
      params: { slug, offerId },
      body: { ...binding, inscriptionId: sold },
    })
    expect(await traces()).toEqual(traced)
    expect(sumOf(sale.bill)).toBe(sale.totalSats)
    expect(sale).toMatchObject({ postageReturned: false, payoutSats: sale.totalSats })
    // A bid's net assumes a taproot payout output, the largest kind.
    const { bestBid } = sale.comparisons[0]!
    expect(bestBid!.offerId).toBe(offerId)
    expect(bestBid!.netSats).toBeLessThanOrEqual(sale.totalSats)
    const filled = await received(async () =>
      fill(seller, slug, offerId, await selling(market, sold, 200_000, 650)),
    )
    expect(filled).toBe(sale.payoutSats)

    const offered = { ...(await offering(market, buyer, [countering], 150_000)), maxFeeBps: 400 }
    const parent = (await offer(buyer, slug, offered)).items[0]!.offerId
    const params = { id: countering, offerId: parent }
    const priceSats = 180_000
    const answer = await seller.client.call('quoteCounter', { params, body: { ...binding, priceSats } })
    expect(sumOf(answer.bill)).toBe(answer.totalSats)
    const { offerId: counterId } = await counter(
      seller,
      parent,
      await selling(market, countering, priceSats, 450),
    )
    const request = {
      params: { id: countering, offerId: counterId },
      body: {
        walletBindingId: buyer.walletBindingId,
        spendableUtxos: (await coinsOf(market, buyer)).map(toInput),
      },
    }
    const cost = await buyer.client.call('quoteCounterAcceptance', request)
    expect(cost).toMatchObject({ exact: true, totalBuyerCostSats: cost.totalSats })
    expect(sumOf(cost.bill)).toBe(cost.totalSats)
    const paid = await balanceOf(market, buyer.wallet.paymentScript)
    const got = await received(async () =>
      acceptCounter(buyer, counterId, {
        ...(await countered(market, buyer, countering, priceSats)),
        maxFeeBps: 400,
      }),
    )
    expect(got).toBe(answer.payoutSats)
    expect(paid - (await balanceOf(market, buyer.wallet.paymentScript))).toBe(cost.totalSats)
  }
})

it('quotes a swap to the sat', async () => {
  const [proposer, acceptor] = [await trader(), await trader('p2tr')]
  const ownCollection = await market.collection(proposer.wallet, 3)
  const other = await market.collection(acceptor.wallet, 3, 546)
  for (const [at, [offeredBtcSats, requestedBtcSats]] of SWAPS.entries()) {
    const [given, taken] = [ownCollection.ids[at]!, other.ids[at]!]
    const terms = {
      offeredInscriptionIds: [given],
      offeredBtcSats,
      wantedLegs: [{ collectionSlug: other.slug, quantity: 1, target: { kind: 'all' as const } }],
      requestedBtcSats,
    }
    const untouched = await traces()
    const proposalQuote = await proposer.client.call('quoteProposal', {
      body: {
        ...terms,
        walletBindingId: proposer.walletBindingId,
        spendableUtxos: (await coinsOf(market, proposer)).map(toInput),
      },
    })
    expect(await traces()).toEqual(untouched)
    expect(sumOf(proposalQuote.bill)).toBe(proposalQuote.totalSats)
    const proposal = await propose(
      proposer,
      { ...terms, visibility: 'public' },
      await coinsOf(market, proposer),
    )
    const { estimatedOfferedValueSats, estimatedRequestedValueSats, marketplaceFeeSats } = proposal
    expect(proposalQuote).toMatchObject({
      exact: true,
      estimatedOfferedValueSats,
      estimatedRequestedValueSats,
      marketplaceFeeSats,
    })
    const params = { proposalId: proposal.id }
    const body = {
      walletBindingId: acceptor.walletBindingId,
      fills: [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: taken }],
      spendableUtxos: (await coinsOf(market, acceptor)).map(toInput),
    }
    const traced = await traces()
    const quote = await acceptor.client.call('quoteAcceptance', { params, body })
    expect(await traces()).toEqual(traced)
    const { ordinalsPublicKey, paymentPublicKey } = acceptor.wallet
    const {
      steps: _,
      expectedSettlementTxid: __,
      ...same
    } = await acceptor.client.call('preflightAcceptance', {
      params,
      body: { ...body, ordinalsPublicKey, paymentPublicKey },
    })
    expect(quote).toMatchObject({ exact: true, ...same })
    expect(sumOf(quote.bill)).toBe(same.acceptorNetSats)
    await assertSwapped(proposer, acceptor, { proposal, fills: body.fills, given, taken }, [
      proposalQuote.totalSats,
      quote.totalSats,
    ])
  }
  const beyond = proposer.client.call('quoteProposal', {
    body: {
      walletBindingId: proposer.walletBindingId,
      offeredInscriptionIds: [other.ids[0]!],
      offeredBtcSats: 19_999_999_000,
      wantedLegs: [{ collectionSlug: ownCollection.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    },
  })
  expect((await beyond).missingSats).toBeGreaterThan(0)
})

const SWAPS = [
  [0, 0],
  [50_000, 0],
  [0, 70_000],
] as const

async function assertSwapped(
  proposer: Visitor,
  acceptor: Visitor,
  swap: {
    proposal: Awaited<ReturnType<typeof propose>>
    fills: { legId: string; inscriptionId: string }[]
    given: string
    taken: string
  },
  [proposerSats, acceptorSats]: [number, number],
) {
  const { proposal, fills } = swap
  const balances = () =>
    Promise.all([proposer, acceptor].map(({ wallet }) => balanceOf(market, wallet.paymentScript)))
  const before = await balances()
  const givenItems = [{ inscriptionId: swap.given, coin: await market.coinOf(swap.given) }]
  const takenItems = [{ inscriptionId: swap.taken, coin: await market.coinOf(swap.taken) }]
  const netSats = proposal.requestedBtcSats - proposal.offeredBtcSats
  const { acceptanceId } = await acceptProposal(acceptor, proposal.id, fills, {
    gives: takenItems,
    gets: givenItems,
    netSats: -netSats,
    coins: await coinsOf(market, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  })
  await settle(proposer, acceptanceId, {
    gives: givenItems,
    gets: takenItems,
    netSats,
    coins: await coinsOf(market, proposer),
  })
  await market.mine()
  const after = await balances()
  expect(after.map((sats, side) => sats - before[side]!)).toEqual([proposerSats, acceptorSats])
}

it('quotes a listing to the sat', async () => {
  const [seller, stranger] = [await trader(), await trader()]
  const { slug, ids } = await listed(seller, [20_000, 30_000])
  const items = ids.map((inscriptionId, i) => ({ inscriptionId, priceSats: 50_000 + i }))
  const quote = await seller.client.call('quoteListing', {
    params: { slug },
    body: { walletBindingId: seller.walletBindingId, items },
  })
  expect(quote.items.map((item) => item.refused)).toEqual([null, null])
  expect(sumOf(quote.bill)).toBe(quote.totalSats)
  expect(quote.totalSats).toBe(100_001 - 1000 - 2500)
  const foreignQuote = await stranger.client.call('quoteListing', {
    params: { slug },
    body: { walletBindingId: stranger.walletBindingId, items },
  })
  expect(foreignQuote).toMatchObject({
    totalSats: 0,
    items: [{ refused: { code: 'inscription-not-yours' } }, {}],
  })
  const bitcoinSupply = 2_100_000_000_000_000
  const requests = [
    ['listings', { items: ids.map((inscriptionId) => ({ inscriptionId, priceSats: bitcoinSupply })) }],
    ['offers', { inscriptionIds: ids, priceSats: bitcoinSupply }],
    ['collection-offers', { target: { kind: 'all' }, priceSats: bitcoinSupply, offerCount: 10 }],
  ] as const
  for (const [kind, body] of requests) {
    const response = await visit(market.server.url, `/web/v1/collection/${slug}/${kind}/quote`, { body })
    expect(response.status, `${kind}: ${JSON.stringify(response.body)}`).toBe(400)
  }
  const low = seller.client.call('quoteListing', {
    params: { slug },
    body: { items: [{ inscriptionId: ids[0]!, priceSats: 1 }] },
  })
  await expect(low).rejects.toMatchObject({ status: 400, code: 'price-out-of-range' })
})
