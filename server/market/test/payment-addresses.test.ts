import { randomBytes } from 'node:crypto'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { acceptOffer, bid, delist, LocalWallet, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { enter, listAll, setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { signInAtStorefront } from '../../../e2e/support/storefront.ts'

const key = () => new Uint8Array(randomBytes(32))
const walletOf = (ordinals: Uint8Array, payment: Uint8Array) =>
  new LocalWallet({ ordinals, payment }, { network: 'regtest', paymentKind: 'p2wpkh' })

const market = setUpMarket()

async function funded(ordinals: Uint8Array, payment: Uint8Array): Promise<TestTrader> {
  const wallet = walletOf(ordinals, payment)
  const coin = { valueSats: 5_000_000, script: wallet.paymentScript }
  await market.regtest.pay([coin, coin])
  await market.mine()
  return enter(market.base, wallet)
}

const profileOf = async ({ client }: TestTrader) => (await client.call('getMe')).profile.id

/** Returns the error code of a rejected call, or null. */
const errorCodeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: { code?: string }) => error.code ?? error,
  )

const addressesOf = async ({ client }: TestTrader) =>
  (await client.call('getMe')).walletBindings.map((each) => each.paymentAddress)

describe('owner with two payment addresses', () => {
  const ordinals = key()
  let before: TestTrader
  let after: TestTrader
  let slug: string
  let ids: string[]
  beforeAll(async () => {
    before = await funded(ordinals, key())
    ;({ slug, ids } = await market.collection(before.wallet, 3))
  })

  it('adds both payment addresses to one profile', async () => {
    await listAll(market, before, slug, [ids[0]!], 50_000)
    after = await funded(ordinals, key())
    expect(await profileOf(after)).toBe(await profileOf(before))
    expect(after.walletBindingId).not.toBe(before.walletBindingId)
    expect(await addressesOf(before)).toEqual([after.wallet.paymentAddress, before.wallet.paymentAddress])
    // Signing in with the first address again adds no binding.
    const reentered = await enter(market.base, before.wallet)
    expect(reentered.walletBindingId).toBe(before.walletBindingId)
    expect(await addressesOf(after)).toEqual([before.wallet.paymentAddress, after.wallet.paymentAddress])
    await enter(market.base, after.wallet)
  })

  it('cancels a listing with either binding', async () => {
    const { listings } = await before.client.call('listListings', { query: { inscriptionId: ids[0]! } })
    const { listingId, inscriptionId } = listings[0]!
    const { walletBindingId } = after
    const body = { walletBindingId, listings: [{ listingId, inscriptionId }] }
    await after.client.call('delistListing', { params: { slug }, body })
    const relisted = await listAll(market, after, slug, [ids[0]!], 60_000)
    await delist(before, slug, [{ listingId: relisted.get(ids[0]!)!, inscriptionId: ids[0]! }])
  })

  it('rejects buying its own listing with the other binding', async () => {
    await listAll(market, before, slug, [ids[1]!], 50_000)
    const { listings } = await after.client.call('listListings', { query: { inscriptionId: ids[1]! } })
    const { listingId, inscriptionId } = listings[0]!
    const body = {
      walletBindingId: after.walletBindingId,
      paymentPublicKey: after.wallet.paymentPublicKey,
      listings: [{ listingId, inscriptionId }],
      spendableUtxos: await coinsOf(market, after),
    }
    expect(await errorCodeOf(after.client.call('preflightPurchase', { params: { slug }, body }))).toBe(
      'own-order',
    )
    expect(await errorCodeOf(offer(after, slug, await offering(market, after, [ids[2]!], 40_000)))).toBe(
      'own-order',
    )
  })

  it('pays the binding that signed in last', async () => {
    const buyer = await market.trader()
    const { items } = await offer(buyer, slug, await offering(market, buyer, [ids[2]!], 40_000))
    const { offerId } = items[0]!
    const mine = await after.client.call('listMyOffers', {})
    expect(mine).toMatchObject({
      groups: [{ inscriptionId: ids[2]!, activeOfferCount: 1, actionBindingId: after.walletBindingId }],
    })
    const history = await after.client.call('listMyOffers', { query: { view: 'history' } })
    expect(history).toMatchObject({ events: [{ offerId, eventType: 'created' }] })
    const { settlementTxid } = await acceptOffer(after, offerId, await selling(market, ids[2]!, 40_000))
    const hex = await market.regtest.call<string>('getrawtransaction', settlementTxid)
    const scripts = decodeTransaction(Buffer.from(hex, 'hex')).outputs.map(({ script }) =>
      Buffer.from(script).toString('hex'),
    )
    expect(scripts).toContain(Buffer.from(after.wallet.paymentScript).toString('hex'))
    expect(scripts).not.toContain(Buffer.from(before.wallet.paymentScript).toString('hex'))
  })
})

