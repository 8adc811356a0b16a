import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { bid, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import { setUpBrowser, type Visitor } from '../support/browser.ts'

const market = setUpMarket()
const browser = setUpBrowser()
beforeAll(() => feeRate(1))

const ALL = { kind: 'all' } as const

/** Sets the market's minimum fee rate in sat/vB, and disables the node's estimates. */
function feeRate(satVb: number): void {
  const { config } = market.server.context
  config.feeRateMinSatVb = satVb
  config.feeRateMaxSatVb = satVb
}

async function signedIn(trader: TestTrader, path: string): Promise<Visitor> {
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet })
  await visitor.go(path)
  await visitor.signIn()
  return visitor
}

/** Waits until all live bids, or none of them, are executable. */
const untilExecutable = (expected: boolean) =>
  until(`bids to be ${expected ? '' : 'un'}executable`, async () => {
    const rows = await market.sql`
      select 1 from offers where state = 'active' and kind = 'buyer_offer' and executable <> ${expected}
      union all select 1 from collection_offers where state = 'active' and executable <> ${expected}`
    return rows.length === 0
  })

it('sells into the bid with the highest net', async () => {
  const [owner, maker] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  // The seller of a collection offer pays the fill fee and the network fee. An offer on the inscription costs less.
  await bid(maker, slug, { target: ALL, priceSats: 50_000, coins: await coinsOf(market, maker) })
  await offer(maker, slug, await offering(market, maker, [id], 49_000))
  const visitor = await signedIn(owner, `/inscription/${id}`)
  const { page } = visitor
  const trade = page.getByRole('region', { name: 'Trade' })
  // The offer with the higher payout leads the panel, so it is not repeated below.
  await trade.getByRole('button', { name: 'Accept', exact: true }).click()
  expect(await trade.getByRole('button', { name: /^Sell now/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Sell for 0.00049 BTC' }).click()
  await visitor.confirm()
  await visitor.told(/Sold in [0-9a-f]{64}/)
  await market.mine()
  const out = await market.server.context.node.txOut(await market.coinOf(id))
  expect(equalBytes(out!.script, maker.wallet.ordinalsScript)).toBe(true)
  visitor.assertQuiet()
  await visitor.close()
})

it('hides a bid below the network fee', async () => {
  const [owner, maker] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await bid(maker, slug, { target: ALL, priceSats: 10_000, coins: await coinsOf(market, maker) })
  await offer(maker, slug, await offering(market, maker, [id], 2000))
  const seller = await signedIn(owner, `/inscription/${id}`)
  await seller.page.getByRole('button', { name: /^Sell now for/ }).waitFor()
  await seller.page.getByRole('button', { name: 'Accept', exact: true }).waitFor()
  feeRate(100)
  await untilExecutable(false)

  await seller.go(`/inscription/${id}`)
  await seller.page.getByText('You cannot accept this offer now').waitFor()
  await seller.page.getByRole('button', { name: 'Decline', exact: true }).waitFor()
  await seller.page.getByRole('button', { name: 'Counter', exact: true }).waitFor()
  expect(await seller.page.getByRole('button', { name: 'Accept', exact: true }).count()).toBe(0)
  expect(await seller.page.getByRole('button', { name: /^Sell now/ }).count()).toBe(0)
  await seller.go('/wallet?tab=received')
  await seller.page.getByText('You cannot accept this offer now').waitFor()
  await seller.go(`/collection/${slug}?tab=offers`)
  await seller.page.getByText('Inactive at the current network fee').waitFor()
  expect(await seller.page.getByRole('button', { name: 'Sell now' }).count()).toBe(0)

  const bidder = await signedIn(maker, `/inscription/${id}`)
  for (const path of [
    `/inscription/${id}?tab=offers`,
    `/collection/${slug}?tab=offers`,
    '/wallet?tab=sent',
  ]) {
    await bidder.go(path)
    await bidder.page.getByText('Your offer is inactive').waitFor()
  }

  feeRate(1)
  await untilExecutable(true)
  await seller.go(`/collection/${slug}?tab=offers`)
  await seller.page.getByRole('button', { name: 'Sell now' }).waitFor()
  await seller.go(`/inscription/${id}`)
  await seller.page.getByRole('button', { name: 'Sell now for 0.0001 BTC' }).waitFor()
  for (const visitor of [seller, bidder]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('turns off collection offers for an inscription', async () => {
  const [owner, maker] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await bid(maker, slug, { target: ALL, priceSats: 60_000, coins: await coinsOf(market, maker) })
  const stranger = await signedIn(maker, `/inscription/${id}?tab=offers`)
  await stranger.page.getByRole('tabpanel', { name: 'Offers' }).waitFor()
  expect(await stranger.page.getByRole('button', { name: 'Turn off collection offers' }).count()).toBe(0)
  await stranger.close()

  const visitor = await signedIn(owner, `/inscription/${id}?tab=offers`)
  const { page } = visitor
  const list = async () => {
    await page.getByRole('button', { name: 'List for sale' }).click()
    await page.getByLabel('Price in BTC').fill('0.0003')
    await page.getByRole('button', { name: /^List for \d/ }).click()
  }
  await page.getByRole('button', { name: 'Sell now for 0.0006 BTC' }).waitFor()
  await page.getByRole('button', { name: 'List for sale' }).click()
  await page.getByLabel('Price in BTC').fill('0.0003')
  await page.getByText('An offer pays you more.').waitFor()
  expect(await page.getByRole('button', { name: /^List for \d/ }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Turn off collection offers' }).click()
  await visitor.told(/are off while you hold it/)
  await page.getByText('Collection and trait offers are off for this item').waitFor()
  await page.getByRole('button', { name: /^Sell now/ }).waitFor({ state: 'detached' })
  await list()
  await visitor.confirm()
  await visitor.told(/Listed for/)
  await page.getByRole('button', { name: 'Turn on collection offers' }).click()
  await visitor.told(/are on again/)
  await page.getByRole('button', { name: 'Sell now for 0.0006 BTC' }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('lists all eligible items of a bid', async () => {
  const [owner, maker] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(owner.wallet, 103)
  await bid(maker, slug, { target: ALL, priceSats: 50_000, coins: await coinsOf(market, maker) })
  const visitor = await signedIn(owner, `/collection/${slug}`)
  const { page } = visitor
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: /^Sell now for 0\.0005/ }).click()
  const sheet = page.getByRole('dialog', { name: 'Sell now' })
  const rows = (count: number) =>
    expect.poll(() => sheet.getByRole('listitem').count(), { timeout: 20_000 }).toBe(count)
  await rows(100)
  await sheet.getByRole('button', { name: 'Show more' }).click()
  await rows(ids.length)
  await sheet.getByRole('button', { name: `Sell ${slug} #0`, exact: true }).click()
  await page.getByRole('button', { name: 'Sell for 0.0005 BTC' }).click()
  await visitor.confirm()
  await visitor.told(/Sold in/)
  await market.mine()
  const out = await market.server.context.node.txOut(await market.coinOf(ids[0]!))
  expect(equalBytes(out!.script, maker.wallet.ordinalsScript)).toBe(true)
  visitor.assertQuiet()
  await visitor.close()
})

it('asks before a typed amount counts in another unit', async () => {
  const [owner, maker, other] = [await market.trader(), await market.trader(), await market.trader()]
  const { slug } = await market.collection(owner.wallet, 1)
  await bid(other, slug, { target: ALL, priceSats: 50_000, coins: await coinsOf(market, other) })
  const visitor = await signedIn(maker, `/collection/${slug}?tab=offers`)
  const { page } = visitor
  const field = (unit: string) => page.getByLabel(`Price in ${unit}`, { exact: true })
  const chooseUnit = (unit: string) => page.getByLabel('Unit of price').selectOption(unit)
  const review = page.getByRole('button', { name: 'Review offer', exact: true })
  await field('BTC').fill('150000')
  await chooseUnit('sats')
  expect(await field('sats').inputValue()).toBe('150000')
  await page.getByText('This is now 0.0015 BTC (150,000 sats).').waitFor()
  visitor.asked.length = 0
  await review.click()
  await page.getByRole('button', { name: 'Use 0.0015 BTC' }).click()
  await page.getByText('Most you pay').waitFor()
  expect(visitor.asked).toEqual([])

  // A choice names the effective difference after rounding. An amount that was filled in is converted.
  await page.getByRole('button', { name: /^Top offer \+10\.0%/ }).click()
  expect(await field('sats').inputValue()).toBe('55000')
  await chooseUnit('btc')
  expect(await field('BTC').inputValue()).toBe('0.00055')

  // The field is emptied by the placed offer, and is no error before it is edited and left.
  await review.click()
  await visitor.confirm()
  await visitor.told(/Offer placed/)
  const isInvalid = () => field('BTC').getAttribute('aria-invalid')
  await expect.poll(() => field('BTC').inputValue()).toBe('')
  expect(await isInvalid()).toBe('false')
  await field('BTC').fill('0.001')
  await field('BTC').fill('')
  expect(await isInvalid()).toBe('false')
  await field('BTC').blur()
  await page.getByText('Type an amount, such as 0.0015.').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
