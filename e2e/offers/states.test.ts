import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { decodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import {
  acceptCounter,
  acceptOffer,
  bid,
  buy,
  cancelBid,
  cancelOffer,
  counter,
  fill,
  offer,
  prepareAcceptance,
  prepareCounterAcceptance,
  prepareFill,
  prepareOffer,
  rejectCounter,
  rejectOffer,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { describe, expect, it } from 'vitest'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  setUpTrader,
  type TestTrader,
  until,
} from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ ANCHOR_POOL: '200', OFFER_FLOOR_PERCENT: '50' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2tr')
const stranger = setUpTrader(market)

const ALL = { kind: 'all' } as const
const rowsOn = async (trader: TestTrader, id: string) =>
  trader.client.call('listInscriptionOffers', { params: { id } })
const statusOf = async (trader: TestTrader, id: string, offerId: string) => {
  const { offers } = await trader.client.call('listInscriptionOfferHistory', { params: { id } })
  return offers.find((row) => row.id === offerId)?.status
}
const reasonOf = async (offerId: string) => {
  const [row] = await market.sql<{ reason: string | null }[]>`
    select reason from offers where offer_id = ${offerId}
    union all select reason from collection_offers where offer_id = ${offerId}`
  return row?.reason
}
const makeOffer = async (id: string, slug: string, priceSats: number, by = buyer) =>
  (await offer(by, slug, await offering(market, by, [id], priceSats))).items[0]!.offerId
const makeBid = async (slug: string, priceSats: number, by = buyer) =>
  (await bid(by, slug, { target: ALL, priceSats, coins: await coinsOf(market, by) })).offers[0]!.offerId
const bookOf = async (slug: string) =>
  (await buyer.client.call('listCollectionOfferBook', { params: { slug } })).rows
const refused = (work: Promise<unknown>, status: number, message?: RegExp) =>
  expect(work).rejects.toMatchObject({
    status,
    ...(message ? { message: expect.stringMatching(message) } : {}),
  })
const outdate = (offerId: string) => market.sql`
  with a as (update offers set expires_at = now() - interval '1 second' where offer_id = ${offerId})
  update collection_offers set expires_at = now() - interval '1 second' where offer_id = ${offerId}`

describe('offer', () => {
  it('cancels an offer only for its buyer', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const first = await makeOffer(id, slug, 60_000)
    const at = { id, offerId: first }
    await refused(cancelOffer(seller, at), 403)
    await refused(rejectOffer(buyer, at), 403)
    await refused(rejectCounter(buyer, at), 404)
    await refused(cancelOffer(buyer, { id, offerId: crypto.randomUUID() }), 404)
    expect(await cancelOffer(buyer, at)).toEqual({ offerId: first, status: 'cancelled' })
    expect(await cancelOffer(buyer, at)).toEqual({ offerId: first, status: 'cancelled' })
    await refused(rejectOffer(seller, at), 409, /cancelled/)
    await refused(acceptOffer(seller, first, await selling(market, id, 60_000)), 409)

    const second = await makeOffer(id, slug, 60_000)
    await refused(acceptOffer(stranger, second, await selling(market, id, 60_000)), 403)
    expect(await rejectOffer(seller, { id, offerId: second })).toEqual({
      offerId: second,
      status: 'rejected',
    })
    expect(await rejectOffer(seller, { id, offerId: second })).toMatchObject({ status: 'rejected' })
    await refused(cancelOffer(buyer, { id, offerId: second }), 409, /rejected/)
    expect(await rowsOn(stranger, id)).toMatchObject({ liveOfferCount: 0, topOfferSats: null, offers: [] })
    const history = await buyer.client.call('listMyOffers', { query: { view: 'history' } })
    const events = history.view === 'history' ? history.events : []
    expect(events.slice(0, 4).map((event) => event.eventType)).toEqual([
      'rejected',
      'created',
      'cancelled',
      'created',
    ])
  })

  it('hides an expired offer', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const offerId = await makeOffer(id, slug, 60_000)
    expect(await rowsOn(seller, id)).toMatchObject({ expiringSoonCount: 0, liveOfferCount: 1 })
    await outdate(offerId)
    expect((await rowsOn(seller, id)).offers).toEqual([])
    expect(await statusOf(seller, id, offerId)).toBe('expired')
    await refused(acceptOffer(seller, offerId, await selling(market, id, 60_000)), 409, /expired/)
    await until('the offer to expire', async () => {
      const [row] = await market.sql<
        { state: string }[]
      >`select state from offers where offer_id = ${offerId}`
      return row!.state === 'expired'
    })
  })

  it('ends all offers on a coin spent in the mempool', async () => {
    const { trader, keys } = await keyHolder(market)
    const { slug, ids } = await market.collection(seller.wallet, 4)
    const offerIds = []
    for (const id of ids) offerIds.push(await makeOffer(id, slug, 60_000, trader))
    offerIds.push(await makeBid(slug, 60_000, trader))
    expect(await bookOf(slug)).toHaveLength(1)
    const [coin] = await coinsOf(market, trader)
    const spend = buildPayment([coin!], [{ valueSats: 100_000, script: stranger.wallet.paymentScript }], {
      privateKey: keys.payment,
      feeRateSatVb: 3,
    })
    const txid = await market.regtest.call<string>('sendrawtransaction', hexOfTransaction(spend))
    await market.server.sync()
    for (const [i, id] of ids.entries()) {
      expect((await rowsOn(seller, id)).offers).toEqual([])
      expect(await statusOf(seller, id, offerIds[i]!)).toBe('invalidated')
      await refused(acceptOffer(seller, offerIds[i]!, await selling(market, id, 60_000)), 409, /is spent in/)
    }
    expect(await bookOf(slug)).toEqual([])
    for (const offerId of offerIds) expect(await reasonOf(offerId)).toContain(txid)
    await refused(
      offer(trader, slug, { ...(await offering(market, trader, [ids[0]!], 60_000)), coins: [coin!] }),
      400,
    )
    await market.mine()
  })

  it('ends an offer when its inscription moves', async () => {
    const { trader: owner, keys } = await keyHolder(market)
    const { slug, ids } = await market.collection(owner.wallet, 1, 50_000)
    const [id] = ids as [string]
    const offerId = await makeOffer(id, slug, 60_000)
    const move = buildPayment(
      [await market.coinOf(id)],
      [{ valueSats: 40_000, script: owner.wallet.ordinalsScript }],
      {
        privateKey: keys.ordinals,
        feeRateSatVb: 3,
      },
    )
    await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
    await market.server.sync()
    expect(await statusOf(owner, id, offerId)).toBe('invalidated')
    await refused(makeOffer(id, slug, 60_000), 409, /being moved/)
    await market.mine()
    await makeOffer(id, slug, 60_000)
  })

  it('ends conflicting orders when an offer is accepted', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 3)
    const [id, other] = ids as [string, string]
    const offerId = await makeOffer(id, slug, 60_000)
    const otherOffer = await makeOffer(other, slug, 70_000)
    const rival = await makeOffer(id, slug, 55_000, stranger)
    const collectionBid = await makeBid(slug, 50_000)
    await listAll(market, seller, slug, [id], 90_000)
    const floor = async () => {
      const answer = await seller.client.call('listCollectionFloorStats', { query: { slugs: slug } })
      return answer.data[0]!.floor
    }
    expect(await floor()).not.toBeNull()
    const accepted = await acceptOffer(seller, offerId, await selling(market, id, 60_000))
    // Checked right after the response, before any block.
    for (const each of [otherOffer, rival, collectionBid])
      expect(await reasonOf(each)).toContain(accepted.settlementTxid)
    expect((await rowsOn(seller, other)).offers).toEqual([])
    expect(await bookOf(slug)).toEqual([])
    expect((await seller.client.call('listListings', { query: { inscriptionId: id } })).listings).toEqual([])
    expect(await floor()).toBeNull()
    const secondAttempt = await prepareAcceptance(seller, offerId, await selling(market, id, 60_000)).catch(
      (e) => e,
    )
    expect(secondAttempt).toMatchObject({ status: 409 })
    await market.mine()
    const [listing] = await market.sql<{ state: string; reason: string }[]>`
      select l.state, e.reason from listings l join order_events e using (listing_id)
      where inscription_id = ${id} order by event_id desc limit 1`
    expect(listing).toMatchObject({ state: 'invalidated' })
    expect(await statusOf(buyer, id, offerId)).toBe('accepted')
  })

  it('ends an offer when its inscription is bought', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const [id, other] = ids as [string, string]
    await makeOffer(id, slug, 60_000)
    await refused(listAll(market, seller, slug, [other, id], 59_000), 409, /an offer of 60000 sats/)
    await listAll(market, seller, slug, [id], 60_000)
    const collectionBid = await makeBid(slug, 80_000, stranger)
    await refused(listAll(market, seller, slug, [other], 70_000), 409, /80000/)
    await cancelBid(stranger, slug, collectionBid)
    const rising = await makeOffer(other, slug, 70_000)
    await cancelOffer(buyer, { id: other, offerId: rising })
    await listAll(market, seller, slug, [other], 65_000)
    const bought = await buy(stranger, slug, await agreementFor(market, stranger, [id]))
    expect((await rowsOn(seller, id)).offers).toEqual([])
    const [row] = await market.sql<{ reason: string }[]>`
      select reason from offers where inscription_id = ${id} and state = 'invalidated'`
    expect(row!.reason).toContain(bought.listingTransferTxids[0])
    await market.mine()
  })

  it('enforces minimum offers in preflight and submit', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const [id, listed] = ids as [string, string]
    await refused(makeOffer(id, slug, 2500), 400)
    await refused(makeOffer(id, slug, 1000), 400)
    await listAll(market, seller, slug, [listed], 101_000)
    // The configured minimum is half of the floor (50,500), rounded up to the next thousand. It exceeds a fifth of the floor.
    await refused(
      makeOffer(id, slug, 50_000),
      400,
      /current minimum for an offer on [0-9a-f]+i0 is 51000 sats/,
    )
    const offerId = await makeOffer(id, slug, 51_000)
    const prepared = await prepareOffer(buyer, slug, await offering(market, buyer, [id], 52_000))
    await market.sql`update collections set verification_status = 'verified' where slug = ${slug}`
    const collectionBid = await makeBid(slug, 75_000, stranger)
    await refused(
      buyer.client.call('submitCollectionOffer', { params: { slug }, body: prepared.body }),
      409,
      /68000/,
    )
    await refused(makeOffer(id, slug, 67_000), 400, /is 68000 sats .*90%/)
    await makeOffer(id, slug, 68_000)
    await cancelBid(stranger, slug, collectionBid)
    await makeBid(slug, 95_000, seller)
    await makeOffer(id, slug, 69_000)
    const { offers } = await rowsOn(seller, id)
    expect(offers.map((row) => row.priceSats)).toEqual([69_000, 68_000, 51_000])
    expect(offers.map((row) => row.topOfferSats)).toEqual([68_000, 51_000, null])
    expect(offers[0]!.floorSats).toBe(101_000)
    expect(offers[2]!.id).toBe(offerId)
    await refused(
      offer(seller, slug, await offering(market, seller, [id], 90_000)),
      400,
      /You already own [0-9a-f]+i0/,
    )
  })
})

