import { readFileSync } from 'node:fs'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { reclaim } from '@ordbook/sdk/escrows.ts'
import { expect, it } from 'vitest'
import {
  listAll,
  setUpMarket,
  setUpTrader,
  signedPackage,
  type TestTrader,
  until,
} from '../../../e2e/support/market.ts'
import { setUpBrowser, type Visitor } from '../support/browser.ts'
import { priceBatch } from '../support/clicks.ts'

const market = setUpMarket()
const browser = setUpBrowser()
const owner = setUpTrader(market)
const buyer = setUpTrader(market)

/** Moves an inscription of the owner into escrow without a sale. */
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
  await visitor.go('/wallet?tab=listings')
  await visitor.signIn()
  return visitor
}

const escrowsNow = async () => (await owner.client.call('listMyEscrows')).escrows

it('withdraws several items together', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 4)
  for (const [n, id] of ids.entries()) await strand(slug, id, n === 3 ? 'published' : 'wallet')
  const visitor = await atEscrows(owner)
  const { page } = visitor
  const row = (n: number) =>
    page
      .getByRole('region', { name: 'In escrow' })
      .getByRole('listitem')
      .filter({ hasText: `${slug} #${n}` })
  const choose = async (...all: number[]) => {
    for (const n of all) await page.getByLabel(`Choose ${slug} #${n}`).check()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  for (const n of [0, 1, 2]) {
    await row(n).getByText('For sale at 0.0009').waitFor()
    await row(n).getByText('Your wallet can exit without the market').waitFor()
  }
  await row(3).getByText('Withdraw with the market, or exit with your private key').waitFor()

  await choose(0, 1)
  await press('Set 2 prices')
  const names = [0, 1].map((n) => `${slug} #${n}`)
  for (const name of names)
    expect(await page.getByLabel(`Price of ${name} in BTC`).inputValue()).toBe('0.0009')
  await priceBatch(visitor, names, '0.002')
  expect(await visitor.confirm()).toContain('directly from escrow')
  await visitor.told(/Listed 2 items/)
  for (const n of [0, 1]) await row(n).getByText('For sale at 0.002').waitFor()
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: slug } })
  expect(new Map(listings.map((listing) => [listing.inscriptionId, listing.priceSats]))).toEqual(
    new Map(ids.map((id, n) => [id, n < 2 ? 200_000 : 90_000])),
  )

  await choose(0, 1)
  await press('Withdraw 2')
  expect(await visitor.confirm()).toContain('The market pays the network fee')
  await visitor.told(/Sent to your address in [0-9a-f]{64}/)
  for (const n of [0, 1]) {
    await row(n).getByText('Withdrawing').waitFor()
    await page.getByLabel(`Choose ${slug} #${n}`).check()
  }
  // The market is already withdrawing, so only the exit is left.
  await page.getByRole('button', { name: 'Exit with 2 without the market' }).waitFor()
  expect(await page.getByRole('button', { name: /^Withdraw|^Set|^End/ }).count()).toBe(0)
  await market.mine()
  await expectHome(ids.slice(0, 2))
  await row(0).waitFor({ state: 'detached' })

  const before = await escrowsNow()
  await choose(2, 3)
  // The published form requires the private key, so a wallet cannot exit.
  await page.getByRole('button', { name: 'Exit without the market', exact: true }).waitFor()
  await press('End old prices of 2 on chain')
  const moving = await visitor.confirm()
  expect(moving).toContain('move to new escrows and stay yours')
  expect(moving).toContain('no price that you signed before is valid')
  await visitor.told(/Sent to a new escrow in [0-9a-f]{64}/)
  await row(2).getByText('Moving to a new escrow').waitFor()
  await market.mine()
  await row(2).getByText('In escrow, not for sale').waitFor()
  for (const { txid, vout } of before)
    expect(await market.server.context.node.txOut({ txid, vout }), 'the old escrow coin').toBeNull()
  expect((await escrowsNow()).map((each) => each.listing)).toEqual([null, null])

  await choose(2, 3)
  await press('Exit with 2 without the market')
  const leaving = await visitor.confirm()
  expect(leaving).toContain('with your signature only')
  await visitor.told(/Sent to your address in [0-9a-f]{64}/)
  await market.mine()
  await expectHome(ids)
  await page.getByText('No items in escrow').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('invalidates old prices by moving the inscription', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await strand(slug, id, 'wallet')
  const [before] = await escrowsNow()
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  await visitor.go(`/inscription/${id}`)
  await visitor.signIn()
  const escrow = visitor.page.getByRole('region', { name: 'In escrow, still yours' })
  for (const way of [
    /Press "List for sale" above/,
    /The market signs too/,
    /Your wallet withdraws it without the market/,
    /move the inscription to a new escrow/,
  ])
    await escrow.getByText(way).waitFor()
  await escrow.getByRole('button', { name: 'End old prices on chain' }).click()
  const shown = await visitor.confirm()
  expect(shown).toContain(`${slug} #0 moves to a new escrow and stays yours`)
  expect(shown).toContain('You pay the network fee')
  await visitor.told(/Sent to a new escrow in [0-9a-f]{64}/)
  await market.mine()
  const [after] = await escrowsNow()
  expect(after).toMatchObject({ inscriptionIds: [id], state: 'resting', listing: null })
  expect(after!.txid).not.toBe(before!.txid)
  visitor.assertQuiet()
  await visitor.close()
})