describe('wallets that share a payment address', () => {
  const payment = key()
  let one: TestTrader
  let two: TestTrader
  let slug: string
  let ids: string[]
  beforeAll(async () => {
    one = await funded(key(), payment)
    two = await enter(market.base, walletOf(key(), payment))
    ;({ slug, ids } = await market.collection(one.wallet, 1))
  })

  it('creates a profile for each wallet', async () => {
    expect(one.wallet.paymentAddress).toBe(two.wallet.paymentAddress)
    expect(await profileOf(one)).not.toBe(await profileOf(two))
    for (const trader of [one, two]) {
      const { walletBindings } = await trader.client.call('getMe')
      expect(walletBindings.map((each) => each.walletBindingId)).toEqual([trader.walletBindingId])
    }
  })

  it("rejects cancelling another wallet's order", async () => {
    const listed = await listAll(market, one, slug, ids, 50_000)
    const listings = [{ listingId: listed.get(ids[0]!)!, inscriptionId: ids[0]! }]
    const coins = await coinsOf(market, one)
    const bids = await bid(one, slug, { target: { kind: 'all' }, priceSats: 10_000, coins })
    const params = { slug, offerId: bids.offers[0]!.offerId }
    for (const { walletBindingId } of [two, one]) {
      const body = { walletBindingId, listings }
      expect(await errorCodeOf(two.client.call('delistListing', { params: { slug }, body }))).toMatch(
        /^(order-not-yours|binding-unknown)$/,
      )
      expect(
        await errorCodeOf(
          two.client.call('cancelCollectionWideOffer', { params, body: { walletBindingId } }),
        ),
      ).toMatch(/^(order-not-yours|binding-unknown)$/)
    }
    expect(await two.client.call('listMySentCollectionOffers', { params: { slug } })).toMatchObject({
      rows: [],
    })
    expect((await one.client.call('listMySentCollectionOffers', { params: { slug } })).rows).toHaveLength(1)
  })
})

it('rejects the 21st profile of a payment address', async () => {
  const payment = key()
  const answers = []
  for (let n = 0; n < 21; n++)
    answers.push((await signInAtStorefront(market.server.url, walletOf(key(), payment))).opened)
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 409])
  expect(answers.at(-1)!.body.code).toBe('address-linked')
})

it('creates one profile for concurrent sign-ins', async () => {
  const ordinals = key()
  const wallets = [key(), key()].flatMap((payment) => [
    walletOf(ordinals, payment),
    walletOf(ordinals, payment),
  ])
  const opened = await Promise.all(wallets.map((wallet) => signInAtStorefront(market.server.url, wallet)))
  expect(new Set(opened.map((each) => each.opened.body.profile.id)).size).toBe(1)
  const { opened: last } = await signInAtStorefront(market.server.url, wallets[0]!)
  expect(last.body.walletBindings).toHaveLength(2)
})

it('rejects a pinned address with another partner', async () => {
  const [ordinals, payment] = [key(), key()]
  const wallet = walletOf(ordinals, payment)
  const { config } = market.server.context
  const previous = config.pinnedAddresses
  config.pinnedAddresses = [wallet.ordinalsAddress, wallet.paymentAddress]
  try {
    const resultOf = async (wallet: LocalWallet) =>
      (await signInAtStorefront(market.server.url, wallet)).opened.body.code ?? 'signed in'
    expect(await resultOf(wallet)).toBe('signed in')
    expect(await resultOf(walletOf(ordinals, key()))).toBe('address-linked')
    expect(await resultOf(walletOf(key(), payment))).toBe('address-linked')
    expect(await resultOf(wallet)).toBe('signed in')
    expect(await resultOf(walletOf(key(), key()))).toBe('signed in')
  } finally {
    config.pinnedAddresses = previous
  }
})
