import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  listAll,
  signedPackage,
  startMarket,
  type TestMarket,
  type TestTrader,
} from '../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './support/browser.ts'

/** The inscriptions of an owner that are in escrow: seen in the wallet, sold from there, moved and taken out. */
let market: TestMarket
let browser: Awaited<ReturnType<typeof startBrowser>>
let owner: TestTrader
let buyer: TestTrader
beforeAll(async () => {
  market = await startMarket()
  browser = await startBrowser()
  owner = await market.trader()
  buyer = await market.trader()
})
afterAll(async () => {
  await browser?.close()
  await market?.stop()
})

/** Puts an own inscription into escrow without its sale. */
async function strand(slug: string, id: string, escrowForm: 'published' | 'wallet'): Promise<void> {
  await listAll(market, { ...owner, escrowForm }, slug, [id], 90_000)
  const { signed } = await signedPackage(market, buyer, slug, [id])
  await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
  await market.server.sync()
}

async function expectHome(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const out = await market.server.context.node.txOut(await market.coinOf(id))
    expect(out && equalBytes(out.script, owner.wallet.ordinalsScript), id).toBe(true)
  }
}

async function atEscrows(trader: TestTrader): Promise<Visitor> {
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet })
  await visitor.go('/wallet?tab=escrow')
  await visitor.signIn()
  return visitor
}

const escrowsNow = async () => (await owner.client.call('listMyEscrows')).escrows

it('shows what is in escrow, and acts on several at once', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 4)
  for (const [n, id] of ids.entries()) await strand(slug, id, n === 3 ? 'published' : 'wallet')
  const visitor = await atEscrows(owner)
  const { page } = visitor
  const row = (n: number) => page.getByRole('listitem').filter({ hasText: `${slug} #${n}` })
  const choose = async (...all: number[]) => {
    for (const n of all) await page.getByLabel(`Choose ${slug} #${n}`).check()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  for (const n of [0, 1, 2]) {
    await row(n).getByText('For sale at 0.0009').waitFor()
    await row(n).getByText('Your wallet can leave alone').waitFor()
  }
  await row(3).getByText('Leaves with the market, or with your private key').waitFor()

  await choose(0, 1)
  await press('Set 2 prices')
  await page.getByLabel('One price for all in BTC').fill('0.002')
  await press('List 2')
  expect(await visitor.confirm()).toContain('straight from escrow')
  await visitor.told(/Listed 2 inscriptions/)
  for (const n of [0, 1]) await row(n).getByText('For sale at 0.002').waitFor()
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: slug } })
  expect(new Map(listings.map((each) => [each.inscriptionId, each.priceSats]))).toEqual(
    new Map(ids.map((id, n) => [id, n < 2 ? 200_000 : 90_000])),
  )

  await choose(0, 1)
  await press('Take 2 back')
  expect(await visitor.confirm()).toContain('The market pays the network fee')
  await visitor.told(/On the way to your address in [0-9a-f]{64}/)
  for (const n of [0, 1]) {
    await row(n).getByText('On its way back').waitFor()
    await page.getByLabel(`Choose ${slug} #${n}`).check()
  }
  // The market has them in hand: only the owner's own way out is left.
  await page.getByRole('button', { name: 'Leave escrow alone with 2' }).waitFor()
  expect(await page.getByRole('button', { name: /^Take|^Set|^End/ }).count()).toBe(0)
  await market.mine()
  await expectHome(ids.slice(0, 2))
  await row(0).waitFor({ state: 'detached' })

  const before = await escrowsNow()
  await choose(2, 3)
  // The published form is left by the private key, never by a wallet.
  await page.getByRole('button', { name: 'Leave escrow alone', exact: true }).waitFor()
  await press('End old prices of 2 on chain')
  const moving = await visitor.confirm()
  expect(moving).toContain('Move 2 inscriptions to a new escrow')
  expect(moving).toContain('no price that you signed before is valid')
  await visitor.told(/On the way to a new escrow in [0-9a-f]{64}/)
  await row(2).getByText('Moving to a new escrow').waitFor()
  await market.mine()
  await row(2).getByText('In escrow, not for sale').waitFor()
  for (const { txid, vout } of before)
    expect(await market.server.context.node.txOut({ txid, vout }), 'the old escrow coin').toBeNull()
  expect((await escrowsNow()).map((each) => each.listing)).toEqual([null, null])

  await choose(2, 3)
  await press('Leave escrow alone with 2')
  const leaving = await visitor.confirm()
  expect(leaving).toContain('by your signature alone')
  await visitor.told(/On the way to your address in [0-9a-f]{64}/)
  await market.mine()
  await expectHome(ids)
  await page.getByText('Nothing in escrow').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('ends the old price of one inscription on the chain, from its page', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await strand(slug, id, 'wallet')
  const [before] = await escrowsNow()
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  await visitor.go(`/inscription/${id}`)
  await visitor.signIn()
  await visitor.page.getByRole('button', { name: 'End old prices on chain' }).click()
  const shown = await visitor.confirm()
  expect(shown).toContain(`Move ${slug} #0 to a new escrow`)
  expect(shown).toContain('You pay the network fee')
  await visitor.told(/On its way to a new escrow in [0-9a-f]{64}/)
  await market.mine()
  const [after] = await escrowsNow()
  expect(after).toMatchObject({ inscriptionIds: [id], state: 'resting', listing: null })
  expect(after!.txid).not.toBe(before!.txid)
  visitor.assertQuiet()
  await visitor.close()
})

it('shows a stranger no escrows of others', async () => {
  const visitor = await atEscrows(buyer)
  await visitor.page.getByText('Nothing in escrow').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
