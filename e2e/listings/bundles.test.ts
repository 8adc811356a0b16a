import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import {
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  counter,
  fill,
  GoesAlong,
  list,
  offer,
  propose,
  settle,
  sweep,
  type Trader,
} from '@ordbook/sdk/index.ts'
import { prepareListing } from '@ordbook/sdk/trade.ts'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { escrowsOf, leaveAlone } from '../escrows/support/escrow-market.ts'
import { sampled } from '../support/effort.ts'
import { importAs, setUpMarket, signedPackage, type TestTrader } from '../support/market.ts'
import { nodeKind } from '../support/node.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Each coin has three inscriptions on one sat: two of the collection `first`, one of `second`. */
const WAYS = ['swept', 'offered', 'filled', 'swapped', 'countered', 'exited'] as const
const COUNT = sampled(nodeKind === 'bitcoind' ? 30 : 12, 30, 6)
const VALUE_SATS = 10_000
const PRICE_SATS = 50_000

interface Bundle {
  way: (typeof WAYS)[number]
  owner: TestTrader
  ids: [string, string, string]
  /** The inscription in the coin's final listing. */
  named: string
  slug: 'first' | 'second'
}

const market = setUpMarket()
const bundles: Bundle[] = []
let stranger: Trader

beforeAll(async () => {
  const owners = new Map<string, TestTrader>()
  for (const way of WAYS) owners.set(way, await market.trader())
  const coin = await market.regtest.fund(taprootScriptOf(FAUCET_KEY), 2_000_000)
  const plan = Array.from({ length: COUNT }, (_, n) => owners.get(WAYS[n % WAYS.length]!)!)
  const pieces = plan.flatMap((_, n) =>
    ['one', 'two', 'three'].map((text) => ({
      contentType: 'text/plain',
      body: new TextEncoder().encode(`${text} ${n}`),
      pointer: n * VALUE_SATS,
    })),
  )
  const { commit, reveal } = buildInscribe(coin, pieces, {
    privateKey: FAUCET_KEY,
    feeRateSatVb: 2,
    outputs: plan.map(({ wallet }) => ({ valueSats: VALUE_SATS, script: wallet.ordinalsScript })),
  })
  await market.regtest.mineExactly([commit, reveal])
  await market.server.sync()
  for (const [n, owner] of plan.entries()) {
    const [one, two, three] = [0, 1, 2].map((each) => `${txidOf(reveal)}i${3 * n + each}`)
    const isOdd = n % 2 === 1
    bundles.push({
      way: WAYS[n % WAYS.length]!,
      owner,
      ids: [one!, two!, three!],
      named: isOdd ? three! : one!,
      slug: isOdd ? 'second' : 'first',
    })
  }
  await importAs(
    market,
    'first',
    bundles.flatMap(({ ids }) => ids.slice(0, 2)),
  )
  await importAs(
    market,
    'second',
    bundles.map(({ ids }) => ids[2]),
  )
  stranger = await traderAtStorefront(market.server.url, (await market.trader()).wallet)
})
afterEach(async () => expect(await checkRollups(market.server.context)).toEqual([]))

const of = (way: Bundle['way']) => bundles.filter((bundle) => bundle.way === way)
const othersOf = ({ ids }: Bundle, id: string) => ids.filter((each) => each !== id)
const agreementOn = async (bundle: Bundle, inscriptionId: string, priceSats = PRICE_SATS) => ({
  inscriptionId,
  priceSats,
  coin: await market.coinOf(inscriptionId),
  maxFeeBps: 100,
  alsoGoes: othersOf(bundle, inscriptionId),
})
const firstOf = ({ ids }: Bundle, slug: string | null) => (slug === 'second' ? ids[2] : ids[0])
const listingStates = (id: string) => market.sql<{ listingId: string; state: string }[]>`
  select listing_id, state from listings where inscription_id = ${id} order by listed_at`

async function bookOf(slug: string) {
  const { data } = await stranger.client.call('listCollectionFloorStats', { query: { slugs: slug } })
  const { asks, askCount } = await stranger.client.call('getDepth', { params: { slug }, query: {} })
  const { listings } = await stranger.client.call('listListings', {
    query: { collectionSlug: slug, limit: 100 },
  })
  const { floor, listedCount, ownerCount } = data[0]!
  return { floor, listedCount, ownerCount, askCount, asks: asks.length, listings: listings.length }
}

