import { startServer } from '@ordbook/app/server.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
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
  await page.getByRole('region', { name: 'Trade' }).getByText(LEFT).waitFor()

  await buy(visitor)
  await visitor.confirm()
  await progress.getByText('In the mempool, done').waitFor()
  const link = progress.getByRole('link', { name: 'Transaction' })
  const txid = (await link.getAttribute('href'))!.replace(`${EXPLORER}/tx/`, '')
  expect(await at.market.regtest.call('getrawmempool')).toContain(txid)
  await page.reload()
  await progress.getByText('In the mempool, done').waitFor()
  await visitor.go('/activity')
  await page.getByRole('button', { name: '1 in progress' }).click()
  const list = page.getByRole('dialog', { name: 'In progress' })
  await list.getByText('in the mempool').waitFor()
  await list.getByRole('link', { name: `Buy ${name}` }).click()
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
  const colour = () => page.evaluate(`getComputedStyle(document.querySelector('main .text-price-xl')).color`)
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

it('a confirmed purchase leaves every page, a failed action stays until it is dismissed', async () => {
  const { id, name } = await listed()
  const other = await listed()
  const visitor = await at.enter(at.buyer, `/inscription/${id}`)
  const { page } = visitor
  await page.evaluate(`localStorage.removeItem('messages')`)
  await buy(visitor)
  await visitor.confirm()
  await progressIn(visitor).getByText('In the mempool, done').waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Activity', exact: true }).click()
  const chip = page.locator('[data-progress]')
  await chip.getByText('1 in progress').waitFor()
  // In the header: nothing floats over the page.
  const floats = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('[data-progress]').parentElement).position`,
  )
  expect(floats).toBe('static')
  await at.market.mine()
  await chip.getByText(`${name} is yours.`).waitFor()
  await chip.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  expect(await progressIn(visitor).count()).toBe(0)

  await visitor.go(`/collection/${other.slug}`)
  await page.evaluate(`localStorage.removeItem('messages')`)
  await page.evaluate(`{
    const provider = window.XverseProviders.BitcoinProvider
    const { request } = provider
    provider.request = (method, params) =>
      method === 'signPsbt' ? Promise.reject(new Error('The wallet is broken')) : request.call(provider, method, params)
  }`)
  await page
    .getByRole('link', { name: new RegExp(other.name) })
    .first()
    .hover()
  await page.getByRole('button', { name: new RegExp(`^Buy [\\d.]+: ${other.name}$`) }).click()
  await visitor.confirm()
  await chip.getByText('Failed:').waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Activity', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  // Longer than a done action stays.
  await page.waitForTimeout(9000)
  await chip.click()
  const list = page.getByRole('dialog', { name: 'In progress' })
  await list.getByText('The wallet is broken').waitFor()
  expect(await violations(visitor)).toEqual([])
  await list.getByRole('button', { name: /^Dismiss/ }).click()
  await chip.waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})

it('is a strip above the bottom bar on a phone, except on the page of the item', async () => {
  const { id } = await listed()
  const visitor = await at.visit(at.buyer, { context: { viewport: { width: 390, height: 844 } } })
  const { page } = visitor
  await visitor.go(`/inscription/${id}`)
  await visitor.signIn()
  await buy(visitor)
  await page.getByRole('dialog').getByRole('button', { name: 'Buy now' }).click()
  await visitor.confirm()
  await progressIn(visitor).getByText('In the mempool, done').waitFor()
  const strip = page.locator('[data-progress]')
  expect(await strip.isVisible()).toBe(false)
  await visitor.go('/activity')
  await strip.getByText('1 in progress').waitFor()
  const [above, below] = [
    await page.locator('[data-progress-strip]').boundingBox(),
    await page.locator('[data-page-bar]').boundingBox(),
  ]
  expect(above!.height).toBe(44)
  expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y + 1)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  visitor.assertQuiet()
  await visitor.close()
})

it('cancelling shows a neutral line and moves no button', async () => {
  const { id, name } = await listed()
  const visitor = await at.enter(at.buyer, `/inscription/${id}`)
  const { page } = visitor
  const cancelled = page.locator('[data-tone]')
  const cancel = async () => {
    const review = page.getByRole('dialog', { name: /^Review/ })
    await review.getByRole('button', { name: 'Cancel' }).click()
    await review.waitFor({ state: 'detached' })
    await cancelled.getByText('Cancelled. Nothing was signed.').waitFor()
    expect(await cancelled.count()).toBe(1)
    expect(await cancelled.getAttribute('data-tone')).toBe('note')
    expect(Math.round((await cancelled.boundingBox())!.height)).toBe(44)
    expect(await page.getByRole('alert').count()).toBe(0)
  }
  const button = page.locator('button:enabled', { hasText: 'Buy now' })
  await button.waitFor()
  await page.locator('[aria-label="Bill"][aria-busy="false"]').waitFor()
  const before = await button.boundingBox()
  await button.click()
  await cancel()
  expect(await button.boundingBox()).toEqual(before)
  await visitor.told(/Cancelled/)

  await page.getByRole('button', { name: 'Make offer' }).click()
  const sheet = page.getByRole('dialog', { name: `Offer for ${name}` })
  await sheet.getByLabel('Your offer in BTC').fill('0.0001')
  await sheet.locator('[aria-label="Bill"][aria-busy="false"]').waitFor()
  const send = sheet.getByRole('button', { name: 'Review offer' })
  await send.click()
  await cancel()
  expect(await sheet.getByLabel('Your offer in BTC').inputValue()).toBe('0.0001')
  visitor.assertQuiet()
  await visitor.close()
})