describe('counter', () => {
  it('shows a counter only to its two sides', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const parent = await makeOffer(id, slug, 60_000)
    await refused(counter(seller, parent, await selling(market, id, 60_000)), 400, /above the offer/)
    await refused(counter(stranger, parent, await selling(market, id, 70_000)), 403)
    const one = (await counter(seller, parent, await selling(market, id, 80_000))).offerId
    expect((await rowsOn(stranger, id)).liveOfferCount).toBe(1)
    expect((await rowsOn(buyer, id)).liveOfferCount).toBe(2)
    const two = (await counter(seller, parent, await selling(market, id, 75_000))).offerId
    expect(await statusOf(buyer, id, one)).toBe('cancelled')
    expect(await reasonOf(one)).toContain('newer')
    await refused(rejectCounter(stranger, { id, offerId: two }), 403)
    expect(await rejectCounter(buyer, { id, offerId: two })).toMatchObject({ status: 'rejected' })
    expect(await statusOf(buyer, id, parent)).toBe('active')
    const three = (await counter(seller, parent, await selling(market, id, 74_000))).offerId
    await refused(cancelOffer(buyer, { id, offerId: three }), 403)
    expect(await cancelOffer(seller, { id, offerId: three })).toMatchObject({ status: 'cancelled' })
    const { activity } = (await (
      await fetch(`${market.server.url}/web/v1/activity?inscriptionId=${id}`)
    ).json()) as Answer<'listActivity'>
    // Not in order, because block times may be ahead of the clock.
    expect(activity.map(({ kind, priceSats }) => [kind, priceSats]).toSorted()).toEqual([
      ['inscribed', null],
      ['offer', 60_000],
    ])
    const four = (await counter(seller, parent, await selling(market, id, 73_000))).offerId
    await outdate(four)
    await refused(acceptCounter(buyer, four, await countered(market, buyer, id, 73_000)), 409, /expired/)
    await until('the offer to expire', async () => (await reasonOf(four)) === 'it has expired')
    // Anchors of ended orders are spent, so that their transfers can never confirm.
    await until('the anchors to be spent', async () => {
      const rows = await market.sql`
        select 1 from offers o join market_coins c on c.reserved_for = o.anchor_utxo_id
        where o.inscription_id = ${id} and c.spending_txid is null and c.spent_height is null`
      await market.sql`update market_coins set retired_at = retired_at - interval '1 minute' where retired`
      return rows.length === 0
    })
    await market.mine()
  })

  it('ends a counter-offer when its inscription moves', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const [id, other] = ids as [string, string]
    const parent = await makeOffer(id, slug, 60_000)
    const activeCounter = (await counter(seller, parent, await selling(market, id, 80_000))).offerId
    const rival = await makeOffer(id, slug, 66_000, stranger)
    await acceptOffer(seller, rival, await selling(market, id, 66_000))
    expect(await statusOf(buyer, id, activeCounter)).toBe('invalidated')
    await market.mine()

    const second = await makeOffer(other, slug, 60_000)
    const counters = (await counter(seller, second, await selling(market, other, 80_000))).offerId
    const lateOffer = await makeOffer(other, slug, 66_000, stranger)
    await acceptCounter(buyer, counters, await countered(market, buyer, other, 80_000))
    expect(await statusOf(buyer, other, counters)).toBe('accepted')
    expect(await statusOf(buyer, other, second)).toBe('cancelled')
    expect(await statusOf(buyer, other, lateOffer)).toBe('invalidated')
    await market.mine()
    expect(await market.coinOf(other)).toMatchObject({ script: buyer.wallet.ordinalsScript })
  })
})