/** Asserts that all inscriptions of a coin have this script. */
async function expectAt({ ids, way }: Bundle, script: Uint8Array): Promise<void> {
  const coins = await Promise.all(ids.map((id) => market.coinOf(id)))
  expect(new Set(coins.map(formatOutpoint)).size, way).toBe(1)
  expect(coins[0]!.script, way).toEqual(script)
  expect((await market.server.context.node.txOut(coins[0]!))?.script, way).toEqual(script)
}

describe('coin with several inscriptions', () => {
  it('rejects a listing request with a repeated coin', async () => {
    const [bundle] = bundles
    const [one, two] = bundle!.ids
    const both = [await agreementOn(bundle!, one), await agreementOn(bundle!, two)]
    await expect(list(bundle!.owner, 'first', both)).rejects.toMatchObject({
      code: 'inscriptions-share-coin',
    })
  })

  it('replaces the previous listing of a coin', async () => {
    for (const bundle of bundles) {
      const [one, , three] = bundle.ids
      await market.anchors(8)
      const { listings } = await list(bundle.owner, 'first', [await agreementOn(bundle, one)])
      if (bundle.named !== three) continue
      const prepared = await prepareListing(bundle.owner, 'second', [await agreementOn(bundle, three)])
      expect(prepared.answer.replaces).toEqual([{ inscriptionId: one, listingId: listings[0]!.listingId }])
      expect(await listingStates(one)).toMatchObject([{ state: 'buyable' }])
      await bundle.owner.client.call('submitListing', prepared)
      expect(await listingStates(one)).toMatchObject([{ state: 'replaced' }])
      expect(await listingStates(three)).toMatchObject([{ state: 'buyable' }])
    }
  })

  it('prevents a second active listing in the database', async () => {
    const { ids } = bundles.find(({ slug }) => slug === 'second')!
    await expect(
      market.sql`update listings set state = 'buyable' where inscription_id = ${ids[0]}`,
    ).rejects.toMatchObject({ code: '23505' })
  })

  it('keeps one of two concurrent listings of a coin', async () => {
    const bundle = bundles.find(({ slug }) => slug === 'first')!
    const { owner, ids, named } = bundle
    const first = await prepareListing(owner, 'first', [await agreementOn(bundle, ids[1])])
    const second = await prepareListing(owner, 'second', [await agreementOn(bundle, ids[2])])
    const results = await Promise.allSettled(
      [first, second].map((each) => owner.client.call('submitListing', each)),
    )
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ status: 409, code: 'preflight-outdated' })
    const live = await market.sql`
      select 1 from listings where inscription_id = any(${ids}) and state = 'buyable'`
    expect(live).toHaveLength(1)
    await list(owner, 'first', [await agreementOn(bundle, named)])
  })

  it('rejects a cart with a replaced listing', async () => {
    const bundle = bundles.findLast(({ slug }) => slug === 'first')!
    const [one, two] = bundle.ids
    await market.anchors(8)
    const [earlier] = (await list(bundle.owner, 'first', [await agreementOn(bundle, two)])).listings
    const relisted = await list(bundle.owner, 'first', [await agreementOn(bundle, one)])
    expect(relisted.replaces).toEqual([earlier])
    const [last] = relisted.listings
    const { walletBindingId, wallet } = stranger
    const spendableUtxos = await market.regtest.coinsOf(wallet.paymentScript)
    const body = { walletBindingId, listings: [last!, earlier!], spendableUtxos }
    const params = { slug: 'first' }
    const purchase = stranger.client.call('preflightPurchase', {
      params,
      body: { ...body, paymentPublicKey: wallet.paymentPublicKey },
    })
    await expect(purchase).rejects.toMatchObject({ status: 409, code: 'listing-not-buyable' })
    await expect(purchase).rejects.toThrow(earlier!.listingId)
    const quote = await stranger.client.call('quotePurchase', { params, body })
    const replacedBy = { listingId: last!.listingId, priceSats: PRICE_SATS }
    expect(quote.gone).toEqual([{ ...earlier, reason: 'repriced', replacedBy }])
    expect(quote.listings).toMatchObject([last!])
  })

  it('counts a coin once in each collection', async () => {
    const book = { floor: PRICE_SATS, listedCount: COUNT, askCount: COUNT, asks: 1, listings: COUNT }
    for (const slug of ['first', 'second']) {
      expect(await bookOf(slug)).toEqual({ ...book, ownerCount: WAYS.length })
      const params = { slug }
      const { itemCount } = await stranger.client.call('getCollection', { params })
      expect(itemCount).toBe(slug === 'first' ? 2 * COUNT : COUNT)
      const { items, total } = await stranger.client.call('browseItems', {
        params,
        query: { listed: true, limit: 100 },
      })
      expect(total).toBe(COUNT)
      const ids = bundles.map((bundle) => firstOf(bundle, slug))
      expect(items.map((item) => item.inscriptionId).toSorted()).toEqual(ids.toSorted())
    }
  })

  it('represents a coin by its first inscription', async () => {
    const listedIds = async (query: { collectionSlug?: string; inscriptionId?: string }) => {
      const { listings } = await stranger.client.call('listListings', { query: { ...query, limit: 100 } })
      return new Map(listings.map((row) => [row.listingId, `${row.inscriptionId} ${row.collection.slug}`]))
    }
    for (const _ of ['rendered', 'kept'])
      for (const [slug, rows] of [
        ['first', await listedIds({ collectionSlug: 'first' })],
        ['second', await listedIds({ collectionSlug: 'second' })],
        [null, await listedIds({})],
      ] as const)
        for (const bundle of bundles) {
          const { listingId } = (await listingStates(bundle.named)).at(-1)!
          expect(rows.get(listingId)).toBe(`${firstOf(bundle, slug)} ${slug ?? 'first'}`)
          const [, two] = bundle.ids
          expect(await listedIds({ inscriptionId: two })).toEqual(new Map([[listingId, `${two} first`]]))
        }
    for (const slug of ['first', 'second']) {
      const { items } = await stranger.client.call('listCollectionInscriptions', {
        params: { slug },
        query: { limit: 100 },
      })
      const listed = items.filter((item) => item.listingState === 'buyable').map((item) => item.id)
      expect(listed.toSorted()).toEqual(bundles.map((bundle) => firstOf(bundle, slug)).toSorted())
    }
  })
})