it('shows guarantees only to the seller', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 2)
  const [listed, stranded] = ids as [string, string]
  await listAll(market, owner, slug, [listed], 90_000)
  await strand(slug, stranded, 'published')
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  const { page } = visitor
  await visitor.go(`/inscription/${listed}`)
  await page.getByRole('button', { name: 'Buy now' }).waitFor()
  expect(await page.getByText('It stays in your wallet until it sells').count()).toBe(0)
  await visitor.signIn()
  await page.getByText('It stays in your wallet until it sells').click()
  await page.getByText(/Nothing leaves your wallet for a listing until a buyer pays/).waitFor()
  await visitor.go(`/inscription/${stranded}`)
  const escrow = page.getByRole('region', { name: 'In escrow, still yours' })
  await escrow.getByText(/you need the private key of your ordinals address/).waitFor()
  await escrow.getByRole('button', { name: 'Withdraw' }).waitFor()
  expect(await escrow.getByRole('button', { name: 'Exit without the market' }).count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the progress of a withdrawal', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await strand(slug, id, 'wallet')
  const visitor = await browser.visitor(market.server.url, { wallet: owner.wallet })
  const { page } = visitor
  await visitor.go(`/inscription/${id}`)
  await visitor.signIn()
  const progress = page.getByRole('region', { name: 'Progress' })
  await page.getByRole('button', { name: 'Exit without the market' }).click()
  await visitor.confirm()
  await progress.getByText('In the mempool, done').waitFor()
  await page.reload()
  await progress.getByText('In the mempool, done').waitFor()
  await market.mine()
  await progress.getByText(`${slug} #0 is back at your address.`).waitFor()
  await market.mine(5)
  await progress.getByText('6 confirmations').waitFor()
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await market.mine()
  await until('the block to be read', async () => asked.some((path) => path.endsWith(id)))
  expect(asked.filter((path) => path.includes('/settlements/'))).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})

it('shows a signed exit that the network rejects', async () => {
  const { slug, ids } = await market.collection(owner.wallet, 1)
  await strand(slug, ids[0]!, 'wallet')
  const [escrow] = (await escrowsNow()).filter((each) => each.inscriptionIds[0] === ids[0])
  const visitor = await atEscrows(owner)
  const { page } = visitor
  await page.getByLabel(`Choose ${slug} #0`).check()
  await page.getByRole('button', { name: 'Exit without the market', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in Xverse' }).waitFor()
  // The market withdraws the item first, so that no node accepts the exit.
  await reclaim(owner, [{ ...escrow!, escrowForm: 'wallet', offset: 0 }])
  await market.mine()
  await visitor.confirm()
  const dialog = page.getByRole('dialog', { name: `${slug} #0: signed, not sent` })
  const shown = await dialog.getByLabel('The signed transaction').inputValue()
  const { inputs } = decodeTransaction(shown)
  expect(inputs.map(({ txid, vout }) => `${txid}:${vout}`)).toContain(`${escrow!.txid}:${escrow!.vout}`)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(readFileSync((await saved.path())!, 'utf8')).toBe(shown)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await dialog.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown)
  await visitor.close()
})

it('hides the escrows of other users', async () => {
  const visitor = await atEscrows(buyer)
  await visitor.page.getByText('No items in escrow').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
