import type { TestTrader } from '../../../e2e/support/market.ts'
import type { TestBrowser, Visitor } from './browser.ts'

/** Clicks through each kind of trade. Prices are in BTC. */

export async function signedIn(
  browser: TestBrowser,
  url: string,
  { wallet }: Pick<TestTrader, 'wallet'>,
  path = '/',
): Promise<Visitor> {
  const visitor = await browser.visitor(url, { wallet })
  await visitor.go(path)
  await visitor.signIn()
  return visitor
}

const press = ({ page }: Visitor, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).click()

/** Opens a ticket, unless it is still open after an error. */
async function openTicket({ page }: Visitor, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true, includeHidden: true })
  await button.waitFor()
  if ((await page.getByRole('dialog').count()) === 0) await button.click()
}

/** Requires the page of an own inscription. */
export async function fillListing(visitor: Visitor, btc: string): Promise<void> {
  await openTicket(visitor, 'List for sale')
  await visitor.page.getByLabel('Price in BTC').fill(btc)
  await press(visitor, /^List for \d/)
}

/** Requires an inscription in escrow. */
export async function changePrice(visitor: Visitor, id: string, btc: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await openTicket(visitor, 'Edit price')
  await visitor.page.getByLabel('Price in BTC').fill(btc)
  await press(visitor, /^Change price to \d/)
}

/** Chooses own items on the Items tab and opens them in the batch of the Listings tab. */
export async function openBatch(visitor: Visitor, names: readonly string[]): Promise<void> {
  const { page } = visitor
  for (const name of names) await page.getByLabel(`Choose ${name}`, { exact: true }).check()
  await press(visitor, `List ${names.length}`)
  await page.getByRole('table', { name: 'Prices' }).waitFor()
}

/** Types one price for items of the open batch, up to the review. */
export async function priceBatch(
  visitor: Visitor,
  names: readonly string[],
  amount: string,
  unit = 'BTC',
): Promise<void> {
  for (const name of names) await visitor.page.getByLabel(`Price of ${name} in ${unit}`).fill(amount)
  await press(visitor, `Review ${names.length}`)
}

export async function takeBack(visitor: Visitor, id: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await press(visitor, 'Withdraw')
}

export async function buyFirst(visitor: Visitor, slug: string, btc: string): Promise<void> {
  await visitor.go(`/collection/${slug}`)
  await visitor.page.getByRole('link', { name: new RegExp(`${slug} #0 ?${btc}0* BTC`) }).click()
  await press(visitor, 'Buy now')
}

export async function makeOffer(visitor: Visitor, id: string, btc: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await openTicket(visitor, 'Make offer')
  await visitor.page.getByLabel('Your offer in BTC').fill(btc)
  await visitor.page.getByRole('dialog').getByRole('button', { name: 'Review offer' }).click()
}

/** Sells through the ticket. Calls `open` first unless a ticket is still open after an error. */
async function sellBy({ page }: Visitor, open: () => Promise<void>): Promise<void> {
  const action = page.getByRole('button', { name: /^Sell for \d/ })
  if ((await action.count()) === 0) await open()
  await action.click()
}

export const acceptOffer = (visitor: Visitor, id: string) =>
  sellBy(visitor, async () => {
    await visitor.go(`/inscription/${id}`)
    await press(visitor, 'Accept')
  })

export async function makeBid(visitor: Visitor, slug: string, btc: string): Promise<void> {
  await visitor.go(`/collection/${slug}?tab=offers`)
  await visitor.page.getByLabel('Price in BTC').fill(btc)
  await press(visitor, 'Review offer')
}

export const sellInto = (visitor: Visitor, slug: string, name: string) =>
  sellBy(visitor, async () => {
    await visitor.go(`/collection/${slug}?tab=offers`)
    await press(visitor, 'Sell now')
    await press(visitor, `Sell ${name}`)
  })

/**
 * Proposes own inscriptions, by name, and an amount for one inscription of another collection. Calls `look` before sending the proposal.
 */
export async function propose(
  visitor: Visitor,
  names: readonly string[],
  wanted: { slug: string; amount: string; unit?: string },
  look: () => Promise<void> = async () => {},
): Promise<void> {
  const { page } = visitor
  await visitor.go('/trades/new')
  for (const name of names) await page.getByLabel(`Choose ${name}`).check()
  await page.getByLabel('Add by collection or address').fill(wanted.slug)
  await page.getByRole('button', { name: `Add ${wanted.slug}` }).click()
  const { amount, unit = 'BTC' } = wanted
  await page.getByLabel(`Amount to add in ${unit}`).last().fill(amount)
  await look()
  await press(visitor, /^Send (proposal|at .*)$/)
  await visitor.told(/Trade proposed/)
}

/** Accepts the first proposal that matches an own inscription. Calls `look` before sending the acceptance. */
export async function acceptProposal(
  visitor: Visitor,
  name: string,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  const { page } = visitor
  await visitor.go('/trades?tab=matching')
  await page
    .getByRole('link', { name: /^View trade/ })
    .first()
    .click()
  await page.getByLabel(`Choose ${name}`).check()
  await look()
  await press(visitor, /^Accept (trade|at .*)$/)
}

/** Completes the trade whose acceptance is newest. */
export async function settle(visitor: Visitor): Promise<void> {
  await visitor.go('/trades?tab=received')
  await visitor.page
    .getByRole('link', { name: /^Review and complete/ })
    .first()
    .click()
  await press(visitor, /^(Review and complete|Complete at .*)$/)
}
