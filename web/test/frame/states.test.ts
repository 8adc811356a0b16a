import { bid, counter, offer, propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { isThorough } from '../../../e2e/support/effort.ts'
import { listAll } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import type { Visitor } from '../support/browser.ts'
import { openBatch } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

/**
 * Runs axe on open tickets, sheets and menus in each state; pages.test.ts checks the pages. Widths and themes are tested in turn, in a
 * thorough run all of them for each state.
 */
const LOOKS = [390, 820, 1440, 1920].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
/** Maximum width at which filters are in a sheet. */
const NARROW = 820
const shared = marketInBrowser()

interface Scene {
  /** The seller's collection. The first item has an offer, and there is a higher collection offer. */
  mine: { slug: string; ids: string[] }
  /** The buyer's collection. The first three are for sale; the seller's offer for the fourth has a counter-offer. */
  yours: { slug: string; ids: string[] }
  proposalId: string
}

async function scene(): Promise<Scene> {
  const { market, seller, buyer } = shared
  const mine = await market.collection(seller.wallet, 4)
  const yours = await market.collection(buyer.wallet, 5)
  await listAll(market, buyer, yours.slug, yours.ids.slice(0, 3), 50_000)
  await offer(buyer, mine.slug, await offering(market, buyer, mine.ids.slice(0, 1), 40_000))
  const other = await market.trader()
  const coins = await coinsOf(market, other)
  await bid(other, mine.slug, { target: { kind: 'all' }, priceSats: 90_000, coins })
  const countered = yours.ids[3]!
  const asked = await offer(seller, yours.slug, await offering(market, seller, [countered], 30_000))
  await counter(buyer, asked.items[0]!.offerId, await selling(market, countered, 45_000))
  const proposer = await traderAtStorefront(market.server.url, buyer.wallet)
  const { id } = await propose(proposer, {
    visibility: 'public',
    offeredInscriptionIds: [yours.ids[4]!],
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: mine.slug, quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 20_000,
  })
  return { mine, yours, proposalId: id }
}

/** Brings a page into one state. The next navigation resets it. */
type Open = (visitor: Visitor, scene: Scene) => Promise<void>

const press = ({ page }: Visitor, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click()
const sees = ({ page }: Visitor, text: string) => page.getByText(text).first().waitFor()

const onItem =
  (of: 'mine' | 'yours', n: number, button: string): Open =>
  async (visitor, at) => {
    await visitor.go(`/inscription/${at[of].ids[n]}`)
    await press(visitor, button)
    await visitor.page.getByRole('dialog').waitFor()
  }

/** Opens a ticket, enters a price and waits for the bill. */
const priced =
  (open: Open, label: string, btc: string): Open =>
  async (visitor, at) => {
    await open(visitor, at)
    await visitor.page.getByLabel(`${label} in BTC`).fill(btc)
    await visitor.page.locator('[aria-label="Bill"][aria-busy="false"]').waitFor()
  }

const listTicket = onItem('mine', 2, 'List for sale')
const offerTicket = priced(onItem('yours', 0, 'Make offer'), 'Your offer', '0.0003')
const lowerOffer: Open = async (visitor, at) => {
  await onItem('mine', 0, 'Accept')(visitor, at)
  await sees(visitor, 'Another offer pays you more.')
}
const fitting: Open = async (visitor, { mine }) => {
  await visitor.go(`/collection/${mine.slug}?tab=offers`)
  await press(visitor, 'Sell now')
  await visitor.page.getByRole('button', { name: `Sell ${mine.slug} #1`, exact: true }).waitFor()
}
const review: Open = async (visitor, { yours }) => {
  await visitor.go(`/inscription/${yours.ids[0]}`)
  await press(visitor, 'Buy now')
  // On a phone the ticket opens from the bar.
  const sheet = visitor.page.getByRole('dialog', { name: /^Buy / })
  const signing = visitor.page.getByRole('button', { name: 'Sign in Xverse' })
  await sheet.or(signing).first().waitFor()
  const inSheet = sheet.getByRole('button', { name: 'Buy now' })
  if (await inSheet.count()) await inSheet.click()
  await signing.waitFor()
}

const STATES: Record<string, Open> = {
  'the list ticket': listTicket,
  'the list ticket with its bill': priced(listTicket, 'Price', '0.001'),
  'the list ticket, stopped under an offer': async (visitor, at) => {
    await priced(listTicket, 'Price', '0.0003')(visitor, at)
    await sees(visitor, 'An offer pays you more.')
  },
  'the offer ticket, before a price': onItem('yours', 0, 'Make offer'),
  'the offer ticket with a note': async (visitor, at) => {
    await offerTicket(visitor, at)
    await sees(visitor, 'Not verified by this market.')
  },
  'the offer ticket with an invalid price': async (visitor, at) => {
    await onItem('yours', 0, 'Make offer')(visitor, at)
    await visitor.page.getByLabel('Your offer in BTC').fill('0,05')
    await sees(visitor, 'Did you mean')
  },
  'the offer ticket that asks for a second press': async (visitor, at) => {
    await priced(onItem('yours', 0, 'Make offer'), 'Your offer', '0.0009')(visitor, at)
    await press(visitor, 'Review offer')
    await visitor.page.getByRole('button', { name: 'Offer more than its price' }).waitFor()
  },
  'the offer ticket after an error': async (visitor, at) => {
    await offerTicket(visitor, at)
    await press(visitor, 'Review offer')
    await visitor.page.getByRole('button', { name: 'Sign in Xverse' }).waitFor()
    await press(visitor, 'Cancel')
    await sees(visitor, 'Cancelled. Nothing was signed.')
  },
  'the accept ticket below a better offer': lowerOffer,
  'the accept ticket that asks for a second press': async (visitor, at) => {
    await lowerOffer(visitor, at)
    await press(visitor, /^Sell for \d/)
    await visitor.page.getByRole('button', { name: 'Accept the lower offer' }).waitFor()
  },
  'the items that match an offer': fitting,
  'the ticket that sells into an offer': async (visitor, at) => {
    await fitting(visitor, at)
    await press(visitor, `Sell ${at.mine.slug} #1`)
    await sees(visitor, 'You receive')
  },
  'the counter ticket': priced(onItem('mine', 0, 'Counter'), 'Price', '0.002'),
  'the ticket that accepts a counter': async (visitor, at) => {
    await onItem('yours', 3, 'Accept')(visitor, at)
    await sees(visitor, 'You pay')
  },
  'the trade builder': async (visitor, { mine, yours }) => {
    const { page } = visitor
    await visitor.go('/trades/new')
    await page.getByLabel(`Choose ${mine.slug} #3`).check()
    const next = page.getByRole('button', { name: 'Next: what you get' })
    if (await next.isVisible()) await next.click()
    await page.getByLabel('Add by collection or address').fill(yours.slug)
    await press(visitor, `Add ${yours.slug} Unverified`)
    await page.getByLabel('Amount to add in BTC').last().fill('0.0001')
    await sees(visitor, 'You receive')
  },
  'a trade to accept': async (visitor, { mine, proposalId }) => {
    await visitor.go(`/trades/${proposalId}`)
    await visitor.page.getByLabel(`Choose ${mine.slug} #3`).check()
    await sees(visitor, 'You pay')
  },
  'the cart': async (visitor, { yours }) => {
    await visitor.go(`/collection/${yours.slug}`)
    await visitor.page.getByLabel('Sweep').fill('2')
    await press(visitor, 'Add the cheapest')
    await visitor.page.getByRole('dialog', { name: 'Cart' }).getByText('2 items', { exact: true }).waitFor()
  },
  'the bid form': async (visitor, { yours }) => {
    await visitor.go(`/collection/${yours.slug}?tab=offers`)
    await visitor.page.getByLabel('Price in BTC').fill('0.0004')
    await sees(visitor, 'Most you pay')
  },
  'chosen items of the portfolio': async (visitor, { mine }) => {
    const { page } = visitor
    await visitor.go('/wallet')
    const names = [2, 3].map((n) => `${mine.slug} #${n}`)
    await openBatch(visitor, names)
    for (const name of names) await page.getByLabel(`Price of ${name} in BTC`).fill('0.002')
    await page.getByRole('button', { name: 'Review 2', exact: true }).waitFor()
    await sees(visitor, 'Xverse asks once for all 2.')
  },
  'a batch with warnings': async (visitor, { mine }) => {
    const { page } = visitor
    await visitor.go('/wallet')
    const names = [1, 2, 3].map((n) => `${mine.slug} #${n}`)
    await openBatch(visitor, names)
    for (const [n, price] of ['0.0002', '1e3', '0.003'].entries())
      await page.getByLabel(`Price of ${names[n]} in BTC`).fill(price)
    const details = page.getByRole('button', { name: 'Show the bill' })
    if (await details.isVisible()) await details.click()
    await sees(visitor, 'An offer pays you more.')
    await sees(visitor, 'Correct 1 price first.')
  },
  'the selection bar': async (visitor, { mine }) => {
    const { page } = visitor
    await visitor.go('/wallet')
    for (const n of [2, 3]) await page.getByLabel(`Choose ${mine.slug} #${n}`, { exact: true }).check()
    await page.getByRole('region', { name: 'Your selection' }).waitFor()
  },
  'the cost of an item': async (visitor) => {
    await visitor.go('/wallet')
    await visitor.page
      .getByRole('button', { name: /^Cost unknown/ })
      .first()
      .click()
    await visitor.page.getByLabel('Cost in BTC').waitFor()
  },
  'the export of trades': async (visitor) => {
    await visitor.go('/wallet?tab=receipts')
    await visitor.page.getByRole('button', { name: 'Export CSV' }).waitFor()
  },
  'the items of an address': async (visitor) => {
    await visitor.go(`/address/${shared.buyer.wallet.ordinalsAddress}`)
    await visitor.page
      .getByRole('button', { name: /^Make offer for/ })
      .first()
      .waitFor()
  },
  'the listings of an address': async (visitor) => {
    await visitor.go(`/address/${shared.buyer.wallet.ordinalsAddress}?tab=listings`)
    await visitor.page.getByRole('list', { name: 'Listings' }).waitFor()
  },
  'the filter sheet': async (visitor, { yours }) => {
    await visitor.go(`/collection/${yours.slug}`)
    await press(visitor, /^Filters/)
    await visitor.page.getByRole('dialog', { name: 'Filters' }).waitFor()
  },
  'search results': async (visitor, { yours }) => {
    const { page } = visitor
    await visitor.go('/how')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search/ }).fill(yours.slug)
    await page.getByRole('option', { name: `${yours.slug} #0` }).waitFor()
  },
  'the keyboard shortcuts': async (visitor) => {
    await visitor.go('/how')
    await visitor.page.keyboard.press('?')
    await visitor.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  },
  'the wallet menu': async (visitor) => {
    await visitor.go('/how')
    await visitor.page.locator('[data-account]').click()
    await visitor.page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  },
  'the review of a purchase': review,
  'a purchase that waits for the wallet': async (visitor, at) => {
    await review(visitor, at)
    // The wallet never responds.
    await visitor.page.evaluate(
      'window.XverseProviders.BitcoinProvider.request = () => new Promise(() => {})',
    )
    await press(visitor, 'Sign in Xverse')
    await sees(visitor, 'Sign in Xverse, now')
  },
}

