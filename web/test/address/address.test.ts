import { readFileSync } from 'node:fs'
import { buy, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('shows the items and trades of an address', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 70_000)
  await offer(buyer, slug, await offering(market, buyer, ids.slice(1, 2), 20_000))
  const { ordinalsAddress } = seller.wallet
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go(`/address/${ordinalsAddress}`)
  const values = page.getByRole('region', { name: 'Value of the items' })
  await values.getByText('0.0021 BTC').first().waitFor()
  await values.getByText('Of the 3 items below').waitFor()
  // Only the owner sees costs.
  expect(await page.getByText(/[Cc]ost/).count()).toBe(0)
  expect(await page.title()).toContain(ordinalsAddress.slice(0, 8))
  const open = async (name: string, id: string) => {
    await page.getByRole('tab', { name, exact: true }).click()
    expect(new URL(page.url()).searchParams.get('tab')).toBe(id)
  }
  await open('Listings', 'listings')
  const listed = page.getByRole('list', { name: 'Listings' }).getByRole('listitem')
  await listed
    .filter({ hasText: `${slug} #0` })
    .getByText('70,000 sats')
    .waitFor()
  expect(await listed.count()).toBe(1)
  await open('Offers', 'offers')
  await page.getByRole('row', { name: new RegExp(`^Offer .*${slug} #1`) }).waitFor()
  expect(await page.getByRole('row', { name: /^Listed/ }).count()).toBe(0)
  await open('Activity', 'activity')
  await page.getByRole('row', { name: new RegExp(`^Listed .*${slug} #0`) }).waitFor()
  await page.goBack()
  await page.getByRole('tab', { name: 'Offers', selected: true }).waitFor()
  await visitor.go(`/address/${ordinalsAddress}?tab=nothing`)
  await page.getByRole('tab', { name: 'Items', selected: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it("opens an offer on another owner's item", async () => {
  const { market, buyer } = at
  const holder = await market.trader()
  const { slug } = await market.collection(holder.wallet, 2)
  const { ordinalsAddress } = holder.wallet
  const visitor = await at.enter(buyer, `/address/${ordinalsAddress}`)
  const { page } = visitor
  await page.getByRole('button', { name: `Make offer for ${slug} #1` }).click()
  const ticket = page.getByRole('dialog', { name: `Offer for ${slug} #1` })
  await ticket.getByLabel('Your offer in BTC').fill('0.0004')
  await page.keyboard.press('Escape')
  await ticket.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('button', { name: `Make offer for ${slug} #0` }).waitFor()
  visitor.assertQuiet()
  await visitor.close()

  const own = await at.enter(holder, `/address/${ordinalsAddress}`)
  await own.page
    .getByRole('article')
    .filter({ hasText: `${slug} #1` })
    .waitFor()
  expect(await own.page.getByRole('button', { name: /^Make offer/ }).count()).toBe(0)
  await own.page.getByRole('link', { name: 'Go to your portfolio' }).click()
  await own.page.getByRole('heading', { name: 'Portfolio' }).waitFor()
  own.assertQuiet()
  await own.close()
})

it('exports the trades of a year', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const visitor = await at.enter(owner, '/wallet?tab=receipts')
  const { page } = visitor
  const press = () => page.getByRole('button', { name: 'Export CSV' }).click()
  await press()
  const year = new Date().getUTCFullYear()
  await visitor.told(`You have no purchases or sales on this market in ${year}.`)
  await listAll(market, seller, slug, ids, 100_000)
  const { settlementTxid } = await buy(owner, slug, await agreementFor(market, owner, ids))
  await market.mine()
  await page.reload()
  await page.getByRole('row', { name: new RegExp(`${slug} #0`) }).waitFor()
  const saved = page.waitForEvent('download')
  await press()
  const file = await saved
  expect(file.suggestedFilename()).toBe(`trades-${year}.csv`)
  const [, line, ...rest] = readFileSync(await file.path(), 'utf8').split('\r\n')
  expect(line).toContain(
    `"Bought","${slug} #0","${slug}","${ids[0]}","0.00100000","0.00001000","","","${settlementTxid}"`,
  )
  expect(rest).toEqual([''])
  visitor.assertQuiet()
  await visitor.close()
})
