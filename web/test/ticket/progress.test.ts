import { startServer } from '@ordbook/app/server.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { breakable } from '../support/breakable.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const EXPLORER = 'https://explorer.example'
const at = marketInBrowser({ env: { EXPLORER_URL: `${EXPLORER}/` } })

async function listed() {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 1)
  await listAll(at.market, at.seller, slug, ids, 20_000)
  return { slug, id: ids[0]!, name: `${slug} #0` }
}

const progressIn = ({ page }: Visitor) => page.getByRole('region', { name: 'Progress' })
const buy = ({ page }: Visitor) => page.getByRole('button', { name: 'Buy now' }).click()
/** Error text after a reload during a wallet request. */
const LEFT = 'You left the page before your wallet signed. Nothing was sent.'

it('shows the progress of a purchase across reloads', async () => {
  const { id, name } = await listed()
  const visitor = await at.enter(at.buyer, `/inscription/${id}`)
  const { page } = visitor
  const progress = progressIn(visitor)
  await buy(visitor)
  const review = page.getByRole('dialog', { name: 'Review your purchase' })
  await review.getByRole('listitem').filter({ hasText: 'Sign in Xverse' }).waitFor()
  await review.getByRole('button', { name: 'Cancel' }).click()
  await progress.getByText('Cancelled. Nothing was signed.').waitFor()
  await visitor.told(/Cancelled\. Nothing was signed\./)

  // The wallet never responds, and the visitor does not wait.
  await page.evaluate(`{
    const provider = window.XverseProviders.BitcoinProvider
    const { request } = provider
    provider.request = (method, params) => {
      if (method !== 'signPsbt') return request.call(provider, method, params)
      window.isAsked = true
      return new Promise(() => {})
    }
  }`)
  await buy(visitor)
  await visitor.confirm()
  await page.waitForFunction('window.isAsked')
  await progress.getByText('Sign in Xverse, now').waitFor()
  await page.reload()
  await progress.getByText(LEFT).waitFor()

  await buy(visitor)
  await visitor.confirm()
  await progress.getByText('In the mempool, done').waitFor()
  const link = progress.getByRole('link', { name: 'Transaction' })
  const txid = (await link.getAttribute('href'))!.replace(`${EXPLORER}/tx/`, '')
  expect(await at.market.regtest.call('getrawmempool')).toContain(txid)
  await page.reload()
  await progress.getByText('In the mempool, done').waitFor()
  await visitor.go('/activity')
  await page.getByText(`Buy ${name}: in the mempool`).waitFor()
  await page.getByRole('link', { name: `Buy ${name}` }).click()
  await at.market.mine()
  const height: number = await at.market.regtest.call('getblockcount')
  await progress.getByText(`Confirmed in block ${height.toLocaleString('en')}, done`).waitFor()
  await progress.getByText(`${name} is yours.`).waitFor()
  await progress.getByRole('link', { name: 'Receipt' }).click()
  await page.getByRole('heading', { name: `Receipt: ${name} for 0.0002 BTC`, level: 1 }).waitFor()
  await page.reload()
  await page.getByText(`Confirmed in block ${height.toLocaleString('en')}, done`).waitFor()
  await page.getByRole('link', { name, exact: true }).click()
  await progress.getByRole('button', { name: 'Done' }).click()
  await progress.waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})

it('resends a purchase after a lost response', async () => {
  const { id } = await listed()
  const visitor = await at.enter(at.buyer, `/inscription/${id}`)
  let submits = 0
  await visitor.page.route('**/purchases/submit', async (route) => {
    if (++submits > 1) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await buy(visitor)
  await visitor.confirm()
  await progressIn(visitor).getByText('In the mempool, done').waitFor()
  expect(submits).toBe(2)
  const settled = await at.market.sql`select 1 from settlements where ${id} = any(inscription_ids)`
  expect(settled).toHaveLength(1)
  await visitor.close()
})

it('follows a purchase across a market restart', async () => {
  const { id, name } = await listed()
  const visitor = await at.enter(at.buyer, `/inscription/${id}`)
  const { page } = visitor
  const progress = progressIn(visitor)
  await buy(visitor)
  await visitor.confirm()
  await progress.getByText('In the mempool, done').waitFor()
  await page.evaluate('window.isSamePage = true')

  const { port } = new URL(at.market.server.url)
  const { config } = at.market.server.context
  await at.market.server.close()
  await page.getByText(/^Not connected\. .*Trading paused\.$/).waitFor({ timeout: 30_000 })
  await progress.getByText('In the mempool, done').waitFor()
  at.market.server = await startServer({ ...config, port: Number(port) } as Parameters<typeof startServer>[0])

  await at.market.mine()
  const height: number = await at.market.regtest.call('getblockcount')
  await progress
    .getByText(`Confirmed in block ${height.toLocaleString('en')}, done`)
    .waitFor({ timeout: 60_000 })
  await progress.getByText(`${name} is yours.`).waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  await visitor.close()
})

it('pauses trading while the market is down', async () => {
  const { id } = await listed()
  const line = await breakable(at.market.server.url)
  const visitor = await at.browser.visitor(line.url)
  const { page } = visitor
  await visitor.go(`/inscription/${id}`)
  const state = page.locator('footer').getByRole('link').first()
  const colour = () => page.evaluate(`getComputedStyle(document.querySelector('main .tabular')).color`)
  await state.getByText('Live').waitFor()
  await page.locator('button:enabled', { hasText: 'Buy now' }).waitFor()
  const before = await colour()
  await line.cut()
  await page
    .getByText(/^Not connected\. Last update \d+ s ago\. Trading paused\.$/)
    .waitFor({ timeout: 30_000 })
  await state.getByText('Not connected.').waitFor()
  expect(await state.textContent()).not.toMatch(/live|open/i)
  await page.locator('button:disabled', { hasText: 'Buy now' }).waitFor()
  expect(await colour()).not.toBe(before)
  await line.mend()
  await state.getByText('Live').waitFor({ timeout: 60_000 })
  await page.locator('button:enabled', { hasText: 'Buy now' }).waitFor()
  await visitor.close()
  await line.cut()
})
