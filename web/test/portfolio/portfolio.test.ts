import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { buy, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, signedPackage } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'
import { violations } from '../support/axe.ts'
import { acceptProposal, propose } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('leads with the pending tasks, also in the bell', async () => {
  const { market, seller, buyer } = at
  const own = await market.collection(seller.wallet, 4)
  const other = await market.collection(buyer.wallet, 1)
  // Moves an item into escrow without a sale: only the transfer of the purchase is mined.
  await listAll(market, seller, own.slug, own.ids.slice(0, 1), 90_000)
  const { signed } = await signedPackage(market, buyer, own.slug, own.ids.slice(0, 1))
  await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
  await market.server.sync()
  // An expired listing, an offer to answer, and a proposal for an item of the owner.
  await listAll(market, seller, own.slug, own.ids.slice(1, 2), 80_000)
  await market.sql`update listings set expires_at = now() - interval '1 minute' where inscription_id = ${own.ids[1]!}`
  await offer(buyer, own.slug, await offering(market, buyer, own.ids.slice(2, 3), 50_000))
  const proposer = await at.enter(buyer)
  await propose(proposer, [`${other.slug} #0`], { slug: own.slug, amount: '0.0001' })
  await proposer.close()

  const visitor = await at.enter(seller, '/wallet')
  const { page } = visitor
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByText('Offer: 0.0005 BTC').waitFor()
  expect(await waiting.getByRole('listitem').count()).toBe(1)
  await waiting.getByRole('link', { name: 'Review' }).click()
  await page.getByText('Your turn: answer an offer').waitFor()
  await page.getByRole('button', { name: 'Accept', exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('tab', { name: /^Listings \d+$/ }).click()
  const ended = page.getByRole('row', { name: `${own.slug} #1` })
  await ended.getByText('Expired').filter({ visible: true }).waitFor()
  expect(await ended.getByRole('textbox').inputValue()).toBe('0.0008')

  // The bell has the offer and the ended listing, and leads to them.
  await page.getByRole('button', { name: /^Notifications, \d unread/ }).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await panel.getByText(`Listing ended: ${own.slug} #1`).waitFor()
  expect(await violations(visitor)).toEqual([])
  await panel.getByRole('button', { name: 'Mark all read' }).click()
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
  await panel.getByText('Waiting for you').waitFor()
  await panel.getByRole('link', { name: 'See all' }).click()
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('gives each tab a URL', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 70_000)
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  const other = await market.collection(buyer.wallet, 1)
  const visitor = await at.enter(seller, '/wallet')
  const { page } = visitor
  const open = async (name: string | RegExp, id: string) => {
    await page.getByRole('tab', { name, exact: true }).click()
    await page.getByRole('tab', { name, exact: true, selected: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('tab')).toBe(id)
  }
  await page
    .getByRole('article')
    .filter({ hasText: `${slug} #1` })
    .waitFor()
  await open(/^Listings \d+$/, 'listings')
  const line = page.getByRole('row', { name: `${slug} #1` })
  await line.waitFor()
  expect(await line.getByRole('textbox').inputValue()).toBe('0.0007')
  expect(await page.getByRole('row', { name: `${slug} #0` }).count()).toBe(0)
  await open(/^Offers received \d+$/, 'received')
  await open(/^Offers made \d+$/, 'sent')
  await page.getByText('You have not made any offers').waitFor()
  await open('Trades', 'trades')
  await page.getByRole('heading', { name: 'My proposals' }).waitFor()
  await open('Activity', 'activity')
  await page.getByRole('row', { name: new RegExp(`Sale .*${slug} #0`) }).waitFor()
  await page.getByRole('row', { name: new RegExp(`Listed .*${slug} #1`) }).waitFor()
  await open('Receipts', 'receipts')
  const receipt = page.getByRole('row', { name: new RegExp(`${slug} #0`) })
  await receipt.waitFor()
  expect(await page.getByRole('row', { name: /Listed/ }).count()).toBe(0)
  expect(await receipt.getByRole('link', { name: 'Receipt' }).getAttribute('href')).toBe(
    `/receipt/${settlementTxid}`,
  )
  await page.goBack()
  await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor()

  // A trade to complete is a pending task and links to the signature.
  await propose(visitor, [`${slug} #1`], { slug: other.slug, amount: '0.0001' })
  const acceptor = await at.enter(buyer)
  await acceptProposal(acceptor, `${other.slug} #0`)
  await acceptor.confirm()
  await acceptor.told(/.+/)
  await acceptor.close()
  await visitor.go('/wallet')
  const tasks = page.getByRole('region', { name: 'Waiting for you' })
  await tasks.getByText('Trade to complete').waitFor()
  await tasks.getByRole('link', { name: 'Review and sign' }).click()
  await page.getByText('Your turn: complete the trade').waitFor()
  await page.getByRole('button', { name: /^(Review and complete|Complete at)/ }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('filters the activity by kind', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 50_000)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/activity')
  await page.getByRole('row', { name: new RegExp(`^Listed .*${slug} #1`) }).waitFor()
  await offer(buyer, slug, await offering(market, buyer, ids.slice(0, 1), 20_000))
  await page.getByRole('button', { name: 'Offers', exact: true }).click()
  const row = page.getByRole('row', { name: new RegExp(`^Offer .*${slug} #0`) })
  await row.waitFor()
  await row.getByText('−60.0%').waitFor()
  expect(page.url()).toContain('kind=offers')
  expect(await page.getByRole('row', { name: /^Listed/ }).count()).toBe(0)
  await page.goBack()
  await page
    .getByRole('row', { name: /^Listed/ })
    .first()
    .waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
