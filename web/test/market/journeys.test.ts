import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { listAll, type TestTrader } from '../../../e2e/support/market.ts'
import {
  acceptOffer,
  acceptProposal,
  buyFirst,
  changePrice,
  fillListing,
  makeBid,
  makeOffer,
  openBatch,
  priceBatch,
  propose,
  sellInto,
  settle,
  takeBack,
} from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const { visit, enter } = at

/** Asserts that the wallet holds an inscription's coin, according to the node. */
async function assertHeld(id: string, trader: TestTrader): Promise<void> {
  const out = await at.market.server.context.node.txOut(await at.market.coinOf(id))
  expect(out && equalBytes(out.script, trader.wallet.ordinalsScript), id).toBe(true)
}

it('sells an item on a first visit', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  const [id] = ids
  const first = await visit(at.seller)
  await first.go('/')
  await first.page.getByRole('heading', { level: 1 }).waitFor()
  await first.page.getByRole('link', { name: slug }).first().click()
  await first.page.getByRole('link', { name: `${slug} #0` }).click()
  await first.page.getByRole('heading', { name: `${slug} #0`, level: 1 }).waitFor()
  await first.signIn()
  await fillListing(first, '0.0012')
  const shown = await first.confirm()
  expect(shown).toContain('0.0012 BTC')
  expect(shown).toContain('Nothing leaves your wallet until it sells, and then only that item.')
  await first.told(/Listed for/)
  await first.page.getByText('For sale', { exact: false }).first().waitFor()

  const second = await enter(at.buyer)
  await buyFirst(second, slug, '0.0012')
  const bought = await second.confirm()
  expect(bought).toContain(`${slug} #0`)
  const told = await second.told(/Bought in [0-9a-f]{64}/)
  const txid = /[0-9a-f]{64}/.exec(told)![0]
  expect(await at.market.regtest.call('getrawmempool')).toContain(txid)
  // A live event updates the seller's page.
  await first.page.getByText('your sale is pending').waitFor()
  await at.market.mine()
  await assertHeld(id!, at.buyer)
  for (const visitor of [first, second]) {
    await visitor.go(`/inscription/${id}?tab=provenance`)
    await visitor.page.getByText('sold for').first().waitFor()
  }
  await first.go('/activity')
  await first.page.getByText('Sale', { exact: true }).first().waitFor()
  for (const visitor of [first, second]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('buys five items in a sweep', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 7)
  await listAll(at.market, at.seller, slug, ids.slice(0, 6), 20_000)
  const visitor = await enter(at.buyer)
  await visitor.go(`/collection/${slug}`)
  await visitor.page.getByLabel('Sweep').fill('5')
  await visitor.page.getByRole('button', { name: 'Add the cheapest' }).click()
  const cart = visitor.page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText('5 items', { exact: true }).waitFor()
  await cart.getByRole('button', { name: 'Review and buy' }).click()
  const shown = await visitor.confirm()
  expect(shown).toContain('Review your purchase of 5 items')
  await visitor.told(/Bought in/)
  await at.market.mine()
  const held = []
  for (const id of ids) {
    const out = await at.market.server.context.node.txOut(await at.market.coinOf(id))
    held.push(equalBytes(out!.script, at.buyer.wallet.ordinalsScript))
  }
  expect(held.filter(Boolean)).toHaveLength(5)
  visitor.assertQuiet()
  await visitor.close()
})