describe('collection offer', () => {
  it('removes ended collection offers from the order book', async () => {
    const maker = await market.trader('p2wpkh', 40_000_000)
    const { slug, ids } = await market.collection(seller.wallet, 2)
    await market.sql`
      update collection_items set traits = '[{"type":"Hat","value":"Red"}]' where inscription_id = ${ids[0]!}`
    const hats = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Red', 'Blue'] }] }
    const preview = await maker.client.call('previewCollectionOfferTarget', {
      params: { slug },
      body: { target: hats },
    })
    expect(preview).toMatchObject({ eligibleCount: 1, sampleInscription: { inscriptionId: ids[0] } })
    const nothing = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Green'] }] }
    const empty = await maker.client.call('previewCollectionOfferTarget', {
      params: { slug },
      body: { target: nothing },
    })
    expect(empty).toMatchObject({ eligibleCount: 0, floorSats: null, sampleInscription: null })
    const coins = await coinsOf(market, maker)
    await refused(
      bid(maker, slug, { target: nothing, priceSats: 40_000, coins }),
      400,
      /no item in .* matches/,
    )
    await refused(
      bid(maker, slug, { target: ALL, priceSats: 40_000, offerCount: 3, coins }),
      400,
      /offer 3 of 3/,
    )
    const { walletBindingId } = maker
    const { ordinalsPublicKey, paymentPublicKey } = maker.wallet
    const bare = { walletBindingId, ordinalsPublicKey, paymentPublicKey, target: ALL, priceSats: 20_000 }
    const params = { slug }
    const found = await maker.client.call('preflightCollectionWideOffer', { params, body: bare })
    expect(found.offers).toHaveLength(1)
    const [coin] = found.offers[0]!.selectedPaymentUtxos
    const twice = { ...bare, spendableUtxos: [coin!, coin!] }
    await refused(
      maker.client.call('preflightCollectionWideOffer', { params, body: twice }),
      400,
      /^Duplicate coin [0-9a-f]{64}:\d+ in spendableUtxos\.$/,
    )
    const ladder = { target: ALL, priceSats: 40_000, offerCount: 2, ladderStepSats: 5000, coins }
    const created = await bid(maker, slug, ladder)
    expect(created.offers.map((offer) => offer.priceSats)).toEqual([40_000, 35_000])
    const trait = await bid(maker, slug, { target: hats, priceSats: 50_000, coins })
    expect((await bookOf(slug)).map((row) => [row.priceSats, row.scopeLabel])).toEqual([
      [50_000, 'Hat: Blue or Red'],
      [40_000, 'Collection'],
      [35_000, 'Collection'],
    ])
    const warning = await maker.client.call('previewCollectionOfferReplacementWarning', {
      params: { slug },
      body: { walletBindingId: maker.walletBindingId, target: ALL, priceSats: 45_000, spendableUtxos: coins },
    })
    expect(warning).toEqual({ replacementWarning: { activeOfferCount: 1 } })
    const newer = await bid(maker, slug, { target: ALL, priceSats: 45_000, coins })
    expect((await bookOf(slug)).map((row) => row.priceSats)).toEqual([50_000, 45_000, 35_000])
    const [newest] = newer.offers
    await refused(cancelBid(stranger, slug, newest!.offerId), 403)
    await cancelBid(maker, slug, newest!.offerId)
    const cancelled = { offerId: newest!.offerId, status: 'cancelled' }
    expect(await cancelBid(maker, slug, newest!.offerId)).toEqual(cancelled)
    await outdate(trait.offers[0]!.offerId)
    const own = await maker.client.call('listMySentCollectionOffers', { params: { slug } })
    expect(own.rows.map((row) => [row.priceSats, row.actionBindingId])).toEqual([
      [35_000, maker.walletBindingId],
    ])
    await refused(
      fill(seller, slug, trait.offers[0]!.offerId, await selling(market, ids[0]!, 50_000, 250)),
      409,
    )
  })

  it('fills a collection offer only with eligible items', async () => {
    const { slug, ids } = await market.collection([seller.wallet, stranger.wallet], 2)
    const [red, plain, foreign] = ids as [string, string, string]
    await market.sql`
      update collection_items set traits = '[{"type":"Hat","value":"Red"}]' where inscription_id = ${red}`
    const maker = await market.trader('p2wpkh', 40_000_000)
    const coins = await coinsOf(market, maker)
    const hats = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Red'] }] }
    const trait = (await bid(maker, slug, { target: hats, priceSats: 60_000, coins: [coins[0]!] })).offers[0]!
    const collectionBid = (await bid(maker, slug, { target: ALL, priceSats: 50_000, coins: [coins[1]!] }))
      .offers[0]!
    await refused(
      fill(seller, slug, trait.offerId, await selling(market, plain, 60_000, 250)),
      400,
      /does not match/,
    )
    await refused(fill(seller, slug, collectionBid.offerId, await selling(market, foreign, 50_000, 250)), 403)
    const otherCollection = await market.collection(seller.wallet, 1)
    await refused(
      fill(seller, slug, collectionBid.offerId, await selling(market, otherCollection.ids[0]!, 50_000, 250)),
      400,
      /not in this collection/,
    )
    await refused(
      fill(maker, slug, collectionBid.offerId, await selling(market, red, 50_000, 250)),
      400,
      /your own/,
    )
    await refused(
      fill(seller, otherCollection.slug, collectionBid.offerId, await selling(market, red, 50_000, 250)),
      404,
    )
    const prepared = await prepareFill(seller, slug, collectionBid.offerId, {
      ...(await selling(market, red, 50_000, 250)),
      evenBelowTopOffer: true,
    })
    expect(prepared.answer.belowTopOfferWarning).toEqual({
      selectedOffer: { offerId: collectionBid.offerId, priceSats: 50_000 },
      topOffer: { offerId: trait.offerId, priceSats: 60_000 },
    })
    const { params, body } = prepared
    await refused(
      seller.client.call('submitCollectionOfferFill', {
        params,
        body: { ...body, belowTopOfferConfirmation: undefined },
      }),
      409,
      /better offer/,
    )
    // Consent to ignore one better offer does not apply to another. The SDK signs neither fill.
    for (const consent of [{}, { evenBelowTopOffer: collectionBid.offerId }])
      await expect(
        fill(seller, slug, collectionBid.offerId, {
          ...(await selling(market, red, 50_000, 250)),
          ...consent,
        }),
      ).rejects.toMatchObject({ topOfferId: trait.offerId })
    const sold = await fill(seller, slug, collectionBid.offerId, {
      ...(await selling(market, red, 50_000, 250)),
      evenBelowTopOffer: trait.offerId,
    })
    expect(sold.status).toBe('broadcast')
    expect((await bookOf(slug)).map((row) => row.id)).toEqual([trait.offerId])
    await refused(
      fill(stranger, slug, collectionBid.offerId, await selling(market, foreign, 50_000, 250)),
      409,
      /filled/,
    )
    await market.mine()
    // The maker signed the set without items that were added later.
    const lateCollection = await market.collection(seller.wallet, 1)
    await market.sql`
      insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
      select (select collection_id from collections where slug = ${slug}), inscription_id, 99, sort_key, item_name,
        '[{"type":"Hat","value":"Red"}]'
      from collection_items where inscription_id = ${lateCollection.ids[0]!}`
    await refused(
      fill(seller, slug, trait.offerId, await selling(market, lateCollection.ids[0]!, 60_000, 250)),
      409,
      /was not in this collection/,
    )
  })
})

