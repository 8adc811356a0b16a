import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { bid, counter, offer, propose } from '@ordbook/sdk/index.ts'
import type { Locator } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { freshWallet, listAll, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const ALL = { kind: 'all' } as const
const creator = freshWallet()

const assertUnsigned = ({ asked }: Visitor) => {
  for (const request of ['signPsbt', 'signMultipleTransactions']) expect(asked).not.toContain(request)
}

/** Sets the market's minimum fee rate in sat/vB and mines a block, so that pages refetch their quotes. */
async function feeRate(satVb: number): Promise<void> {
  const { config } = at.market.server.context
  config.feeRateMinSatVb = satVb
  config.feeRateMaxSatVb = Math.max(satVb, 100)
  await at.market.mine()
}
afterEach(() => feeRate(1))

/** Returns the prices to compare with, by cell. */
const compared = async (ticket: Locator) => {
  const list = ticket.getByLabel('To compare')
  await list.waitFor()
  return list.locator('div').allTextContents()
}

it('confirms a sale below another offer', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids.slice(1), 200_000)
  const other = await market.trader()
  const { offers } = await bid(buyer, slug, {
    target: ALL,
    priceSats: 50_000,
    coins: await coinsOf(market, buyer),
  })
  const dear = await bid(other, slug, { target: ALL, priceSats: 80_000, coins: await coinsOf(market, other) })
  const visitor = await at.enter(seller, `/collection/${slug}?tab=offers`)
  const { page } = visitor
  const consents: unknown[] = []
  page.on('request', (request) => {
    if (!request.url().includes(`/${offers[0]!.offerId}/fill/submit`)) return
    const { belowTopOfferConfirmation } = request.postDataJSON()
    consents.push(belowTopOfferConfirmation)
  })
  await page.getByRole('listitem').filter({ hasText: '0.0005 BTC' }).getByRole('button').click()
  await page.getByRole('button', { name: `Sell ${slug} #0`, exact: true }).click()
  const ticket = page.getByRole('dialog', { name: `Sell ${slug} #0` })
  expect(await compared(ticket)).toEqual([
    'Floor0.002 BTC−75.0%',
    'Trait floorNone yet',
    'Best bid0.0008 BTC−37.5%top offer',
    'Last saleNone yet',
  ])
  await ticket.getByText('Another offer pays you more.').waitFor()
  await ticket.getByRole('button', { name: 'Sell for 0.0005 BTC' }).click()
  await ticket.getByRole('button', { name: 'Accept the lower offer' }).waitFor()
  assertUnsigned(visitor)
  await ticket.getByRole('button', { name: 'Accept the lower offer' }).click()
  await visitor.confirm()
  await visitor.told(/Sold in/)
  expect(consents).toEqual([
    {
      selectedOffer: { offerId: offers[0]!.offerId, priceSats: 50_000 },
      topOffer: { offerId: dear.offers[0]!.offerId, priceSats: 80_000 },
    },
  ])
  visitor.assertQuiet()
  await visitor.close()
})

it('stops a counter-offer below an offer', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  const other = await market.trader()
  await bid(other, slug, { target: ALL, priceSats: 55_000, coins: await coinsOf(market, other) })
  const visitor = await at.enter(seller, `/inscription/${ids[0]}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Counter', exact: true }).click()
  const ticket = page.getByRole('dialog', { name: 'Counter this offer' })
  expect(await compared(ticket)).toContain('Best bid0.00055 BTCtop offer')
  const field = ticket.getByLabel('Price in BTC')
  const send = ticket.getByRole('button', { name: 'Send counter-offer' })
  await field.fill('0.0004')
  await send.click()
  await ticket.getByText('At least 41,000 sats.').waitFor()
  await field.fill('0.0005')
  await ticket.getByText('An offer pays you more.').waitFor()
  expect(await send.isDisabled()).toBe(true)
  await field.fill('0.0006')
  await ticket.getByText('0.00060000', { exact: true }).first().waitFor()
  await setCollectionRoyalty(market.server.context, slug, {
    address: creator.ordinalsAddress,
    sellerBps: 500,
    buyerBps: 0,
  })
  await market.mine()
  await ticket.getByText(/^The total went from 0.000\d+ BTC to 0.000\d+ BTC\.$/).waitFor()
  expect(await send.isDisabled()).toBe(true)
  assertUnsigned(visitor)
  await ticket.getByRole('button', { name: 'Accept the new total' }).click()
  await send.click()
  await visitor.confirm()
  await visitor.told(/Counter-offer placed. 0.0006 BTC/)
  visitor.assertQuiet()
  await visitor.close()
})

it('stops accepting a counter-offer whose total rose', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  await counter(seller, items[0]!.offerId, await selling(market, id, 50_000))
  const visitor = await at.enter(buyer, `/inscription/${id}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  const ticket = page.getByRole('dialog', { name: 'Accept this counter-offer' })
  const accept = ticket.getByRole('button', { name: 'Buy for 0.0005 BTC' })
  await ticket.getByText('You pay').waitFor()
  expect(await accept.isEnabled()).toBe(true)
  await feeRate(20)
  await ticket.getByText(/The total went from/).waitFor()
  expect(await accept.isDisabled()).toBe(true)
  assertUnsigned(visitor)
  await ticket.getByRole('button', { name: 'Accept the new total' }).click()
  await accept.click()
  expect(await visitor.confirm()).not.toContain('The total went from')
  await visitor.told(/Bought in/)
  visitor.assertQuiet()
  await visitor.close()
})

