import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { bid, buy, counter, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, listAll, setUpTrader, signedPackage } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import { SIGN, type Visitor } from '../support/browser.ts'
import { openBatch, priceBatch } from '../support/clicks.ts'
import { acceptSwap, proposeSwap, setUpDemoMarket } from '../support/demo-market.ts'

/**
 * Opens the review of every kind of trade. All are checked with axe and for its width, on a phone and on a desktop, in both themes.
 * `ORDBOOK_PICTURES=FOLDER` stores a picture of each.
 */
const LOOKS = [
  { name: 'desktop', width: 1440, height: 900 },
  { name: 'phone', width: 390, height: 844 },
] as const
const FOLDER = process.env.ORDBOOK_PICTURES

const COINS = [30_000_000, 20_000_000, 10_000_000, 9_000_000]
const { market, browser, owner, buyer, itemsOf } = setUpDemoMarket({ BUYER_FEE_BPS: '100' }, COINS)
const other = setUpTrader(market)
let lamps: string[]
let charts: string[]
let proposalId: string

beforeAll(async () => {
  lamps = await itemsOf('harbour-lamps')
  charts = await itemsOf('knot-charts')
  await market.anchors(40)
  const slug = 'harbour-lamps'
  for (const [n, id] of lamps.slice(0, 4).entries())
    await listAll(market, owner, slug, [id], 80_000 + n * 17_000)
  await listAll(market, owner, slug, [lamps[4]!], 90_000)
  const { signed } = await signedPackage(market, other, slug, [lamps[4]!])
  await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
  await market.server.sync()
  await proposeTrades()
  const coins = await coinsOf(market, buyer)
  const offered = await offering(market, buyer, [lamps[6]!], 64_000)
  await offer(buyer, slug, { ...offered, coins: coins.slice(0, 1) })
  const countered = await offering(market, buyer, [lamps[7]!], 60_000)
  const asked = await offer(buyer, slug, { ...countered, coins: coins.slice(1, 2) })
  await counter(owner, asked.items[0]!.offerId, await selling(market, lamps[7]!, 75_000, 1000))
  await bid(other, slug, { target: { kind: 'all' }, priceSats: 60_000, coins: await coinsOf(market, other) })
}, 300_000)

/** Two proposals of the owner for lamps of the buyer. The buyer has accepted the second. */
async function proposeTrades(): Promise<void> {
  for (const id of lamps.slice(8, 10)) {
    await listAll(market, owner, 'harbour-lamps', [id], 90_000)
    await buy(buyer, 'harbour-lamps', await agreementFor(market, buyer, [id]))
    await market.mine()
  }
  const [first, second] = [
    await proposeSwap(market, owner, charts.slice(0, 2)),
    await proposeSwap(market, owner, charts.slice(2, 4)),
  ]
  proposalId = first.id
  await acceptSwap(market, buyer, { ...second, lamp: lamps[9]! })
}

