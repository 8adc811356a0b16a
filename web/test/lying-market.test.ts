import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Exchange, Liar } from '../../e2e/lying-market/exchange.ts'
import { liesAbout, sampleOf, tell } from '../../e2e/lying-market/lies.ts'
import { operationOf } from '../../e2e/lying-market/proxy.ts'
import { rested } from '../../e2e/support/escrows.ts'
import { liarAgainst } from '../../e2e/support/liar-flows.ts'
import { startMarket, type TestMarket, type TestTrader } from '../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './support/browser.ts'
import {
  acceptOffer,
  acceptProposal,
  buyFirst,
  changePrice,
  fillListing,
  makeBid,
  makeOffer,
  propose,
  sellInto,
  settle,
  signedIn,
  takeBack,
} from './support/clicks.ts'

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

const enter = (trader: TestTrader) => signedIn(browser, market.server.url, trader)

/** Clicks through a trade up to where its answer is checked, once for each lie, then once honestly to the end. */
async function lieTo(visitor: Visitor, liar: Liar, click: () => Promise<void>, done: RegExp): Promise<void> {
  const { page, asked } = visitor
  let lies: ReturnType<typeof liesAbout> | undefined
  let now: string | undefined
  let heard = 0
  await page.route('**/preflight', async (route) => {
    const request = route.request()
    const response = await route.fetch()
    const exchange: Exchange = {
      operation: operationOf(request.method(), new URL(request.url()).pathname),
      request: request.postDataJSON(),
      answer: await response.json(),
    }
    // About some answers a lie is the truth: there are some to spare.
    lies ??= sampleOf(
      liesAbout(exchange, liar).filter(({ name }) => !TOO_LONG.test(name)),
      4 * LIES_PER_FLOW,
      SEED,
    )
    let told: string | null = null
    now = undefined
    while (told === null && heard < LIES_PER_FLOW) {
      const lie = lies.shift()!
      told = tell(lie, exchange)
      now = told === null ? undefined : lie.name
    }
    if (told === null) return route.fulfill({ response, json: exchange.answer })
    heard++
    return route.fulfill({ response, body: told })
  })
  const signatures = () =>
    asked.filter((method) => /sign(Psbt|Transaction|Multiple)|sendBtc/i.test(method)).length
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

it('refuses every lie about listing and buying', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const first = await enter(seller)
  await lieTo(
    first,
    await liarAgainst(market, seller, [ids[1]!]),
    async () => {
      await first.go(`/inscription/${ids[0]}`)
      await fillListing(first, '0.0012')
    },
    /Listed for/,
  )
  const second = await enter(buyer)
  await lieTo(
    second,
    await liarAgainst(market, buyer, []),
    () => buyFirst(second, slug, '0.0012'),
    /Bought in/,
  )
  await market.mine()
})

it('refuses every lie about an offer and its acceptance', async () => {
  const { ids } = await market.collection(seller.wallet, 2)
  const [id, spare] = ids as [string, string]
  const maker = await enter(buyer)
  await lieTo(
    maker,
    await liarAgainst(market, buyer, []),
    () => makeOffer(maker, id, '0.0005'),
    /Offer placed/,
  )
  const owner = await enter(seller)
  await lieTo(owner, await liarAgainst(market, seller, [spare]), () => acceptOffer(owner, id), /Sold in/)
  await market.mine()
})

it('refuses every lie about an offer for a collection and its fill', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const maker = await enter(buyer)
  await lieTo(
    maker,
    await liarAgainst(market, buyer, []),
    () => makeBid(maker, slug, '0.0004'),
    /Offer placed/,
  )
  const owner = await enter(seller)
  await lieTo(
    owner,
    await liarAgainst(market, seller, [ids[0]!]),
    () => sellInto(owner, slug, `${slug} #1`),
    /Sold in/,
  )
  await market.mine()
})

it('refuses every lie about either side of a trade of inscriptions', async () => {
  const mine = await market.collection(seller.wallet, 2)
  const theirs = await market.collection(buyer.wallet, 2)
  const proposer = await enter(seller)
  const names = [0, 1].map((n) => `${mine.slug} #${n}`)
  await propose(proposer, names, { slug: theirs.slug, btc: '0.0008' })

  const acceptor = await enter(buyer)
  await lieTo(
    acceptor,
    await liarAgainst(market, buyer, [theirs.ids[1]!]),
    () => acceptProposal(acceptor, `${theirs.slug} #0`),
    /completes when the proposer signs/,
  )
  await lieTo(proposer, await liarAgainst(market, seller, []), () => settle(proposer), /Completed in/)
  await market.mine()
})

it('refuses every lie about another price in escrow and the way back', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [id, spare] = ids as [string, string]
  await rested(market, seller, slug, [id])
  const liar = await liarAgainst(market, seller, [spare])
  const first = await enter(seller)
  await lieTo(first, liar, () => changePrice(first, id, '0.0015'), /Listed for/)
  const second = await enter(seller)
  await lieTo(second, liar, () => takeBack(second, id), /On its way to your address/)
  await market.mine()
})