/** States of a submitted purchase. Run last, because they start with a purchase. */
const SENT: Record<string, Open> = {
  'a purchase in the mempool': async (visitor, { yours }) => {
    await visitor.go(`/inscription/${yours.ids[1]}`)
    await sees(visitor, 'In the mempool, done')
  },
  'a purchase in a block': async (visitor, { yours }) => {
    if ((await shared.market.regtest.call<string[]>('getrawmempool')).length > 0) await shared.market.mine()
    await visitor.go(`/inscription/${yours.ids[1]}`)
    await sees(visitor, 'is yours.')
  },
}

let turn = 0
async function problemsOf(visitor: Visitor, at: Scene, states: Record<string, Open>): Promise<string[]> {
  const problems: string[] = []
  for (const [state, open] of Object.entries(states)) {
    const looks = LOOKS.filter(({ width }) => state !== 'the filter sheet' || width <= NARROW)
    for (const { width, colorScheme } of isThorough ? looks : [looks[turn++ % looks.length]!]) {
      await visitor.page.setViewportSize({ width, height: 900 })
      await visitor.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // An open ticket would otherwise reopen with the page of its item.
      if (states === STATES) await visitor.page.evaluate('sessionStorage.clear()')
      await open(visitor, at)
      const found = await violations(visitor, ALL_RULES)
      for (const problem of found) problems.push(`${state}, ${width}, ${colorScheme}: ${problem}`)
      const isWider = await visitor.page.evaluate<boolean>(
        'document.documentElement.scrollWidth > innerWidth + 1',
      )
      if (isWider) problems.push(`${state}, ${width}: wider than the screen`)
    }
  }
  return problems
}

it('has no accessibility violations in open dialogs', async () => {
  const at = await scene()
  const visitor = await shared.visit(shared.seller, { context: { reducedMotion: 'reduce' } })
  await visitor.go('/how')
  await visitor.signIn()
  const problems = await problemsOf(visitor, at, STATES)
  await visitor.page.evaluate('sessionStorage.clear()')
  await visitor.page.setViewportSize({ width: 1440, height: 900 })
  await visitor.go(`/inscription/${at.yours.ids[1]}`)
  await press(visitor, 'Buy now')
  await visitor.confirm()
  await visitor.told(/Bought in/)
  problems.push(...(await problemsOf(visitor, at, SENT)))
  expect(problems).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
}, 1_800_000)
