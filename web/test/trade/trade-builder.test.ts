import { propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

async function proposalsOf(trader: typeof at.seller) {
  const { client } = await traderAtStorefront(at.market.server.url, trader.wallet)
  const { proposals } = await client.call('listOwnProposals', { query: {} })
  return proposals.map(({ offeredItems, wantedLegs }) => ({
    gives: offeredItems.map((offeredItem) => offeredItem.inscriptionId),
    wants: wantedLegs.map(({ collection: { slug }, quantity, target }) => ({ slug, quantity, target })),
  }))
}

const press = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true }).click()

it('requests items from an address page', async () => {
  const { market, seller, buyer } = at
  const own = await market.collection(seller.wallet, 2)
  const first = await market.collection(buyer.wallet, 3)
  const second = await market.collection(buyer.wallet, 1)
  const visitor = await at.enter(seller, `/address/${buyer.wallet.ordinalsAddress}`)
  const { page } = visitor
  await page.getByRole('link', { name: 'Propose a trade' }).click()
  const get = page.getByRole('region', { name: 'You get' })
  const board = get.getByRole('list').last()
  await board.getByLabel(`Choose ${second.slug} #0`).check()
  await get.getByLabel(/^Search the items of/).fill(first.slug)
  await board.getByLabel(`Choose ${second.slug} #0`).waitFor({ state: 'detached' })
  for (const n of [0, 2]) await board.getByLabel(`Choose ${first.slug} #${n}`).check()
  await get.getByRole('button', { name: `Remove ${first.slug} #0` }).click()
  expect(await board.getByLabel(`Choose ${first.slug} #0`).isChecked()).toBe(false)
  await board.getByLabel(`Choose ${first.slug} #1`).check()
  await get.getByText('Asks only for these 2 items.').waitFor()
  await page.getByRole('region', { name: 'You give' }).getByLabel(`Choose ${own.slug} #1`).check()
  await page.getByText('No BTC changes hands on your side.').waitFor()
  await page.getByRole('button', { name: /^Send (proposal|at)/ }).click()
  await visitor.told(/Trade proposed/)
  expect(await proposalsOf(seller)).toEqual([
    {
      gives: [own.ids[1]],
      wants: [
        {
          slug: second.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: second.ids },
        },
        {
          slug: first.slug,
          quantity: 2,
          target: { kind: 'inscriptions', inscriptionIds: [first.ids[2], first.ids[1]] },
        },
      ],
    },
  ])
  visitor.assertQuiet()
  await visitor.close()
})

it('chooses items in two steps on a phone', async () => {
  const { market, seller, buyer } = at
  const theirs = await market.collection(buyer.wallet, 3)
  const visitor = await at.enter(seller, '/trades/new')
  const { page } = visitor
  await page.setViewportSize({ width: 390, height: 844 })
  const give = page.getByRole('region', { name: 'You give' })
  const get = page.getByRole('region', { name: 'You get' })
  await give.waitFor()
  expect([
    await get.isVisible(),
    await page.getByRole('button', { name: 'Send proposal' }).isVisible(),
  ]).toEqual([false, false])
  await press(visitor, 'Next: what you get')
  expect(await give.isVisible()).toBe(false)
  const find = get.getByLabel('Add by collection or address')
  await find.fill(seller.wallet.ordinalsAddress)
  await get.getByText('This is your own address.').waitFor()
  await find.fill(theirs.slug)
  await get.getByRole('button', { name: `Add ${theirs.slug}` }).click()
  await get.getByText('Asks for any item. Choose items to ask only for those.').waitFor()
  await get.getByLabel('Search its items').fill('#2')
  await get.getByLabel(`Choose ${theirs.slug} #0`).waitFor({ state: 'detached' })
  await get.getByLabel(`Choose ${theirs.slug} #2`).check()
  await get.getByText('Asks only for this item.').waitFor()
  await press(visitor, 'Send proposal')
  await page.getByText('Choose something to give.').waitFor()
  await page.getByRole('tab', { name: '1. You give' }).click()
  expect(await get.isVisible()).toBe(false)
  await give.getByLabel('Amount to add in BTC').fill('0.0002')
  await press(visitor, 'Next: what you get')
  await get.getByText('Asks only for this item.').waitFor()
  await page.getByRole('button', { name: /^Send (proposal|at)/ }).click()
  await visitor.told(/Trade proposed/)
  expect((await proposalsOf(seller))[0]).toEqual({
    gives: [],
    wants: [
      { slug: theirs.slug, quantity: 1, target: { kind: 'inscriptions', inscriptionIds: [theirs.ids[2]] } },
    ],
  })
  visitor.assertQuiet()
  await visitor.close()
})

it("shows swaps that request the visitor's items", async () => {
  const { market, seller, buyer } = at
  const own = await market.collection(seller.wallet, 1)
  const theirs = await market.collection(buyer.wallet, 1)
  const proposer = await traderAtStorefront(market.server.url, buyer.wallet)
  const { id } = await propose(proposer, {
    visibility: 'public',
    offeredInscriptionIds: theirs.ids,
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: own.slug, quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 0,
  })
  const visitor = await at.enter(seller, '/trades/new')
  await visitor.page.getByRole('heading', { name: 'Trades that want your items' }).waitFor()
  await visitor.page.locator(`a[href="/trades/${id}"]`).click()
  await visitor.page.getByRole('heading', { name: /^Trade with/ }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
