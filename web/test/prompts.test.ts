import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAll, startMarket, type TestMarket, type TestTrader } from '../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './support/browser.ts'
import type { WalletKind } from './support/wallets.ts'

/** Counts the windows that wallets open in each flow: one where a wallet takes several PSBTs at once. docs has the table. */
let market: TestMarket
let browser: Awaited<ReturnType<typeof startBrowser>>
let seller: TestTrader
beforeAll(async () => {
  market = await startMarket({ ANCHOR_POOL: '160' })
  browser = await startBrowser()
  seller = await market.trader()
})
afterAll(async () => {
  await browser?.close()
  await market?.stop()
})

/** A wallet that signs several PSBTs at once, and one that shows one after the other. */
const WALLETS: readonly (readonly [WalletKind, string, column: number])[] = [
  ['xverse', 'Xverse', 1],
  ['leather', 'Leather', 2],
]

interface Scene {
  visitor: Visitor
  /** A collection of 26 that the visitor holds. */
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
    await cart.getByText('5 inscriptions, before fees').waitFor()
    await cart.getByRole('button', { name: 'Buy', exact: true }).click()
    await visitor.confirm()
    await visitor.told(/Bought in/)
  },
  'bid ladder of 10': async ({ visitor }) => {
    const { page } = visitor
    const { slug } = await market.collection(seller.wallet, 1)
    await visitor.go(`/collection/${slug}?tab=offers`)
    await page.getByLabel('Offers at once').selectOption('10')
    await page.getByLabel('Each lower by').selectOption('10000')
    await page.getByLabel('Price in BTC').fill('0.0015')
    await page.getByRole('button', { name: 'Make the offer', exact: true }).click()
    expect(await visitor.confirm()).toContain('You make 10 offers from 0.0015 BTC down to 0.0006 BTC')
    await visitor.told(/10 offers placed/)
  },
}

function listFromWallet(first: number, count: number) {
  return async ({ visitor, slug }: Scene) => {
    const { page } = visitor
    await visitor.go('/wallet')
    for (let n = first; n < first + count; n++)
      await page.getByLabel(`Choose ${slug} #${n}`, { exact: true }).check()
    await page.getByRole('button', { name: `List ${count} of ${slug}` }).click()
    const price = count === 1 ? 'Price in BTC' : 'One price for all, in BTC'
    await page.getByLabel(price).fill('0.0025')
    await page.getByRole('button', { name: count === 1 ? 'List it' : `List all ${count}` }).click()
    await visitor.confirm()
    await visitor.told(/Listed/)
  }
}

const SIGNING = /^sign/

it.each(WALLETS)('%s opens as many windows as the documentation says', async (kind, name, column) => {
  const trader = await market.trader()
  const mine = await market.collection(trader.wallet, 26)
  await market.anchors(62)
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet, kind })
  await visitor.go('/')
  await visitor.signIn(name)
  for (const [flow, run] of Object.entries(FLOWS)) {
    visitor.asked.length = 0
    await run({ visitor, slug: mine.slug })
    // No call but those that sign: a page that was loaded again asks for no accounts.
    expect(visitor.asked.filter((method) => !SIGNING.test(method))).toEqual([])
    expect(documented(flow)[column], flow).toBe(String(visitor.asked.length))
  }
  visitor.assertQuiet()
  await visitor.close()
})

/** The cells of a row of the table in the documentation. */
function documented(flow: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/concepts/storefront.md'), 'utf8')
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return rows.find(([first]) => first === flow) ?? []
}