describe('GET /me/offers', () => {
  it('returns every row once across pages', async () => {
    const owner = await market.trader()
    const bidder = await market.trader('p2tr')
    const { slug, ids } = await market.collection(owner.wallet, 30)
    for (const part of [ids.slice(0, 15), ids.slice(15)])
      await offer(bidder, slug, await offering(market, bidder, part, 20_000))
    await counter(owner, (await rowsOn(owner, ids[3]!)).offers[0]!.id, await selling(market, ids[3]!, 30_000))
    const walk = async (
      trader: TestTrader,
      view: 'owned' | 'sent' | 'history',
      key: (page: any) => string[],
    ) => {
      const seenIds: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await trader.client.call('listMyOffers', {
          query: { view, ...(cursor ? { cursor } : {}) },
        })
        seenIds.push(...key(page))
        expect(key(page).length).toBeLessThanOrEqual(25)
        if (!page.nextCursor) return { page, seen: seenIds }
        cursor = page.nextCursor
      }
    }
    const owned = await walk(owner, 'owned', (page) => page.groups.map((group: any) => group.inscriptionId))
    expect(owned.seen.toSorted()).toEqual(ids.toSorted())
    expect(owned.page).toMatchObject({ actionableCount: 30, ownedCount: 30, sentCount: 0 })
    const sent = await walk(bidder, 'sent', (page) => page.rows.map((row: any) => row.id))
    expect(new Set(sent.seen).size).toBe(31)
    expect(sent.page).toMatchObject({ actionableCount: 1, sentCount: 31 })
    const history = await walk(bidder, 'history', (page) => page.events.map((event: any) => event.eventKey))
    expect(new Set(history.seen).size).toBe(31)
    await refused(bidder.client.call('listMyOffers', { query: { view: 'sent', cursor: 'x' } }), 400)
    const first = await bidder.client.call('listMyOffers', { query: { view: 'sent' } })
    await refused(
      bidder.client.call('listMyOffers', { query: { view: 'history', cursor: first.nextCursor! } }),
      400,
    )
    await refused(
      prepareCounterAcceptance(owner, first.view === 'sent' ? first.rows[0]!.id : '', {
        ...(await countered(market, owner, ids[3]!, 30_000)),
      }),
      403,
    )
  })
})