describe('delivery of every inscription', () => {
  it('delivers every inscription in a sweep', async () => {
    const buyer = await market.trader()
    const [other, ...own] = of('swept')
    for (const [slug, swept] of [
      ['second', [other!]],
      ['first', own],
    ] as const) {
      if (swept.length === 0) continue
      const inscriptionIds = swept.map((bundle) => firstOf(bundle, slug))
      const { listings, settlementTxid } = await sweep(buyer, slug, {
        count: swept.length,
        budgetSats: 70_000 * swept.length,
        eligibleIds: new Set(inscriptionIds),
        coins: await coinsOf(market, buyer),
        maxFeeBps: 100,
        maxNetworkSats: 100_000,
      })
      expect(listings.map((listing) => listing.inscriptionId).toSorted()).toEqual(inscriptionIds.toSorted())
      await market.mine()
      for (const bundle of swept) await expectAt(bundle, buyer.wallet.ordinalsScript)
      const receipt = await buyer.client.call('getReceipt', { params: { txid: settlementTxid } })
      expect(receipt.terms.items.map((item) => item.inscriptionId).toSorted()).toEqual(
        inscriptionIds.toSorted(),
      )
    }
  })

  it('delivers every inscription in an accepted offer', async () => {
    for (const bundle of of('offered')) {
      const { owner, named, ids } = bundle
      const [one, two] = ids
      const buyer = await market.trader()
      const rival = await market.trader()
      await offer(rival, 'first', await offering(market, rival, [one], 60_000))
      const { items } = await offer(buyer, 'first', await offering(market, buyer, [two], 55_000))
      const sale = await selling(market, two, 55_000)
      await expect(acceptOffer(owner, items[0]!.offerId, sale)).rejects.toBeInstanceOf(GoesAlong)
      await acceptOffer(owner, items[0]!.offerId, { ...sale, alsoGoes: othersOf(bundle, two) })
      expect((await listingStates(named)).at(-1)).toMatchObject({ state: 'hidden_locked' })
      await market.mine()
      await expectAt(bundle, buyer.wallet.ordinalsScript)
      expect((await listingStates(named)).at(-1)).toMatchObject({ state: 'invalidated' })
      const { offers } = await rival.client.call('listInscriptionOfferHistory', { params: { id: one } })
      expect(offers.map(({ status }) => status)).toEqual(['invalidated'])
    }
  })

  it('delivers every inscription in a fill', async () => {
    for (const bundle of of('filled')) {
      const { owner, ids, named } = bundle
      const bidder = await market.trader()
      const { offers } = await bid(bidder, 'first', {
        target: { kind: 'all' },
        priceSats: 60_000,
        coins: await coinsOf(market, bidder),
      })
      const sale = await selling(market, ids[1], 60_000, 300)
      await fill(owner, 'first', offers[0]!.offerId, { ...sale, alsoGoes: othersOf(bundle, ids[1]) })
      expect((await listingStates(named)).at(-1)).toMatchObject({ state: 'hidden_locked' })
      await market.mine()
      await expectAt(bundle, bidder.wallet.ordinalsScript)
    }
  })

  it('delivers every inscription in a swap', async () => {
    for (const [n, bundle] of of('swapped').entries()) {
      const [one, two] = bundle.ids
      const owner = await traderAtStorefront(market.server.url, bundle.owner.wallet)
      const payer = await traderAtStorefront(market.server.url, (await market.trader()).wallet)
      const coins = await coinsOf(market, payer)
      const id = n % 2 === 0 ? one : two
      const item = { inscriptionId: id, coin: await market.coinOf(id) }
      const agreedItem = { ...item, alsoGoes: othersOf(bundle, id) }
      const gets = { gives: [], gets: [item], netSats: -PRICE_SATS, coins }
      const limits = { maxMarketSats: 0, maxNetworkSats: 100_000 }
      const gives = (given: typeof item) => ({ gives: [given], gets: [], netSats: PRICE_SATS, coins: [] })
      if (n % 2 === 0) {
        const terms = { offeredInscriptionIds: [id], offeredBtcSats: 0, requestedBtcSats: PRICE_SATS }
        const proposal = await propose(owner, { ...terms, visibility: 'private', wantedLegs: [] })
        const { acceptanceId } = await acceptProposal(payer, proposal.id, [], { ...gets, ...limits })
        await expect(settle(owner, acceptanceId, gives(item))).rejects.toBeInstanceOf(GoesAlong)
        await settle(owner, acceptanceId, gives(agreedItem))
      } else {
        const target = { kind: 'inscriptions' as const, inscriptionIds: [id] }
        const proposal = await propose(
          payer,
          {
            offeredInscriptionIds: [],
            offeredBtcSats: PRICE_SATS,
            requestedBtcSats: 0,
            visibility: 'private',
            wantedLegs: [{ collectionSlug: 'first', quantity: 1, target: target }],
          },
          coins,
        )
        const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: id }]
        const accepts = (given: typeof item) =>
          acceptProposal(owner, proposal.id, fills, { ...gives(given), ...limits })
        await expect(accepts(item)).rejects.toBeInstanceOf(GoesAlong)
        const { acceptanceId } = await accepts(agreedItem)
        await settle(payer, acceptanceId, gets)
      }
      expect((await listingStates(bundle.named)).at(-1)).toMatchObject({ state: 'hidden_locked' })
      await market.mine()
      await expectAt(bundle, payer.wallet.ordinalsScript)
    }
  })

  it('delivers every inscription in an accepted counter', async () => {
    for (const bundle of of('countered')) {
      const [, two] = bundle.ids
      const buyer = await market.trader()
      const { items } = await offer(buyer, 'first', await offering(market, buyer, [two], 40_000))
      const sale = { ...(await selling(market, two, 45_000)), alsoGoes: othersOf(bundle, two) }
      const { offerId } = await counter(bundle.owner, items[0]!.offerId, sale)
      await acceptCounter(buyer, offerId, await countered(market, buyer, two, 45_000))
      await market.mine()
      await expectAt(bundle, buyer.wallet.ordinalsScript)
    }
  })

  it('returns every inscription in an exit from escrow', async () => {
    const exited = of('exited')
    const { owner } = exited[0]!
    const exitedIds = exited.map((each) => each.named)
    const { signed } = await signedPackage(market, await market.trader(), 'second', exitedIds)
    await market.regtest.mineExactly(
      signed.slice(0, exitedIds.length).map(({ hex }) => decodeTransaction(hex)),
    )
    await market.server.sync()
    const escrows = await escrowsOf(owner)
    expect(escrows).toHaveLength(exited.length)
    await leaveAlone(market, owner, escrows)
    await market.mine()
    for (const bundle of exited) await expectAt(bundle, owner.wallet.ordinalsScript)
  })

  it('leaves no coin in the order book', async () => {
    for (const slug of ['first', 'second'])
      expect(await bookOf(slug)).toMatchObject({ floor: null, listedCount: 0, askCount: 0, listings: 0 })
  })
})