it('rejects a network fee above the bill', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const visitor = await at.enter(buyer)
  const { page } = visitor
  await page.route('**/purchases/quote', async (route) => {
    const response = await route.fetch()
    const quote = await response.json()
    for (const row of quote.bill) if (row.kind === 'networkFee') row.sats -= 1
    await route.fulfill({ response, json: { ...quote, totalSats: quote.totalSats - 1 } })
  })
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByText('You pay').first().waitFor()
  await page.getByRole('button', { name: 'Buy now' }).first().click()
  await visitor.told(/The network fee rose from 0\.\d+ BTC to 0\.\d+ BTC\. Nothing was signed\./)
  assertUnsigned(visitor)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.reload()
  await page.getByRole('button', { name: 'Buy now' }).first().click()
  await visitor.confirm()
  await visitor.told(/Bought in/)
  await visitor.close()
})

it('stops accepting a swap whose cost rose', async () => {
  const { market, seller, buyer } = at
  const mine = await market.collection(seller.wallet, 1)
  const theirs = await market.collection(buyer.wallet, 1)
  const proposer = await traderAtStorefront(market.server.url, seller.wallet)
  const wanted = { collectionSlug: theirs.slug, quantity: 1, target: ALL }
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: mine.ids,
      offeredBtcSats: 0,
      wantedLegs: [wanted],
      requestedBtcSats: 30_000,
    },
    [],
  )
  const visitor = await at.enter(buyer, `/trades/${proposal.id}`)
  const { page } = visitor
  await page.getByLabel(`Choose ${theirs.slug} #0`).check()
  const accept = page.getByRole('button', { name: 'Accept trade' })
  await page.getByText('You pay').waitFor()
  expect(await accept.isEnabled()).toBe(true)
  await feeRate(20)
  await page.getByText(/The total went from/).waitFor()
  expect(await accept.isDisabled()).toBe(true)
  assertUnsigned(visitor)
  await page.getByRole('button', { name: 'Accept the new total' }).click()
  await accept.click()
  expect(await visitor.confirm()).not.toContain('The total went from')
  await visitor.told(/completes when the proposer signs/)
  visitor.assertQuiet()
  await visitor.close()
})

it('marks a look-alike of a verified name', async () => {
  const { market, seller, buyer } = at
  const real = await market.collection(seller.wallet, 1)
  const fake = await market.collection(seller.wallet, 1)
  await listAll(market, seller, fake.slug, fake.ids, 20_000)
  await market.sql`update collections set name = 'Harbour Lamps', verification_status = 'verified' where slug = ${real.slug}`
  await market.sql`update collections set name = 'Наrbour Lаmps' where slug = ${fake.slug}`
  await until('the market to show the names', async () => {
    const answer = await fetch(`${market.server.url}/web/v1/collections`)
    return (await answer.text()).includes(`"sameNameAs":{"slug":"${real.slug}"`)
  })
  const visitor = await at.enter(buyer)
  const { page } = visitor
  const row = page.getByRole('rowheader').filter({ hasText: 'Наrbour Lаmps' })
  await row.getByText('Not the verified collection').waitFor()
  expect(await page.getByRole('rowheader').filter({ hasText: 'Not the verified collection' }).count()).toBe(1)
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: /^Search/ }).fill('Наrbour')
  await page.getByRole('option').getByText('Not the verified collection').waitFor()
  await visitor.go(`/inscription/${fake.ids[0]}`)
  await page.getByText('Not the verified Harbour Lamps.').waitFor()
  await page.getByRole('button', { name: 'Buy now' }).click()
  await page.getByRole('button', { name: 'Continue with the unverified collection' }).waitFor()
  assertUnsigned(visitor)
  await visitor.go(`/collection/${fake.slug}`)
  await page.getByText('Not the verified Harbour Lamps.').waitFor()
  await page.getByRole('link', { name: 'See the verified collection' }).click()
  await page.waitForURL(`**/collection/${real.slug}`)
  await page.getByRole('heading', { name: 'Harbour Lamps' }).waitFor()
  expect(await page.getByText('Not the verified').count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('brackets offers that share a coin', async () => {
  const { market, seller, buyer } = at
  const { slug } = await market.collection(seller.wallet, 1)
  const [coin] = (await coinsOf(market, buyer)).toSorted((a, b) => b.valueSats - a.valueSats)
  await bid(buyer, slug, {
    target: ALL,
    priceSats: 60_000,
    offerCount: 3,
    ladderStepSats: 5000,
    coins: [coin!],
  })
  const visitor = await at.enter(buyer, `/collection/${slug}?tab=offers`)
  const { page } = visitor
  await page.getByText('Only 1 of these 3 can be filled').waitFor()
  const own = page.getByText('yours', { exact: true })
  await own.nth(2).waitFor()
  expect(await own.count()).toBe(3)
  visitor.assertQuiet()
  await visitor.close()
})
