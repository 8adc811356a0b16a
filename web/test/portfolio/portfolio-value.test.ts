import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('shows the estimated value, its change and its course', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 3)
  const unlisted = await market.collection(owner.wallet, 2)
  await listAll(market, owner, slug, ids.slice(0, 1), 300_000)
  await market.sql`update item_transfers set at = at - interval '9 days' where inscription_id = any(${ids as string[]}::text[])`
  await market.sql`update book_entries set opened_at = opened_at - interval '3 days' where inscription_id = ${ids[0]!}`
  await listAll(market, owner, slug, ids.slice(1, 2), 400_000)
  // The items are now worth 0.004 each, and one is sold.
  await buy(seller, slug, await agreementFor(market, seller, ids.slice(0, 1)))
  await market.mine()
  for (const width of [1440, 390]) {
    const visitor = await at.visit(owner, { context: { viewport: { width, height: 900 } } })
    const { page } = visitor
    await visitor.go('/wallet')
    await visitor.signIn()
    const head = page.getByRole('region', { name: 'Estimated value' })
    await head.getByText('0.008 BTC').first().waitFor()
    await head.getByText(/^−0\.001 BTC \(−11\.1%\) since \d+ \w+$/).waitFor()
    await head.getByText('Prices +0.002 BTC, items bought and sold −0.003 BTC').waitFor()
    await head.getByText('2 items. Not counted: 2 items without a floor').waitFor()
    const rows = head.getByRole('table', { name: 'Value over time' }).getByRole('row')
    expect(await rows.count()).toBeGreaterThan(4)
    await rows.last().getByText('0.008 BTC').waitFor()
    await head.getByRole('button', { name: '30d' }).click()
    await head.getByRole('button', { name: '30d', pressed: true }).waitFor()
    expect(await violations(visitor)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    visitor.assertQuiet()
    await visitor.close()
  }
  expect(unlisted.ids).toHaveLength(2)
})
