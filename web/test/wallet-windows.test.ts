import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startMarket, type TestMarket, type TestTrader } from '../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './support/browser.ts'
import { fillListing, signedIn } from './support/clicks.ts'

/** Wallets that do not answer, are on another account, or have forgotten the page. */
let market: TestMarket
let browser: Awaited<ReturnType<typeof startBrowser>>
let seller: TestTrader
beforeAll(async () => {
  market = await startMarket()
  browser = await startBrowser()
  seller = await market.trader()
})
afterAll(async () => {
  await browser?.close()
  await market?.stop()
})

/** The page of a fresh inscription of the seller, signed in. */
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

it('offers to ask a wallet again that does not answer, and ignores what it answers later', async () => {
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
  const waiting = page.getByRole('dialog', { name: 'Xverse has not answered' })
  await waiting.getByRole('button', { name: 'Ask again' }).click()
  await visitor.told(/Listed for/)
  await page.evaluate('window.answerLate()')
  await page.getByRole('button', { name: 'Delist' }).click()
  await visitor.told(/no longer for sale/)
  expect(await waiting.count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('stops to wait where the visitor wants it, and nothing is listed', async () => {
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
  await visitor.told(/Not done:.*Xverse did not answer/)
  await page.getByRole('button', { name: 'List for sale' }).waitFor()
  await visitor.close()
})

it('asks for no accounts after a reload, except of a wallet that refuses: it is on another account', async () => {
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
  await visitor.told(/Not done:.*is not an address of this wallet/)
  expect(visitor.asked).toEqual(['signMultipleTransactions'])
  await fillListing(visitor, '0.0012')
  await visitor.told(/Not done:.*on another account now.*sign in again/)
  expect(visitor.asked).toEqual(['signMultipleTransactions', 'getAccounts'])
  now.wallet = seller.wallet
  await list(visitor)
  await visitor.told(/Listed for/)
  await visitor.close()
})

it('connects a wallet again that answers no page before it has', async () => {
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
