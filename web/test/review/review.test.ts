import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { expect, it } from 'vitest'
import { onChain } from '../../../e2e/support/chain.ts'
import { freshWallet, listAll } from '../../../e2e/support/market.ts'
import { SIGN, type Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser({ env: { BUYER_FEE_BPS: '150', MARKET_NAME: 'ordbook' } })
const focused = ({ page }: Visitor) =>
  page.evaluate<string>(`document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()`)
const isSigned = ({ asked }: Visitor) => asked.some((each) => /sign(Psbt|MultipleTransactions)/i.test(each))
const pause = ({ page }: Visitor) => page.evaluate('new Promise((done) => setTimeout(done, 300))')

async function forSale(count: number): Promise<{ slug: string; ids: string[] }> {
  const collection = await at.market.collection(at.seller.wallet, count)
  const creator = freshWallet().ordinalsAddress
  await setCollectionRoyalty(at.market.server.context, collection.slug, {
    address: creator,
    sellerBps: 250,
    buyerBps: 100,
  })
  await listAll(at.market, at.seller, collection.slug, collection.ids, 1_000_000, 1000)
  return collection
}

it('neither signs nor cancels when Enter is pressed twice', async () => {
  const { ids } = await forSale(1)
  const visitor = await at.enter(at.buyer, `/inscription/${ids[0]}`)
  const { page } = visitor
  const buy = page.getByRole('button', { name: 'Buy now', exact: true })
  await buy.focus()
  await page.keyboard.press('Enter')
  const review = page.getByRole('dialog', { name: 'Review your purchase' })
  await review.waitFor()
  expect(await focused(visitor)).toBe('H2 Review your purchase')
  await page.keyboard.press('Enter')
  await pause(visitor)
  expect(await review.isVisible()).toBe(true)
  expect(isSigned(visitor)).toBe(false)
  const stops: string[] = []
  for (let n = 0; n < 5; n++) {
    await page.keyboard.press('Tab')
    stops.push((await focused(visitor)).trim().replace(/^(\w+) .*?(\d+ checks|Transaction).*$/, '$1 $2'))
  }
  expect(stops).toEqual([
    expect.stringMatching(/^SUMMARY \d+ checks$/),
    'SUMMARY Transaction',
    'BUTTON Cancel',
    'BUTTON Sign in Xverse',
    'BUTTON',
  ])
  expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('Close')
  await page.keyboard.press('Escape')
  await review.waitFor({ state: 'detached' })
  await expect.poll(() => focused(visitor)).toBe('BUTTON Buy now')
  expect(isSigned(visitor)).toBe(false)
  visitor.assertQuiet()
  await visitor.close()
})

it('folds the checks and the transaction', async () => {
  const { ids } = await forSale(1)
  const visitor = await at.enter(at.buyer, `/inscription/${ids[0]}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Buy now', exact: true }).click()
  const review = page.getByRole('dialog', { name: 'Review your purchase' })
  const check = review.getByText('Change returns to your payment address.')
  const input = review.getByText('Inputs', { exact: true })
  await review.getByText(/checks passed\./).waitFor()
  expect([await check.isVisible(), await input.isVisible()]).toEqual([false, false])
  await review.getByText('Show checks').click()
  await check.waitFor()
  await review.getByText(/^Transaction: \d+ inputs, \d+ outputs/).click()
  await input.waitFor()
  // Every output has a purpose and a recipient here too.
  await review.getByText('Change: you', { exact: true }).waitFor()
  // Exactly one primary button.
  expect(await review.locator('button.bg-amber').count()).toBe(1)
  await visitor.close()
})

it('shows where every sat of the transaction goes', async () => {
  const { slug, ids } = await forSale(2)
  const visitor = await at.enter(at.buyer, `/collection/${slug}`)
  const { page } = visitor
  await page.getByLabel('Sweep').fill('2')
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  await page.getByRole('dialog').getByText('You pay').waitFor()
  await page.getByRole('button', { name: 'Review and buy' }).click()
  const review = page.getByRole('dialog', { name: 'Review your purchase of 2 items' })
  await review.waitFor()
  const rows = await page.evaluate<{ purpose: string; sats: number; address: string | null }[]>(`
    [...document.querySelectorAll('[data-purpose]')].map((row) => ({
      purpose: row.dataset.purpose,
      sats: Math.round(Number.parseFloat(row.firstElementChild.textContent) * 1e8),
      address: row.querySelector('[title]')?.title ?? null,
    }))`)
  const bill = await review.getByRole('group', { name: 'Bill' }).getByRole('definition').allTextContents()
  const [total, ...amounts] = bill.map((text) => Math.round(Number.parseFloat(text) * 1e8)).reverse()
  expect(amounts.reduce((sum, sats) => sum + sats, 0)).toBe(total)
  await visitor.confirm()
  const txid = /Bought in ([0-9a-f]{64})/.exec(await visitor.told(/Bought in/))![1]!
  const { tx, feeSats, spent } = await onChain(at.market, txid)
  const shown = new Map<string, number>()
  for (const { address, sats } of rows) if (address) shown.set(address, (shown.get(address) ?? 0) + sats)
  const paid = new Map<string, number>()
  for (const { script, valueSats } of tx.outputs) {
    const address = addressOfScript(script, 'regtest')!
    paid.set(address, (paid.get(address) ?? 0) + valueSats)
  }
  // The market's tail coin pays the network fee, which the buyer repays, so only the sums of its rows are equal.
  expect([...shown].toSorted()).toEqual([...paid].toSorted())
  expect(rows.find(({ purpose }) => purpose === 'network')!.sats).toBe(feeSats)
  expect(rows.reduce((sum, { sats }) => sum + sats, 0)).toBe(
    spent.reduce((sum, { valueSats }) => sum + valueSats, 0),
  )
  expect(rows.filter(({ purpose }) => purpose === 'item')).toHaveLength(ids.length)
  await visitor.close()
})

it('blocks signing if an output has no known purpose', async () => {
  const { ids } = await forSale(1)
  const visitor = await at.visit(at.buyer)
  const { page } = visitor
  let changed = 0
  // The verifier names the market's output by a role that the review does not know.
  await page.route('**/*.js', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(/role:(["'`])service\1/g, () => {
      changed++
      return 'role:"surcharge"'
    })
    await route.fulfill({ response, body })
  })
  await visitor.go(`/inscription/${ids[0]}`)
  await visitor.signIn()
  await page.getByRole('button', { name: 'Buy now', exact: true }).click()
  const review = page.getByRole('dialog', { name: 'Review your purchase' })
  await review
    .getByRole('alert')
    .getByText(/an output of [\d.]+ BTC whose purpose this page does not know/)
    .waitFor()
  expect(changed).toBeGreaterThan(0)
  expect(await review.getByRole('button', { name: SIGN }).count()).toBe(0)
  expect(await review.getByRole('button', { name: 'Signing is blocked.' }).isDisabled()).toBe(true)
  await review.getByRole('button', { name: 'Cancel' }).click()
  expect(isSigned(visitor)).toBe(false)
  await visitor.close()
})