const press = ({ page }: Visitor, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click()
const onItem = async (visitor: Visitor, id: string, button: string) => {
  await visitor.go(`/inscription/${id}`)
  await press(visitor, button)
}

interface Scene {
  by: 'owner' | 'buyer'
  open(visitor: Visitor): Promise<unknown>
}

const SCENES: Record<string, Scene> = {
  buy: { by: 'buyer', open: (visitor) => onItem(visitor, lamps[1]!, 'Buy now') },
  sweep: {
    by: 'buyer',
    async open(visitor) {
      await visitor.go('/collection/harbour-lamps')
      await visitor.page.getByLabel('Sweep').fill('4')
      await press(visitor, 'Add the cheapest')
      await visitor.page.getByRole('dialog').getByText('You pay').waitFor()
      await press(visitor, 'Review and buy')
    },
  },
  list: {
    by: 'owner',
    async open(visitor) {
      await onItem(visitor, lamps[10]!, 'List for sale')
      await visitor.page.getByLabel('Price in BTC').fill('0.0012')
      await press(visitor, /^List for \d/)
    },
  },
  'bulk-list': {
    by: 'owner',
    async open(visitor) {
      await visitor.go('/wallet?collection=knot-charts')
      const names = [1, 2, 3, 5, 6].map((n) => `Knot Chart #${n}`)
      await openBatch(visitor, names)
      await priceBatch(visitor, names, '0.0031')
    },
  },
  offer: {
    by: 'buyer',
    async open(visitor) {
      await onItem(visitor, lamps[10]!, 'Make offer')
      await visitor.page.getByLabel('Your offer in BTC').fill('0.0007')
      await visitor.page.getByRole('dialog').getByRole('button', { name: 'Review offer' }).click()
    },
  },
  bid: {
    by: 'buyer',
    async open(visitor) {
      await visitor.go('/collection/harbour-lamps?tab=offers')
      await visitor.page.getByLabel('Number of offers').selectOption('2')
      await visitor.page.getByLabel('Price in BTC').fill('0.0005')
      await press(visitor, 'Review offer')
    },
  },
  accept: {
    by: 'owner',
    async open(visitor) {
      await onItem(visitor, lamps[6]!, 'Accept')
      await press(visitor, /^Sell for \d/)
    },
  },
  counter: {
    by: 'owner',
    async open(visitor) {
      await onItem(visitor, lamps[6]!, 'Counter')
      await visitor.page.getByLabel('Price in BTC').fill('0.0009')
      await press(visitor, 'Send counter-offer')
    },
  },
  'accept-counter': {
    by: 'buyer',
    async open(visitor) {
      await onItem(visitor, lamps[7]!, 'Accept')
      await press(visitor, /^Buy for \d/)
    },
  },
  'sell-now': {
    by: 'owner',
    async open(visitor) {
      await visitor.go('/collection/harbour-lamps?tab=offers')
      await press(visitor, 'Sell now')
      await press(visitor, 'Sell Harbour Lamp #12')
      await press(visitor, /^Sell for \d/)
    },
  },
  'swap-accept': {
    by: 'buyer',
    async open(visitor) {
      await visitor.go(`/trades/${proposalId}`)
      await visitor.page.getByLabel('Choose Harbour Lamp #9').check()
      await press(visitor, /^Accept (trade|at)/)
    },
  },
  'swap-complete': {
    by: 'owner',
    async open(visitor) {
      await visitor.go('/trades?tab=received')
      await visitor.page.getByRole('link', { name: /^Review and complete/ }).click()
      await press(visitor, /^(Review and complete|Complete at)/)
    },
  },
  withdraw: { by: 'owner', open: (visitor) => onItem(visitor, lamps[4]!, 'Withdraw') },
  exit: { by: 'owner', open: (visitor) => onItem(visitor, lamps[4]!, 'Exit without the market') },
  move: { by: 'owner', open: (visitor) => onItem(visitor, lamps[4]!, 'End old prices on chain') },
}

const picture = async ({ page }: Visitor, name: string) => {
  if (!FOLDER) return
  mkdirSync(FOLDER, { recursive: true })
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' })
}

it('has accessible reviews in every width and theme', async () => {
  const problems: string[] = []
  const visitors: Partial<Record<Scene['by'], Visitor>> = {}
  for (const [name, { by, open }] of Object.entries(SCENES)) {
    let visitor = visitors[by]
    if (!visitor) {
      const { wallet } = by === 'owner' ? owner : buyer
      visitor = await browser.visitor(market.server.url, { wallet, context: { reducedMotion: 'reduce' } })
      visitors[by] = visitor
      await visitor.go('/how')
      await visitor.signIn()
    }
    const { page } = visitor
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.evaluate('sessionStorage.clear()')
    try {
      await open(visitor)
      await page.getByRole('button', { name: SIGN }).waitFor({ timeout: 30_000 })
    } catch (error) {
      problems.push(`${name}: ${error}`)
      await picture(visitor, `${name}-failed`)
      continue
    }
    for (const { name: look, width, height } of LOOKS)
      for (const [n, colorScheme] of (['light', 'dark'] as const).entries()) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.waitForTimeout(FOLDER ? 500 : 0)
        await picture(visitor, `${name}-${look}-${colorScheme}`)
        // The second scheme differs only in colours, so check only the contrast rules.
        for (const found of await violations(visitor, n === 0 ? ALL_RULES : ['wcag2aa']))
          problems.push(`${name}, ${look}, ${colorScheme}: ${found}`)
        const isWider = await page.evaluate<boolean>(
          `[document.documentElement, ...document.querySelectorAll('dialog, dialog > div')].some((each) => each.scrollWidth > each.clientWidth + 1)`,
        )
        if (isWider) problems.push(`${name}, ${look}: wider than the screen`)
        const cut = await page.evaluate<string[]>(
          `[...[...document.querySelectorAll('dialog[open]')].at(-1).querySelectorAll('*')]
            .filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).textOverflow === 'ellipsis')
            .map((each) => each.textContent)`,
        )
        for (const text of cut) problems.push(`${name}, ${look}: cut off: ${text}`)
      }
    await page.getByRole('dialog').last().getByRole('button', { name: 'Cancel', exact: true }).click()
  }
  expect(problems).toEqual([])
  for (const visitor of Object.values(visitors)) {
    visitor.assertQuiet()
    await visitor.close()
  }
}, 1_800_000)
