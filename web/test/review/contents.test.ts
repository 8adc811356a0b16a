import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { expect, it } from 'vitest'
import { inscribeTogether } from '../../../e2e/support/bundles.ts'
import { SIGN, type Visitor } from '../support/browser.ts'
import { fillListing } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const isSigned = ({ asked }: Visitor) => asked.some((each) => /sign(Psbt|MultipleTransactions)/i.test(each))

it('separates a coin with another inscription before it is listed', async () => {
  const { market, seller } = at
  const [first, second] = await inscribeTogether(
    market,
    seller.wallet.ordinalsScript,
    ['listed', 'along'],
    [0, 4000],
  )
  const visitor = await at.enter(seller, `/inscription/${first}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'List for sale', exact: true }).click()
  const ticket = page.getByRole('dialog')
  await ticket.getByLabel('Price in BTC').fill('0.0005')
  // The market lists no coin with inscriptions on several sats.
  await ticket.getByText('This coin also contains another inscription.').waitFor()
  await ticket.getByRole('button', { name: 'Separate the coin' }).click()

  const split = page.getByRole('dialog', { name: 'Review the split' })
  await split.getByText('Where it goes').waitFor()
  const rows = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[data-purpose]')].map((row) => row.dataset.purpose)`,
  )
  expect(rows.filter((purpose) => purpose === 'item')).toHaveLength(2)
  expect(isSigned(visitor)).toBe(false)
  await visitor.confirm()
  await page.getByText(/After the next block, in about 10 minutes, each is in a separate coin/).waitFor()
  await market.mine()
  const coins = await Promise.all([first, second].map((id) => market.coinOf(id)))
  expect(new Set(coins.map(formatOutpoint)).size).toBe(2)
  for (const { script } of coins) expect(script).toEqual(seller.wallet.ordinalsScript)

  await visitor.go(`/inscription/${first}`)
  await fillListing(visitor, '0.0005')
  expect(await visitor.confirm()).toContain('for 0.0005 BTC.')
  await visitor.close()
})

it('offers a retry while the contents of coins cannot be read', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await at.enter(at.seller, `/inscription/${ids[0]}`)
  const { page } = visitor
  let isDown = true
  await page.route('**/web/v1/carries?*', (route) =>
    isDown ? route.fulfill({ status: 500, body: '' }) : route.continue(),
  )
  await fillListing(visitor, '0.0005')
  const review = page.getByRole('dialog', { name: 'Review your listing' })
  await review.getByText('The market cannot report now what else the coins contain, such as runes.').waitFor()
  expect(await review.getByRole('button', { name: 'Tick the box to sign' }).isDisabled()).toBe(true)
  await review.getByLabel('I know what my coins contain.').check()
  await review.getByRole('button', { name: SIGN }).waitFor()
  isDown = false
  await review.getByRole('button', { name: 'Retry' }).click()
  await review.getByText('The market cannot report now').waitFor({ state: 'detached' })
  expect(await review.getByLabel('I know what my coins contain.').count()).toBe(0)
  await review.getByRole('button', { name: SIGN }).waitFor()
  await visitor.close()
})

it('has the seller acknowledge that a coin may have runes', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await at.enter(at.seller, `/inscription/${ids[0]}`)
  const { page } = visitor
  await page.route('**/web/v1/carries?*', (route) =>
    route.fulfill({ json: { carries: [{ inscriptionId: ids[0], kind: 'unproven', name: 'runes' }] } }),
  )
  await fillListing(visitor, '0.0005')
  const review = page.getByRole('dialog', { name: 'Review your listing' })
  await review.getByText('This coin also contains').waitFor()
  expect(await review.getByRole('button', { name: 'Tick the box to sign' }).isDisabled()).toBe(true)
  await review.getByLabel('I know that any runes that may be in it leave with the item.').check()
  await review.getByRole('button', { name: SIGN }).waitFor()
  await visitor.close()
})