describe('chain events', () => {
  it('ends a counter whose transfer confirms without a sale', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const parent = await makeOffer(id, slug, 60_000)
    const { offerId } = await counter(seller, parent, await selling(market, id, 70_000))
    const { context } = market.server
    const { signer } = context
    let transfer: string | undefined
    context.signer = {
      ...signer,
      async signCounter(request) {
        transfer = (await signer.signCounter(request))[0]!.hex
        throw new Error('taken by a test')
      },
    }
    await acceptCounter(buyer, offerId, await countered(market, buyer, id, 70_000)).catch(() => {})
    context.signer = signer
    await market.regtest.mineExactly([decodeTransaction(transfer!)])
    await market.server.sync()
    expect(await statusOf(seller, id, offerId)).toBe('invalidated')
    expect(await statusOf(buyer, id, parent)).toBe('invalidated')
    await refused(acceptCounter(buyer, offerId, await countered(market, buyer, id, 70_000)), 409)
    await until('the recovery', async () => {
      await market.mine()
      return equalBytes((await market.coinOf(id)).script, seller.wallet.ordinalsScript)
    })
    expect((await market.coinOf(id)).valueSats).toBe(10_000)
  })

  it('reverts and restores the sale of an offer after a reorg', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const offerId = await makeOffer(id, slug, 60_000)
    const { settlementTxid } = await acceptOffer(seller, offerId, await selling(market, id, 60_000))
    const [block] = await market.regtest.mine()
    await market.server.sync()
    const sales = () => market.sql`select 1 from sales where txid = ${settlementTxid}`
    expect(await sales()).toHaveLength(1)
    await market.regtest.call('invalidateblock', block)
    await market.server.sync()
    expect(await sales()).toHaveLength(0)
    expect(await statusOf(buyer, id, offerId)).toBe('accepted')
    expect(
      (
        await market.sql`select 1 from settlements where settlement_txid = ${settlementTxid} and state = 'broadcast'`
      ).length,
    ).toBe(1)
    await market.regtest.call('reconsiderblock', block)
    await market.mine()
    expect(await sales()).toHaveLength(1)
    expect(await market.coinOf(id)).toMatchObject({ txid: settlementTxid })
  })
})
