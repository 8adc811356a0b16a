import { beginMaintenance, endMaintenance } from '@ordbook/operations/status/maintenance-queries.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { buyFirst } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

/** Waits until the server has read the state from the database again. */
const later = () => new Promise((done) => setTimeout(done, 1500))

it('shows the notice, delists and does not trade', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, [ids[0]!], 120_000)
  await beginMaintenance(market.sql, 'Back at 14:00 UTC.')
  await later()

  const second = await at.enter(buyer)
  const banner = second.page.getByRole('status').filter({ hasText: 'maintenance' })
  await banner.waitFor()
  expect(await banner.textContent()).toBe(
    'Trading is paused for maintenance. Back at 14:00 UTC. You can still cancel and withdraw.',
  )
  await buyFirst(second, slug, '0.0012')
  await second.page.getByText('The market is under maintenance. Nothing was sent.').first().waitFor()

  const first = await at.enter(seller, `/inscription/${ids[0]}`)
  await first.page.getByRole('button', { name: 'Delist' }).click()
  await first.told(/no longer for sale/)

  await endMaintenance(market.sql)
  await banner.waitFor({ state: 'detached' })
})
