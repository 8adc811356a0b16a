import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { expect, it } from 'vitest'
import { sampled } from '../../../e2e/support/effort.ts'
import { listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { setUpBrowser, type Visitor } from '../support/browser.ts'
import { fillListing, openBatch, priceBatch, signedIn } from '../support/clicks.ts'
import type { WalletKind } from '../support/wallets.ts'

/** Counts wallet windows. Also tests wallets that hang, switch accounts or lose the connection. */
const market = setUpMarket({ ANCHOR_POOL: '160' })
const browser = setUpBrowser()
const seller = setUpTrader(market)

/** Signs in and opens the page of a new inscription of the seller. */
async function atOwn(trader = seller): Promise<Visitor> {
  const { ids } = await market.collection(seller.wallet, 1)
  const visitor = await signedIn(browser, market.server.url, trader)
  await visitor.go(`/inscription/${ids[0]}`)
  return visitor
}

async function list(visitor: Visitor): Promise<void> {
  await fillListing(visitor, '0.0012')
  await visitor.confirm()
}

it('repeats a request to an unresponsive wallet', async () => {
  const visitor = await atOwn()
  const { page } = visitor
  await page.evaluate(`{
    const provider = window.XverseProviders.BitcoinProvider
    const sign = provider.signMultipleTransactions
    provider.signMultipleTransactions = (token) => {
      provider.signMultipleTransactions = sign
      return new Promise((resolve) => { window.answerLate = () => resolve([]) })
    }
  }`)
  await page.clock.install()
  await list(visitor)
  await page.waitForFunction('window.answerLate')
  await page.clock.fastForward('01:30')
  const waiting = page.getByRole('dialog', { name: 'Xverse has not responded' })
  await waiting.getByRole('button', { name: 'Try again' }).click()
  await visitor.told(/Listed for/)
  await page.evaluate('window.answerLate()')
  await page.getByRole('button', { name: 'Delist' }).click()
  await visitor.told(/no longer for sale/)
  expect(await waiting.count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('stops waiting when the visitor cancels', async () => {
  const visitor = await atOwn()
  const { page } = visitor
  await page.evaluate(
    'window.XverseProviders.BitcoinProvider.signMultipleTransactions = () => { window.isAsked = true; return new Promise(() => {}) }',
  )
  await page.clock.install()
  await list(visitor)
  await page.waitForFunction('window.isAsked')
  await page.clock.fastForward('01:30')
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await visitor.told(/Failed:.*Xverse did not respond/)
  await page.getByRole('button', { name: 'List for sale' }).waitFor()
  await visitor.close()
})

it('requests accounts again after a wallet declines', async () => {
  const other = await market.trader()
  const now = { wallet: seller.wallet }
  const switching = new Proxy(seller.wallet, {
    get(_, member) {
      const value: unknown = Reflect.get(now.wallet, member)
      return typeof value === 'function' ? value.bind(now.wallet) : value
    },
  }) as LocalWallet
  const visitor = await atOwn({ ...seller, wallet: switching })
  await visitor.page.reload()
  visitor.asked.length = 0
  now.wallet = other.wallet
  await list(visitor)
  await visitor.told(/Failed:.*is not an address of this wallet/)
  expect(visitor.asked).toEqual(['signMultipleTransactions'])
  await fillListing(visitor, '0.0012')
  await visitor.told(/Failed:.*switched to another account.*Sign in again/)
  expect(visitor.asked).toEqual(['signMultipleTransactions', 'getAccounts'])
  now.wallet = seller.wallet
  await list(visitor)
  await visitor.told(/Listed for/)
  await visitor.close()
})

it('reconnects a wallet that requires it', async () => {
  const visitor = await atOwn()
  const { page } = visitor
  await page.reload()
  visitor.asked.length = 0
  await page.evaluate(`{
    const provider = window.XverseProviders.BitcoinProvider
    const { request, signMultipleTransactions } = provider
    let isConnected = false
    provider.request = (method, params) => {
      isConnected ||= method === 'getAccounts'
      return request(method, params)
    }
    provider.signMultipleTransactions = (token) =>
      isConnected ? signMultipleTransactions(token) : Promise.reject({ code: -32002, message: 'Access denied.' })
  }`)
  await list(visitor)
  await visitor.told(/Listed for/)
  expect(visitor.asked).toEqual(['getAccounts', 'signMultipleTransactions'])
  visitor.assertQuiet()
  await visitor.close()
})

interface Scene {
  visitor: Visitor
  slug: string
}

const FLOWS: Record<string, (scene: Scene) => Promise<void>> = {
  'list 1': listFromWallet(0, 1),
  'list 5': listFromWallet(1, 5),
  'list 20': listFromWallet(6, 20),
  'buy 5': async ({ visitor }) => {
    const { page } = visitor
    const { slug, ids } = await market.collection(seller.wallet, 5)
    await listAll(market, seller, slug, ids, 20_000)
    await visitor.go(`/collection/${slug}`)
    await page.getByLabel('Sweep').fill('5')
    await page.getByRole('button', { name: 'Add the cheapest' }).click()
    const cart = page.getByRole('dialog', { name: 'Cart' })
    await cart.getByText('5 items', { exact: true }).waitFor()
    await cart.getByRole('button', { name: 'Review and buy' }).click()
    await visitor.confirm()
    await visitor.told(/Bought in/)
  },
  'bid ladder of 10': async ({ visitor }) => {
    const { page } = visitor
    const { slug } = await market.collection(seller.wallet, 1)
    await visitor.go(`/collection/${slug}?tab=offers`)
    await page.getByLabel('Number of offers').selectOption('10')
    await page.getByLabel('Step between offers').selectOption('10000')
    await page.getByLabel('Price in BTC').fill('0.0015')
    await page.getByRole('button', { name: 'Review offer', exact: true }).click()
    expect(await visitor.confirm()).toContain('You make 10 offers from 0.0015 BTC down to 0.0006 BTC')
    await visitor.told(/10 offers placed/)
  },
}

/** Lists items of a collection from the wallet page, up to the review. */
async function choose(visitor: Visitor, slug: string, first: number, count: number): Promise<void> {
  await visitor.go('/wallet')
  const names = Array.from({ length: count }, (_, n) => `${slug} #${first + n}`)
  await openBatch(visitor, names)
  await priceBatch(visitor, names, '0.0025')
}

function listFromWallet(first: number, count: number) {
  return async ({ visitor, slug }: Scene) => {
    await choose(visitor, slug, first, count)
    expect(await visitor.confirm()).toContain(`${count + 2} transactions to sign`)
    await visitor.told(/Listed/)
  }
}

/** Takes longer than all others. */
const LEFT_OUT = sampled<string | null>(null, null, 'list 20')

const SIGNING = /^sign/

/** A wallet that signs several PSBTs in one window, and one that shows them one by one, with the number of windows per flow. */
const WALLETS: readonly (readonly [WalletKind, string, Record<string, number>])[] = [
  ['xverse', 'Xverse', { 'list 1': 1, 'list 5': 1, 'list 20': 1, 'buy 5': 1, 'bid ladder of 10': 1 }],
  ['leather', 'Leather', { 'list 1': 3, 'list 5': 7, 'list 20': 22, 'buy 5': 1, 'bid ladder of 10': 10 }],
]

it.each(WALLETS)('opens the expected windows in %s', async (kind, name, windows) => {
  const trader = await market.trader()
  const mine = await market.collection(trader.wallet, 26)
  await market.anchors(62)
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet, kind })
  await visitor.go('/')
  await visitor.signIn(name)
  for (const [flow, run] of Object.entries(FLOWS)) {
    if (flow === LEFT_OUT) continue
    visitor.asked.length = 0
    await run({ visitor, slug: mine.slug })
    // Only signing calls: a reloaded page does not request accounts.
    expect(visitor.asked.filter((method) => !SIGNING.test(method))).toEqual([])
    expect(visitor.asked.length, flow).toBe(windows[flow])
  }
  visitor.assertQuiet()
  await visitor.close()
})

it('lists more than twenty items in one review', async () => {
  const { slug } = await market.collection(seller.wallet, 22)
  await market.anchors(44)
  const visitor = await signedIn(browser, market.server.url, seller)
  let submitted = 0
  await visitor.page.route('**/listings/submit', async (route) => {
    if (++submitted === 1) return route.continue()
    await route.fulfill({
      status: 409,
      json: { error: 'The index moved on. Read again.', code: 'preflight-gone' },
    })
  })
  visitor.asked.length = 0
  await choose(visitor, slug, 0, 22)
  expect(await visitor.confirm()).toContain('Review 22 listings')
  await visitor.told(
    /Failed:.*20 of 22 items were listed. The others failed: The market rejected the request \(preflight-gone\)/,
  )
  expect(visitor.asked).toEqual(['signMultipleTransactions'])
  const { listings } = await seller.client.call('listListings', {
    query: { collectionSlug: slug, limit: 100 },
  })
  expect(listings).toHaveLength(20)
  await visitor.close()
})
