import { expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import type { Exchange, Liar } from '../../../e2e/lying-market/exchange.ts'
import { applyLie, liesAbout, sampleOf } from '../../../e2e/lying-market/lies.ts'
import { operationOf } from '../../../e2e/lying-market/proxy.ts'
import { changesOfProven } from '../../../e2e/lying-market/stage.ts'
import { liarAgainst } from '../../../e2e/lying-market/support/flows.ts'
import { sampled } from '../../../e2e/support/effort.ts'
import type { Visitor } from '../support/browser.ts'
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
  takeBack,
} from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

/**
 * Lies to the storefront in every kind of trade. The page must show an error before it opens the wallet. Without a lie, the same clicks
 * lead to the review.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const LIES_PER_FLOW = sampled(4, 12, 1)
/** Lies whose responses take too long to load in a browser. */
const TOO_LONG = /huge|deep/

const counts = { lies: 0, honest: 0 }

const at = marketInBrowser({ paymentKind: 'p2sh-p2wpkh' })
const { enter } = at

/** Clicks through a trade until its response is checked, once per lie, then completes it honestly. */
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
    // Include extra lies, since some lies change nothing.
    lies ??= sampleOf(
      [...liesAbout(exchange, liar), ...changesOfProven(exchange, liar)].filter(
        ({ name }) => !TOO_LONG.test(name),
      ),
      ({ family }) => family,
      4 * LIES_PER_FLOW,
      SEED,
    )
    let told: string | null = null
    now = undefined
    while (told === null && heard < LIES_PER_FLOW) {
      const lie = lies.shift()!
      told = applyLie(lie, exchange)
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
    const review = page.getByRole('button', { name: 'Sign in Xverse' })
    const notice = page.locator('[data-tone]')
    await review.or(notice).first().waitFor({ timeout: 30_000 })
    if (now === undefined) break
    expect(await review.count(), `the page shows for signing: ${now}`).toBe(0)
    await visitor.told(/Failed:/)
    expect(signatures(), `the wallet is asked to sign: ${now}`).toBe(before)
    refused++
  } while (now !== undefined)
  expect(refused).toBe(LIES_PER_FLOW)
  counts.lies += refused
  counts.honest++
  await visitor.confirm()
  await visitor.told(done)
  expect(signatures()).toBeGreaterThan(before)
  await page.unroute('**/preflight')
  await visitor.close()
}

it('rejects lies about listing and buying', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  const first = await enter(at.seller)
  await lieTo(
    first,
    await liarAgainst(at.market, at.seller, [ids[1]!]),
    async () => {
      await first.go(`/inscription/${ids[0]}`)
      await fillListing(first, '0.0012')
    },
    /Listed for/,
  )
  const second = await enter(at.buyer)
  await lieTo(
    second,
    await liarAgainst(at.market, at.buyer, []),
    () => buyFirst(second, slug, '0.0012'),
    /Bought in/,
  )
  await at.market.mine()
})

it('rejects lies about an offer', async () => {
  const { ids } = await at.market.collection(at.seller.wallet, 2)
  const [id, spare] = ids as [string, string]
  const maker = await enter(at.buyer)
  await lieTo(
    maker,
    await liarAgainst(at.market, at.buyer, []),
    () => makeOffer(maker, id, '0.0005'),
    /Offer placed/,
  )
  const owner = await enter(at.seller)
  await lieTo(
    owner,
    await liarAgainst(at.market, at.seller, [spare]),
    () => acceptOffer(owner, id),
    /Sold in/,
  )
  await at.market.mine()
})

it('rejects lies about a collection offer', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  const maker = await enter(at.buyer)
  await lieTo(
    maker,
    await liarAgainst(at.market, at.buyer, []),
    () => makeBid(maker, slug, '0.0004'),
    /Offer placed/,
  )
  const owner = await enter(at.seller)
  await lieTo(
    owner,
    await liarAgainst(at.market, at.seller, [ids[0]!]),
    () => sellInto(owner, slug, `${slug} #1`),
    /Sold in/,
  )
  await at.market.mine()
})

it('rejects lies about a swap', async () => {
  const mine = await at.market.collection(at.seller.wallet, 2)
  const theirs = await at.market.collection(at.buyer.wallet, 2)
  const proposer = await enter(at.seller)
  const names = [0, 1].map((n) => `${mine.slug} #${n}`)
  await propose(proposer, names, { slug: theirs.slug, amount: '0.0008' })

  const acceptor = await enter(at.buyer)
  await lieTo(
    acceptor,
    await liarAgainst(at.market, at.buyer, [theirs.ids[1]!]),
    () => acceptProposal(acceptor, `${theirs.slug} #0`),
    /completes when the proposer signs/,
  )
  await lieTo(proposer, await liarAgainst(at.market, at.seller, []), () => settle(proposer), /Completed in/)
  await at.market.mine()
})

it('rejects lies about escrow', async () => {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 2)
  const [id, spare] = ids as [string, string]
  await rested(at.market, at.seller, slug, [id])
  const liar = await liarAgainst(at.market, at.seller, [spare])
  const first = await enter(at.seller)
  await lieTo(first, liar, () => changePrice(first, id, '0.0015'), /Listed for/)
  const second = await enter(at.seller)
  await lieTo(second, liar, () => takeBack(second, id), /Sent to your address/)
  await at.market.mine()
})

it('told lies about every trade', () => {
  console.log(`in the browser: ${JSON.stringify(counts)}`)
  expect(counts.lies).toBe(10 * LIES_PER_FLOW)
})