it('accepts an offer', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 1)
  const maker = await enter(at.buyer)
  await makeOffer(maker, ids[0]!, '0.0005')
  await maker.confirm()
  await maker.told(/Offer placed/)
  const owner = await enter(at.seller)
  await owner.go('/wallet?tab=received')
  await owner.page.getByText('0.0005').first().waitFor()
  await acceptOffer(owner, ids[0]!)
  await owner.confirm()
  await owner.told(/Sold in/)
  await at.market.mine()
  await assertHeld(ids[0]!, at.buyer)
  for (const visitor of [maker, owner]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('fills a collection offer', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  const maker = await enter(at.buyer)
  await makeBid(maker, slug, '0.0004')
  expect(await maker.confirm()).toContain('This market decides which inscriptions are eligible.')
  await maker.told(/Offer placed/)
  await maker.page.getByText('yours', { exact: true }).waitFor()
  const owner = await enter(at.seller)
  await sellInto(owner, slug, `${slug} #1`)
  await owner.confirm()
  await owner.told(/Sold in/)
  await at.market.mine()
  await assertHeld(ids[1]!, at.buyer)
  for (const visitor of [maker, owner]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('swaps two inscriptions for one and sats', async () => {
  const mine = await at.market.collection(at.seller.wallet, 2)
  const theirs = await at.market.collection(at.buyer.wallet, 1)
  const proposer = await enter(at.seller)
  const names = [0, 1].map((n) => `${mine.slug} #${n}`)
  await propose(proposer, names, { slug: theirs.slug, amount: '0.0008' })
  await proposer.page.waitForURL(/\/trades\/[0-9a-f-]{36}$/)

  const acceptor = await enter(at.buyer)
  await acceptProposal(acceptor, `${theirs.slug} #0`)
  const shown = await acceptor.confirm()
  expect(shown).toContain(
    `You give ${theirs.slug} #0 and 0.0008 BTC and receive ${mine.slug} #0 and ${mine.slug} #1`,
  )
  expect(shown).toContain('network fee included, no trade fee')
  await acceptor.told(/completes when the proposer signs/)

  await settle(proposer)
  const settling = await proposer.confirm()
  expect(settling).toContain(
    `You give ${mine.slug} #0 and ${mine.slug} #1 and receive ${theirs.slug} #0 and 0.0008 BTC`,
  )
  await proposer.told(/Completed in [0-9a-f]{64}/)
  await at.market.mine()
  for (const id of mine.ids) await assertHeld(id, at.buyer)
  await assertHeld(theirs.ids[0]!, at.seller)
  await proposer.page.getByText('Nothing to do: the trade is complete').waitFor()
  for (const visitor of [proposer, acceptor]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('continues after the session expires', async () => {
  const visitor = await enter(at.seller)
  // Leave the page first, so that no request is in progress when its session ends.
  await visitor.page.goto('about:blank')
  await at.market.sql`update sessions set expires_at = now() where surface = 'web'`
  await visitor.go('/wallet')
  await visitor.page.getByText('Connect your wallet to see your items').waitFor()
  await visitor.signIn()
  await visitor.page.getByRole('tab', { name: 'Items' }).waitFor()
  await visitor.page.reload()
  await visitor.page.getByRole('tab', { name: 'Items' }).waitFor()
  const refused = visitor.consoleErrors.filter((consoleError) => !consoleError.includes('/web/v1/session)'))
  expect(refused).toEqual([])
  await visitor.close()
})

it('ends the other sessions of a wallet', async () => {
  const owner = await at.market.trader()
  const elsewhere = await enter(owner)
  const visitor = await enter(owner)
  const { page } = visitor
  await at.market.sql`update sessions set client_hint = 'A lost phone' where session_id = (
    select session_id from sessions where surface = 'web' order by began_at desc offset 1 limit 1)`
  await visitor.go('/wallet?tab=sessions')
  await page.getByText('This browser').waitFor()
  await page.getByRole('button', { name: 'Sign out A lost phone' }).click()
  await page.getByText('A lost phone').waitFor({ state: 'detached' })
  await elsewhere.go('/wallet')
  await elsewhere.page.getByText('Connect your wallet to see your items').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Connect your wallet to see your items').waitFor()
  const [left] = await at.market.sql<{ count: number }[]>`
    select count(*)::int as count from sessions join wallet_bindings using (profile_id)
    where wallet_binding_id = ${owner.walletBindingId}`
  expect(left!.count).toBe(0)
  await elsewhere.close()
  await visitor.close()
})

it('rejects an altered request without signing', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await enter(at.seller)
  // The market returns the PSBT of the transfer in place of the leg.
  await visitor.page.route('**/listings/preflight', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const [transfer, leg] = body.listings[0].psbts
    body.listings[0].psbts = [transfer, { ...leg, psbtBase64: transfer.psbtBase64 }]
    await route.fulfill({ response, json: body })
  })
  await visitor.go(`/inscription/${ids[0]}`)
  await fillListing(visitor, '0.01')
  await visitor.told(/Failed:/)
  for (const signing of ['signPsbt', 'signMultipleTransactions']) expect(visitor.asked).not.toContain(signing)
  await visitor.close()
})

it('lists and delists several items', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 3)
  const visitor = await enter(at.seller)
  const { page } = visitor
  await visitor.go('/wallet')
  const names = [0, 1, 2].map((n) => `${slug} #${n}`)
  await openBatch(visitor, names)
  await priceBatch(visitor, names, '0.0025')
  expect(await visitor.confirm()).toContain('Review 3 listings')
  await visitor.told(/Listed 3 items/)
  const { listings } = await at.buyer.client.call('listListings', { query: { collectionSlug: slug } })
  expect(listings.map((listing) => [listing.inscriptionId, listing.priceSats]).toSorted()).toEqual(
    ids.map((id) => [id, 250_000]).toSorted(),
  )
  for (const n of [0, 1, 2]) await page.getByLabel(`Choose ${slug} #${n}`).check()
  await page.getByRole('button', { name: 'Delist 3' }).click()
  await visitor.told(/no longer for sale/)
  expect((await at.buyer.client.call('listListings', { query: { collectionSlug: slug } })).listings).toEqual(
    [],
  )
  visitor.assertQuiet()
  await visitor.close()
})

/** Moves an inscription into escrow without a sale. */
async function stranded(): Promise<{ slug: string; id: string }> {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 1)
  const [id] = ids as [string]
  await rested(at.market, at.seller, slug, [id])
  return { slug, id }
}

it('reprices an item in escrow', async () => {
  const { slug, id } = await stranded()
  const owner = await enter(at.seller)
  await changePrice(owner, id, '0.0015')
  await owner.confirm()
  await owner.told(/Listed for/)
  await owner.page.getByText('0.0015', { exact: false }).first().waitFor()
  await takeBack(owner, id)
  expect(await owner.confirm()).toContain(`${slug} #0 returns to your ordinals address`)
  await owner.told(/Sent to your address in [0-9a-f]{64}/)
  await at.market.mine()
  await assertHeld(id, at.seller)
  owner.assertQuiet()
  await owner.close()
})

it('exits escrow without the market', async () => {
  const { slug, id } = await stranded()
  const stranger = await enter(at.buyer)
  await stranger.go(`/inscription/${id}`)
  await stranger.page.getByText('escrow of').waitFor()
  expect(await stranger.page.getByRole('button', { name: 'Exit without the market' }).count()).toBe(0)

  const owner = await enter(at.seller)
  await owner.go(`/inscription/${id}`)
  await owner.page.getByRole('button', { name: 'Exit without the market' }).waitFor()
  await owner.page.getByRole('button', { name: 'Exit without the market' }).click()
  const shown = await owner.confirm()
  expect(shown).toContain(`${slug} #0 returns to your ordinals address with your signature only`)
  expect(shown).toContain('you sign')
  const told = await owner.told(/Sent to your address in [0-9a-f]{64}/)
  expect(await at.market.regtest.call('getrawmempool')).toContain(/[0-9a-f]{64}/.exec(told)![0])
  await at.market.mine()
  await assertHeld(id, at.seller)
  await owner.go(`/inscription/${id}`)
  await owner.page.getByRole('button', { name: 'List for sale' }).waitFor()
  for (const visitor of [stranger, owner]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})
