import { bid, delist, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { balanceOf } from '../../../e2e/support/chain.ts'
import { listAll } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const SIGNING = ['signPsbt', 'signMultipleTransactions']
const assertUnsigned = ({ asked }: Visitor) => {
  for (const request of SIGNING) expect(asked).not.toContain(request)
}
const { enter, visit } = at
const ALL = { kind: 'all' } as const

it('warns of an offer above the price', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  await listAll(at.market, at.seller, slug, ids.slice(0, 1), 2_000_000)
  const visitor = await enter(at.buyer)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: 'Make offer' }).click()
  const sheet = page.getByRole('dialog')
  const field = sheet.getByLabel('Your offer in BTC')
  for (const [typed, said] of [
    ['0,05', 'Did you mean 0.05?'],
    ['1e3', 'Type the amount without'],
    ['0.000000001', 'Use at most 8 decimals'],
    ['1,000', 'This uses almost your whole balance.'],
    ['0.05', 'You can buy this item for less.'],
  ] as const) {
    await field.fill(typed)
    await sheet.getByText(said).waitFor()
  }
  await sheet.getByRole('button', { name: 'Review offer' }).click()
  await sheet.getByRole('button', { name: 'Offer more than its price' }).waitFor()
  await sheet.getByRole('button', { name: 'Buy now' }).click()
  expect(await visitor.confirm()).toContain(`and receive ${slug} #0`)
  await visitor.told(/Bought in/)
  visitor.assertQuiet()
  await visitor.close()
})

it('asks to retype a price far below the floor', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  await listAll(at.market, at.seller, slug, ids.slice(0, 1), 2_000_000)
  const visitor = await enter(at.seller)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[1]}`)
  await page.getByRole('button', { name: 'List for sale' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Price in BTC').fill('0.0002')
  await sheet.getByText('This is 99% under').waitFor()
  await sheet.getByLabel('Type the price again in BTC').fill('0.0003')
  await sheet.getByRole('button', { name: /^List for/ }).click()
  await sheet.getByText('The two prices do not match.').waitFor()
  assertUnsigned(visitor)
  await sheet.getByRole('button', { name: 'Match the floor' }).click()
  await sheet.getByText('This is 99% under').waitFor({ state: 'detached' })
  await sheet.getByLabel('Unit of price').selectOption('sats')
  await sheet.getByLabel('Price in sats').fill('2,100,000')
  await sheet.getByRole('button', { name: 'List for 0.021 BTC' }).click()
  await visitor.confirm()
  await visitor.told(/Listed for 0.021 BTC/)
  visitor.assertQuiet()
  await visitor.close()
})

it('names the offer that a new offer replaces', async () => {
  const { slug } = await at.market.collection(at.seller.wallet, 1)
  const maker = await at.market.trader()
  const visitor = await enter(maker)
  const { page } = visitor
  await visitor.go(`/collection/${slug}?tab=offers`)
  const place = async (btc: string) => {
    await page.getByLabel('Price in BTC').fill(btc)
    await page.getByRole('button', { name: 'Review offer' }).click()
  }
  const standing = async () => {
    const { rows } = await maker.client.call('listMySentCollectionOffers', { params: { slug } })
    return rows.map((row) => row.priceSats).toSorted()
  }
  await place('0.004')
  await visitor.confirm()
  await visitor.told(/Offer placed/)
  await place('0.001')
  await visitor.confirm()
  await visitor.told(/Offer placed/)
  expect(await standing()).toEqual([100_000, 400_000])
  await page.getByLabel('Price in BTC').fill('0.002')
  await page.getByText('This replaces one of your offers.').waitFor()
  await page.getByRole('button', { name: 'Review offer' }).click()
  await page.getByRole('button', { name: 'Replace the offer' }).waitFor()
  expect(await standing()).toEqual([100_000, 400_000])
  visitor.assertQuiet()
  await visitor.close()
})

it('shows a better offer before accepting', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 1)
  await offer(at.buyer, slug, await offering(at.market, at.buyer, ids, 40_000))
  const other = await at.market.trader()
  await bid(other, slug, { target: ALL, priceSats: 90_000, coins: await coinsOf(at.market, other) })
  const visitor = await enter(at.seller)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: `Sell ${slug} #0` })
  await sheet.getByText('Another offer pays you more.').waitFor()
  await sheet.getByRole('button', { name: 'Sell for 0.0004 BTC' }).click()
  await sheet.getByRole('button', { name: 'Accept the lower offer' }).waitFor()
  assertUnsigned(visitor)
  await sheet.getByRole('button', { name: 'Accept the better offer' }).click()
  await sheet.getByText('Another offer pays you more.').waitFor({ state: 'detached' })
  await sheet.getByRole('button', { name: 'Sell for 0.0009 BTC' }).click()
  expect(await visitor.confirm()).toContain('0.0009 BTC')
  await visitor.told(/Sold in/)
  visitor.assertQuiet()
  await visitor.close()
})

it('keeps the typed price after a reload', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await visit(at.buyer)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: 'Make offer' }).click()
  await page.getByLabel('Your offer in BTC').fill('0.0007')
  await page.getByRole('button', { name: 'Review offer' }).click()
  await page
    .getByRole('dialog', { name: 'Connect wallet' })
    .getByRole('button', { name: /^Xverse/ })
    .click()
  const review = page.getByRole('dialog', { name: 'Review your offer' })
  await page.getByRole('button', { name: 'Sign in Xverse' }).waitFor()
  await review.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled. Nothing was signed.').waitFor()
  const kept = () => page.getByLabel('Your offer in BTC').inputValue()
  expect(await kept()).toBe('0.0007')
  await page.reload()
  await page.getByLabel('Your offer in BTC').waitFor()
  expect(await kept()).toBe('0.0007')
  await page.getByRole('button', { name: 'Review offer' }).click()
  await visitor.confirm()
  await visitor.told(/Offer placed. 0.0007 BTC/)
  visitor.assertQuiet()
  await visitor.close()
})

it('names an item that was sold', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 3)
  await listAll(at.market, at.seller, slug, ids, 20_000)
  const other = await at.market.trader()
  const visitor = await enter(other)
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  await page.getByLabel('Sweep').fill('3')
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText('3 items', { exact: true }).waitFor()
  await cart.getByText('You pay').waitFor()
  const { listings } = await at.seller.client.call('listListings', { query: { inscriptionId: ids[1]! } })
  const { listingId } = listings[0]!
  await delist(at.seller, slug, [{ inscriptionId: ids[1]!, listingId }])
  await cart.getByText(`${slug} #1 is no longer for sale. It was removed.`).waitFor()
  await cart.getByText('2 items', { exact: true }).waitFor()
  const total = cart.getByRole('definition').last()
  await cart.getByText('0.00040000').waitFor()
  const shown = Math.round(Number.parseFloat((await total.textContent())!) * 1e8)
  const before = await balanceOf(at.market, other.wallet.paymentScript)
  await cart.getByRole('button', { name: 'Review and buy' }).click()
  await visitor.confirm()
  await visitor.told(/Bought in/)
  await at.market.mine()
  expect(before - (await balanceOf(at.market, other.wallet.paymentScript))).toBe(shown)
  visitor.assertQuiet()
  await visitor.close()
})
