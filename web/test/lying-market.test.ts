import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Exchange, Liar } from '../../e2e/lying-market/exchange.ts'
import { liesAbout, sampleOf, tell } from '../../e2e/lying-market/lies.ts'
import { operationOf } from '../../e2e/lying-market/proxy.ts'
import { liarAgainst } from '../../e2e/support/liar-flows.ts'
import { startMarket, type TestMarket, type TestTrader } from '../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './support/browser.ts'

/**
 * The storefront before a market that lies: about every kind of trade the page refuses before the wallet's window opens, and says so.
 * Without a lie the same clicks lead to the review.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const LIES_PER_FLOW = 6
/** Answers that a browser under a test takes too long to be handed. */
const TOO_LONG = /huge|deep/

let market: TestMarket
let browser: Awaited<ReturnType<typeof startBrowser>>
let seller: TestTrader
let buyer: TestTrader
beforeAll(async () => {
  market = await startMarket()
  browser = await startBrowser()
  seller = await market.trader('p2sh-p2wpkh')
  buyer = await market.trader('p2sh-p2wpkh')
})
afterAll(async () => {
  await browser?.close()
  await market?.stop()
})

async function signedIn(trader: TestTrader): Promise<Visitor> {
  const visitor = await browser.visitor(market.server.url, { wallet: trader.wallet })
  await visitor.go('/')
  await visitor.signIn()
  return visitor
}

/** Clicks through a trade up to where its answer is checked, once for each lie, then once honestly to the end. */
async function lieTo(visitor: Visitor, liar: Liar, click: () => Promise<void>, done: RegExp): Promise<void> {
  const { page, asked } = visitor
  let lies: ReturnType<typeof liesAbout> | undefined
  let now: string | undefined
  await page.route('**/preflight', async (route) => {
    const request = route.request()
    const response = await route.fetch()
    const exchange: Exchange = {
      operation: operationOf(request.method(), new URL(request.url()).pathname),
      request: request.postDataJSON(),
      answer: await response.json(),
    }
    lies ??= sampleOf(
      liesAbout(exchange, liar).filter(({ name }) => !TOO_LONG.test(name)),
      LIES_PER_FLOW,
      SEED,
    )
    let told: string | null = null
    now = undefined
    while (told === null && lies.length > 0) {
      const lie = lies.shift()!
      told = tell(lie, exchange)
      now = lie.name
    }
    if (told === null) return route.fulfill({ response, json: exchange.answer })
    return route.fulfill({ response, body: told })
  })
  const signatures = () => asked.filter((method) => /sign(Psbt|Transaction)|sendBtc/i.test(method)).length
  const before = signatures()
  let refused = 0
  do {
    await click()
    const review = page.getByRole('button', { name: 'Sign in the wallet' })
    const notice = page.locator('[data-tone]')
    await review.or(notice).first().waitFor({ timeout: 30_000 })
    if (now === undefined) break
    expect(await review.count(), `the page shows for signing: ${now}`).toBe(0)
    await visitor.told(/Not done:/)
    expect(signatures(), `the wallet is asked to sign: ${now}`).toBe(before)
    refused++
  } while (now !== undefined)
  expect(refused).toBe(LIES_PER_FLOW)
  await visitor.confirm()
  await visitor.told(done)
  expect(signatures()).toBeGreaterThan(before)
  await page.unroute('**/preflight')
  await visitor.close()
}

it('listing and buying', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const first = await signedIn(seller)
  await lieTo(
    first,
    await liarAgainst(market, seller, [ids[1]!]),
    async () => {
      await first.go(`/inscription/${ids[0]}`)
      await first.page.getByRole('button', { name: 'List for sale' }).click()
      await first.page.getByLabel('Price in BTC').fill('0.0012')
      await first.page.getByRole('button', { name: 'List it' }).click()
    },
    /is for sale/,
  )
  const second = await signedIn(buyer)
  await lieTo(
    second,
    await liarAgainst(market, buyer, []),
    async () => {
      await second.go(`/collection/${slug}`)
      await second.page.getByRole('link', { name: new RegExp(`${slug} #0 ?0.0012 BTC`) }).click()
      await second.page.getByRole('button', { name: 'Buy now' }).click()
    },
    /Bought in/,
  )
  await market.mine()
})

it('an offer and its acceptance', async () => {
  const { ids } = await market.collection(seller.wallet, 2)
  const maker = await signedIn(buyer)
  await lieTo(
    maker,
    await liarAgainst(market, buyer, []),
    async () => {
      await maker.go(`/inscription/${ids[0]}`)
      await maker.page.getByRole('button', { name: 'Make an offer' }).click()
      await maker.page.getByLabel('Your offer in BTC').fill('0.0005')
      await maker.page.getByRole('dialog').getByRole('button', { name: 'Make the offer' }).click()
    },
    /Your offer stands/,
  )
  const owner = await signedIn(seller)
  await lieTo(
    owner,
    await liarAgainst(market, seller, [ids[1]!]),
    async () => {
      await owner.go(`/inscription/${ids[0]}`)
      await owner.page.getByRole('button', { name: 'Accept', exact: true }).click()
    },
    /Sold in/,
  )
  await market.mine()
})

it('an offer for a collection and its fill', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const maker = await signedIn(buyer)
  await lieTo(
    maker,
    await liarAgainst(market, buyer, []),
    async () => {
      await maker.go(`/collection/${slug}?tab=offers`)
      await maker.page.getByLabel('Price in BTC').fill('0.0004')
      await maker.page.getByRole('button', { name: 'Make the offer' }).click()
    },
    /Your offer stands/,
  )
  const owner = await signedIn(seller)
  await lieTo(
    owner,
    await liarAgainst(market, seller, [ids[0]!]),
    async () => {
      await owner.go(`/collection/${slug}?tab=offers`)
      await owner.page.getByRole('button', { name: 'Sell into it' }).click()
      await owner.page.getByRole('button', { name: `Sell ${slug} #1` }).click()
    },
    /Sold in/,
  )
  await market.mine()
})

it('both sides of a trade of inscriptions', async () => {
  const mine = await market.collection(seller.wallet, 2)
  const theirs = await market.collection(buyer.wallet, 2)
  const proposer = await signedIn(seller)
  await proposer.go('/trades/new')
  for (const n of [0, 1]) await proposer.page.getByLabel(`Choose ${mine.slug} #${n}`).check()
  await proposer.page.getByLabel('Add a collection').fill(theirs.slug)
  await proposer.page.getByRole('button', { name: `Add ${theirs.slug}` }).click()
  await proposer.page.getByLabel('And sats, in BTC').last().fill('0.0008')
  await proposer.page.getByRole('button', { name: 'Propose it' }).click()
  await proposer.told(/Your proposal stands/)

  const acceptor = await signedIn(buyer)
  await lieTo(
    acceptor,
    await liarAgainst(market, buyer, [theirs.ids[1]!]),
    async () => {
      await acceptor.go('/trades?tab=matching')
      await acceptor.page
        .getByRole('link', { name: /^Look at it/ })
        .first()
        .click()
      await acceptor.page.getByLabel(`Choose ${theirs.slug} #0`).check()
      await acceptor.page.getByRole('button', { name: 'Accept and sign' }).click()
    },
    /settles when the proposer signs/,
  )
  await lieTo(
    proposer,
    await liarAgainst(market, seller, []),
    async () => {
      await proposer.go('/trades?tab=received')
      await proposer.page.getByRole('button', { name: 'Sign and settle' }).click()
    },
    /Settled in/,
  )
  await market.mine()
})
