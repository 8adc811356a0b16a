import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { balanceOf } from '../../../e2e/support/chain.ts'
import { isThorough } from '../../../e2e/support/effort.ts'
import { freshWallet, type TestTrader } from '../../../e2e/support/market.ts'
import type { Visitor } from '../support/browser.ts'
import { acceptProposal, openBatch, propose, settle } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

/**
 * Compares bills with payments on the chain, to the sat, for each kind of trade and unit. A sampled run tests each kind in one unit, a
 * thorough run in all.
 */
const PER_BTC = 90_000
const at = marketInBrowser({
  env: { FIAT_PER_BTC: String(PER_BTC), BUYER_FEE_BPS: '150', PROPOSAL_FEE_SATS: '1000' },
})
const POSTAGE_SATS = 10_000
const CHANGED = 'The total went'
const creator = freshWallet()

const NAMES = { btc: 'BTC', sats: 'sats', fiat: 'USD' } as const
type Unit = keyof typeof NAMES

/** Returns a price text for about `about` sats in a unit, and the sats that the market derives from it, rounded down to `step`. */
function priced(unit: Unit, about: number, step = 1) {
  if (unit === 'sats')
    return { text: (about - (about % step)).toLocaleString('en'), sats: about - (about % step) }
  const text = unit === 'btc' ? (about / 1e8).toFixed(8) : ((about * PER_BTC) / 1e8).toFixed(2)
  const exact = unit === 'btc' ? about : Math.floor((Number(text) / PER_BTC) * 1e8)
  return { text, sats: exact - (exact % step) }
}

const exactBtc = (sats: number) => (sats / 1e8).toFixed(8)
/** Formats sats as on buttons and in messages. */
const money = (sats: number) => `${exactBtc(sats).replace(/0+$/, '')} BTC`

/** Waits for the bill of a price and returns its total, by label. */
async function billed({ page }: Visitor, total: string, priceSats: number): Promise<number> {
  const bill = page.locator('[aria-label="Bill"][aria-busy="false"]')
  const price = new RegExp(`^(${exactBtc(priceSats)}|${priceSats.toLocaleString('en')})( BTC| sats)?$`)
  await bill.getByText(price).first().waitFor()
  const row = bill.getByText(total, { exact: true }).locator('..')
  const text = (await row.getByRole('definition').textContent())!
  return Math.round(Number.parseFloat(text.replaceAll(',', '')) * (text.includes('BTC') ? 1e8 : 1))
}

/** Confirms the review, whose total must be unchanged, and waits for the message. */
async function sign(visitor: Visitor, told: RegExp): Promise<void> {
  expect(await visitor.confirm()).not.toContain(CHANGED)
  await visitor.told(told)
}

