import { join } from 'node:path'
import { propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const FOLDER = process.env.ORDBOOK_PICTURES

interface Side {
  slug: string
  ids: string[]
}

const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const board = ({ page }: Visitor, name: string) => page.getByRole('region', { name, exact: true })
const status = ({ page }: Visitor) => page.locator('[data-turn]')
const shows = async (visitor: Visitor, tone: string, title: string | RegExp) => {
  await status(visitor).getByText(title).waitFor()
  expect(await status(visitor).getAttribute('data-turn')).toBe(tone)
}

/** Checks a state of the page with axe and for its width. `ORDBOOK_PICTURES=FOLDER` stores a picture of each. */
async function assertGood(visitor: Visitor, name: string): Promise<void> {
  const { page } = visitor
  for (const width of [1440, 390, 820, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate('new Promise((done) => setTimeout(done, 300))')
    if (FOLDER) await page.screenshot({ path: join(FOLDER, `${name}-${width}.png`), fullPage: true })
    const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
    )
    expect(scrollWidth, `${name} at ${width}`).toBeLessThanOrEqual(clientWidth)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await violations(visitor, ALL_RULES), name).toEqual([])
}

/** Two collections: the seller's, and the buyer's with other items for sale at `price`. */
async function bothSides(mine: number, theirs: number): Promise<[Side, Side]> {
  return [
    await at.market.collection(at.seller.wallet, mine),
    await at.market.collection(at.buyer.wallet, theirs),
  ]
}

async function proposed(
  mine: Side,
  theirs: Side,
  terms: { offeredBtcSats?: number; requestedBtcSats?: number },
) {
  const proposer = await traderAtStorefront(at.market.server.url, at.seller.wallet)
  const { id } = await propose(proposer, {
    visibility: 'public',
    offeredInscriptionIds: mine.ids,
    wantedLegs: [{ collectionSlug: theirs.slug, quantity: 1, target: { kind: 'all' } }],
    offeredBtcSats: 0,
    requestedBtcSats: 0,
    ...terms,
  })
  return `/trades/${id}`
}

it('leads both sides from the proposal to the receipt on one page', async () => {
  const [mine, theirs] = await bothSides(1, 1)
  const path = await proposed(mine, theirs, { requestedBtcSats: 50_000 })
  const proposer = await at.enter(at.seller, path)
  await shows(proposer, 'waiting', 'Waiting for someone to accept')
  expect(await button(proposer, 'Withdraw proposal').count()).toBe(1)
  await board(proposer, 'You get').getByText('Any 1 item').waitFor()

  const acceptor = await at.enter(at.buyer, path)
  await shows(acceptor, 'waiting', 'Open: you can accept this trade')
  const accept = button(acceptor, 'Accept trade')
  expect(await accept.isDisabled()).toBe(true)
  await acceptor.page.getByLabel(`Choose ${theirs.slug} #0`).check()
  await board(acceptor, 'You give')
    .getByRole('link', { name: `${theirs.slug} #0` })
    .waitFor()
  await accept.click()
  await acceptor.confirm()
  await acceptor.told(/completes when the proposer signs/)
  for (const isReloaded of [false, true]) {
    if (isReloaded) await acceptor.go(path)
    await shows(acceptor, 'waiting', /^Waiting for bcrt1p.*…\w+ to complete$/)
    expect(await button(acceptor, /^Accept/).count()).toBe(0)
    await board(acceptor, 'You give').getByText('you signed').waitFor()
    await button(acceptor, 'Withdraw').waitFor()
  }
  await assertGood(acceptor, 'trade-waiting')

  await proposer.go(path)
  await shows(proposer, 'turn', 'Your turn: complete the trade')
  await board(proposer, 'You get').getByText('they signed').waitFor()
  await board(proposer, 'You get')
    .getByRole('link', { name: `${theirs.slug} #0` })
    .waitFor()
  await assertGood(proposer, 'trade-to-complete')
  await button(proposer, 'Review and complete').click()
  await proposer.confirm()
  const txid = /Completed in ([0-9a-f]{64})/.exec(await proposer.told(/Completed in/))![1]!
  for (const visitor of [proposer, acceptor]) {
    await shows(visitor, 'nothing', 'Nothing to do: the trade is being completed')
    const receipt = board(visitor, 'Receipt')
    await receipt.getByRole('button', { name: new RegExp(`${txid.slice(0, 6)}…${txid.slice(-6)}`) }).waitFor()
    expect(await board(visitor, 'Balance').count()).toBe(0)
  }
  await at.market.mine()
  for (const visitor of [proposer, acceptor]) {
    await shows(visitor, 'nothing', 'Nothing to do: the trade is complete')
    await visitor.go(path)
    await shows(visitor, 'nothing', 'Nothing to do: the trade is complete')
    expect(await visitor.page.locator('main').textContent()).not.toMatch(
      /[0-9a-f]{6}…\w{4}i0|settled|at once/i,
    )
    if (visitor === acceptor) await assertGood(visitor, 'trade-receipt')
    await visitor.page.getByRole('link', { name: 'View receipt' }).click()
    await visitor.page.waitForURL(`**/receipt/${txid}`)
    visitor.assertQuiet()
    await visitor.close()
  }
}, 240_000)

it('names the loss when sending and when completing an uneven trade', async () => {
  const [mine, theirs] = await bothSides(3, 3)
  await listAll(at.market, at.seller, mine.slug, mine.ids.slice(1, 2), 100_000, 1000)
  await listAll(at.market, at.buyer, theirs.slug, theirs.ids.slice(1, 2), 60_000, 1000)
  const proposer = await at.enter(at.seller, `/trades/new?give=${mine.ids[0]}&with=${theirs.slug}`)
  const { page } = proposer
  await page.getByLabel(`Choose ${mine.slug} #0`).waitFor()
  await button(proposer, new RegExp(`^Add ${theirs.slug}`)).click()
  await board(proposer, 'You get').getByLabel(`Choose ${theirs.slug} #0`).check()
  await page.getByText('You get 40.0% less than you give.').waitFor()
  expect(await page.locator('[data-balance]').textContent()).toBe(
    '−0.0004 BTC (−40.0%) for you by estimated value',
  )
  expect(await button(proposer, 'Send proposal').count()).toBe(0)
  // With BTC on top, the trade is in line.
  const amount = board(proposer, 'You get').getByLabel('Amount to add in BTC')
  await amount.fill('0.00035')
  await page.getByText('In line.').waitFor()
  await amount.fill('0.001')
  await page.getByText('In your favour.').waitFor()
  await amount.fill('0.00035')
  await page.getByText('In line.').waitFor()
  await button(proposer, 'Send proposal').waitFor()
  await amount.fill('')
  await button(proposer, 'Send at −40.0%').click()
  await proposer.told(/Trade proposed/)
  await page.waitForURL(/\/trades\/[0-9a-f-]{36}$/)
  const path = new URL(page.url()).pathname

  const acceptor = await at.enter(at.buyer, path)
  await acceptor.page.getByLabel(`Choose ${theirs.slug} #0`).check()
  await assertGood(acceptor, 'trade-accept')
  await button(acceptor, 'Accept trade').click()
  await acceptor.confirm()
  await acceptor.told(/completes when the proposer signs/)
  await acceptor.close()

  await shows(proposer, 'turn', 'Your turn: complete the trade')
  expect(await button(proposer, 'Review and complete').count()).toBe(0)
  await button(proposer, 'Complete at −40.0%').click()
  await proposer.confirm()
  await proposer.told(/Completed in/)
  proposer.assertQuiet()
  await proposer.close()
}, 240_000)

it('marks unverified collections on the tiles', async () => {
  const [mine, theirs] = await bothSides(1, 1)
  await at.market.sql`update collections set verification_status = 'verified' where slug = ${mine.slug}`
  const visitor = await at.enter(at.buyer, await proposed(mine, theirs, {}))
  const tile = (name: string, of: string) =>
    board(visitor, name).locator('[data-tile]').filter({ hasText: of })
  await visitor.page.getByLabel(`Choose ${theirs.slug} #0`).check()
  await tile('You give', `${theirs.slug} #0`).getByText('Unverified').waitFor()
  expect(await tile('You get', `${mine.slug} #0`).getByText('Unverified').count()).toBe(0)
  await visitor.page.getByText('1 collection is not verified by this market.').waitFor()
  await visitor.close()
})

it('keeps tiles of one size, and folds more than six', async () => {
  const [mine, theirs] = await bothSides(8, 1)
  const visitor = await at.enter(at.buyer, await proposed(mine, theirs, {}))
  const tiles = visitor.page.locator('[data-tile]')
  const get = board(visitor, 'You get')
  await get.getByText('+2 more').waitFor()
  expect(await get.locator('[data-tile]').count()).toBe(6)
  await visitor.page.waitForTimeout(300)
  const widths = new Set<number>()
  for (const tile of await tiles.all()) widths.add(Math.round((await tile.boundingBox())!.width))
  expect([...widths]).toHaveLength(1)
  await get.getByRole('button', { name: '+2 more' }).click()
  expect(await get.locator('[data-tile]').count()).toBe(8)
  await visitor.close()
})

it('lets the proposer decline, and the acceptor accept again', async () => {
  const [mine, theirs] = await bothSides(1, 1)
  const path = await proposed(mine, theirs, {})
  const acceptor = await at.enter(at.buyer, path)
  const accept = async () => {
    await acceptor.page.getByLabel(`Choose ${theirs.slug} #0`).check()
    await button(acceptor, 'Accept trade').click()
    await acceptor.confirm()
    await acceptor.told(/completes when the proposer signs/)
  }
  await accept()
  const proposer = await at.enter(at.seller, path)
  await button(proposer, 'Decline').click()
  await proposer.told(/Declined/)
  await shows(proposer, 'waiting', 'Waiting for someone to accept')
  await acceptor.page.getByText('Your acceptance ended: declined by the proposer.').waitFor()
  await acceptor.go(path)
  await accept()
  await button(proposer, 'Review and complete').waitFor()
  // One way out at a time: the proposal can be withdrawn once the acceptance has ended.
  expect(await button(proposer, 'Withdraw proposal').count()).toBe(0)
  await button(proposer, 'Decline').click()
  await proposer.told(/Declined/)
  await proposer.go(path)
  await button(proposer, 'Withdraw proposal').click()
  await proposer.told(/withdrawn/)
  await shows(proposer, 'nothing', 'Nothing to do: the proposal was withdrawn')
  for (const visitor of [proposer, acceptor]) {
    visitor.assertQuiet()
    await visitor.close()
  }
})

it('completes one of several acceptances', async () => {
  const third = await at.market.trader()
  const mine = await at.market.collection(at.seller.wallet, 1)
  const theirs = await at.market.collection([at.buyer.wallet, third.wallet], 1)
  const path = await proposed(mine, theirs, {})
  const acceptors = []
  for (const [n, trader] of [at.buyer, third].entries()) {
    const visitor = await at.enter(trader, path)
    await visitor.page.getByLabel(`Choose ${theirs.slug} #${n}`).check()
    await button(visitor, 'Accept trade').click()
    await visitor.confirm()
    await visitor.told(/completes when the proposer signs/)
    acceptors.push(visitor)
  }
  const proposer = await at.enter(at.seller, path)
  const chooser = board(proposer, 'Acceptances')
  await chooser.getByText('2 collectors have accepted.').waitFor()
  const choices = chooser.getByRole('button')
  const got = (n: number) => board(proposer, 'You get').getByRole('link', { name: `${theirs.slug} #${n}` })
  // Each choice shows the items of its acceptor, and the button completes the shown one.
  for (const [n, trader] of [at.buyer, third].entries()) {
    const { ordinalsAddress } = trader.wallet
    await choices.filter({ hasText: `${ordinalsAddress.slice(0, 8)}…${ordinalsAddress.slice(-6)}` }).click()
    await got(n).waitFor()
    expect(await got(1 - n).count()).toBe(0)
  }
  await assertGood(proposer, 'trade-several')
  await button(proposer, 'Review and complete').click()
  expect(await proposer.confirm()).toContain(`${theirs.slug} #1`)
  await proposer.told(/Completed in/)
  await at.market.mine()
  const [other, taken] = acceptors as [Visitor, Visitor]
  await shows(taken, 'nothing', 'Nothing to do: the trade is complete')
  await other.go(path)
  await shows(other, 'nothing', 'Nothing to do: the trade is taken')
  const owner = async (inscriptionId: string) => {
    const response = await fetch(`${at.market.server.url}/web/v1/inscriptions/${inscriptionId}`)
    return ((await response.json()) as { owner: string }).owner
  }
  expect(await Promise.all([mine.ids[0]!, theirs.ids[1]!, theirs.ids[0]!].map(owner))).toEqual(
    [third, at.seller, at.buyer].map(({ wallet }) => wallet.ordinalsAddress),
  )
  for (const visitor of [proposer, ...acceptors]) {
    visitor.assertQuiet()
    await visitor.close()
  }
}, 240_000)