const press = ({ page }: Visitor, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click()

describe.each(['btc', 'sats', 'fiat'] as const)('in %s', (unit) => {
  let kinds = Object.keys(NAMES).indexOf(unit)
  const bills = (name: string, test: () => Promise<void>) => {
    if (isThorough || kinds++ % 3 === 0) it(name, test)
  }
  let owner: Visitor
  let other: Visitor
  let before: { seller: number; buyer: number }
  beforeAll(async () => {
    owner = await at.enter(at.seller)
    other = await at.enter(at.buyer)
    // Fields use the unit selected in the wallet menu.
    for (const { page } of [owner, other]) {
      await page.locator('[data-account]').click()
      await page
        .getByRole('group', { name: 'Amounts in' })
        .getByRole('radio', { name: { btc: 'BTC', sats: 'sats', fiat: 'USD' }[unit], exact: true })
        .check()
      await page.keyboard.press('Escape')
    }
  })
  afterAll(async () => {
    for (const visitor of [owner, other]) {
      visitor.assertQuiet()
      await visitor.close()
    }
  })

  const balance = ({ wallet }: TestTrader) => balanceOf(at.market, wallet.paymentScript)
  const balances = async () => ({ seller: await balance(at.seller), buyer: await balance(at.buyer) })

  /** Creates a collection of the seller with royalties on both sides. Stores the balances for `assertMoved`. */
  async function royal(count: number) {
    const { slug, ids } = await at.market.collection(at.seller.wallet, count)
    const royalty = { address: creator.ordinalsAddress, sellerBps: 250, buyerBps: 125 }
    await setCollectionRoyalty(at.market.server.context, slug, royalty)
    before = await balances()
    return { slug, ids, id: ids[0]! }
  }

  /** Mines a block and checks the changes of both payment balances. */
  async function assertMoved(expected: { received: number; paid: number }) {
    await at.market.mine()
    const after = await balances()
    expect({ received: after.seller - before.seller, paid: before.buyer - after.buyer }).toEqual(expected)
  }

  const type = ({ page }: Visitor, label: string, text: string) =>
    page.getByLabel(`${label} in ${NAMES[unit]}`, { exact: true }).last().fill(text)

  async function listFor(opener: 'List for sale' | 'Edit price', about: number): Promise<number> {
    const { text, sats } = priced(unit, about)
    await press(owner, opener)
    await type(owner, 'Price', text)
    const receives = await billed(owner, 'You receive', sats)
    await press(owner, `${opener === 'Edit price' ? 'Change price to' : 'List for'} ${money(sats)}`)
    await sign(owner, new RegExp(`Listed for ${money(sats)}`))
    return receives
  }

  async function buy(id: string, sats: number): Promise<number> {
    await other.go(`/inscription/${id}`)
    const pays = await billed(other, 'You pay', sats)
    await press(other, 'Buy now')
    await sign(other, /Bought in/)
    return pays
  }

  /** Places an offer for about `about` sats with the open ticket. Returns the displayed maximum cost. */
  async function offerFor(label: string, about: number, step: number, count = 1): Promise<number> {
    const { text, sats } = priced(unit, about, step)
    await type(other, label, text)
    const most = await billed(other, 'Most you pay', count * sats - (count * (count - 1) * step) / 2)
    await press(other, 'Review offer')
    await sign(other, new RegExp(`${count > 1 ? 'Highest: ' : 'Offer placed. '}${money(sats)}`))
    return most
  }

  /** Sells an item to the best collection offer. Returns the displayed payout. */
  async function sellNow(slug: string, name: string, sats: number): Promise<number> {
    await owner.go(`/collection/${slug}?tab=offers`)
    await press(owner, 'Sell now')
    await press(owner, `Sell ${name}`)
    const receives = await billed(owner, 'You receive', sats)
    await press(owner, `Sell for ${money(sats)}`)
    await sign(owner, /Sold in/)
    return receives
  }

  bills('matches the bill of a listing', async () => {
    const { id } = await royal(1)
    await owner.go(`/inscription/${id}`)
    const receives = await listFor('List for sale', 51_234)
    const paid = await buy(id, priced(unit, 51_234).sats)
    await assertMoved({ received: receives + POSTAGE_SATS, paid })
  })

  bills('matches the bill of a repriced listing', async () => {
    const { id } = await royal(1)
    await owner.go(`/inscription/${id}`)
    await listFor('List for sale', 51_234)
    const receives = await listFor('Edit price', 62_345)
    const paid = await buy(id, priced(unit, 62_345).sats)
    await assertMoved({ received: receives + POSTAGE_SATS, paid })
  })

  bills('matches the bill of a sweep', async () => {
    const { slug, ids } = await royal(3)
    const { text, sats } = priced(unit, 43_210)
    await owner.go('/wallet')
    const names = [...ids.keys()].map((n) => `${slug} #${n}`)
    await openBatch(owner, names)
    for (const name of names) await type(owner, `Price of ${name}`, text)
    const receives = await billed(owner, 'You receive if all sell', 3 * sats)
    await press(owner, 'Review 3')
    await sign(owner, /Listed 3 items/)
    await other.go(`/collection/${slug}`)
    await other.page.getByLabel('Sweep').fill('3')
    await press(other, 'Add the cheapest')
    const paid = await billed(other, 'You pay', 3 * sats)
    await press(other, 'Review and buy')
    await sign(other, /Bought in/)
    await assertMoved({ received: receives + 3 * POSTAGE_SATS, paid })
  })

  bills('matches the bill of an offer', async () => {
    const { id } = await royal(1)
    await other.go(`/inscription/${id}`)
    await press(other, 'Make offer')
    const paid = await offerFor('Your offer', 51_234, 1000)
    const { sats } = priced(unit, 51_234, 1000)
    await owner.go(`/inscription/${id}`)
    await press(owner, 'Accept')
    const receives = await billed(owner, 'You receive', sats)
    await press(owner, `Sell for ${money(sats)}`)
    await sign(owner, /Sold in/)
    await assertMoved({ received: receives + POSTAGE_SATS, paid })
  })

  bills('matches the bill of a collection offer', async () => {
    const { slug } = await royal(2)
    await other.go(`/collection/${slug}?tab=offers`)
    const paid = await offerFor('Price', 63_456, 5000)
    const received = await sellNow(slug, `${slug} #1`, priced(unit, 63_456, 5000).sats)
    await assertMoved({ received, paid })
  })

  bills('matches the bill of a ladder', async () => {
    const { slug } = await royal(2)
    await other.go(`/collection/${slug}?tab=offers`)
    await other.page.getByLabel('Number of offers').selectOption('2')
    const paid = await offerFor('Price', 72_345, 5000, 2)
    const { sats } = priced(unit, 72_345, 5000)
    const first = await sellNow(slug, `${slug} #0`, sats)
    await at.market.mine()
    const second = await sellNow(slug, `${slug} #1`, sats - 5000)
    await assertMoved({ received: first + second, paid })
  })

  bills('matches the bill of a counter-offer', async () => {
    const { id } = await royal(1)
    await other.go(`/inscription/${id}`)
    await press(other, 'Make offer')
    await offerFor('Your offer', 41_000, 1000)
    const { text, sats } = priced(unit, 54_321, 1000)
    await owner.go(`/inscription/${id}`)
    await press(owner, 'Counter')
    await type(owner, 'Price', text)
    const receives = await billed(owner, 'You receive', sats)
    await press(owner, 'Send counter-offer')
    await sign(owner, new RegExp(`Counter-offer placed. ${money(sats)}`))
    await other.go(`/inscription/${id}`)
    await press(other, 'Accept')
    const paid = await billed(other, 'You pay', sats)
    await press(other, `Buy for ${money(sats)}`)
    await sign(other, /Bought in/)
    await assertMoved({ received: receives + POSTAGE_SATS, paid })
  })

  bills('matches the bill of a swap', async () => {
    const mine = await royal(1)
    const theirs = await at.market.collection(at.buyer.wallet, 1)
    const { text, sats } = priced(unit, 87_654)
    let [received, paid] = [0, 0]
    const wanted = { slug: theirs.slug, unit: NAMES[unit], amount: text }
    await propose(owner, [`${mine.slug} #0`], wanted, async () => {
      received = await billed(owner, 'You receive', sats)
    })
    await acceptProposal(other, `${theirs.slug} #0`, async () => {
      paid = await billed(other, 'You pay', sats)
    })
    await sign(other, /completes when the proposer signs/)
    await settle(owner)
    await sign(owner, /Completed in/)
    await assertMoved({ received, paid })
  })
})
