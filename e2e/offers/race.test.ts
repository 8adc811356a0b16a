import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { dependentOffers } from '@ordbook/market/offers/lifecycle.ts'
import { endDependents } from '@ordbook/market/settlements/dependent-orders.ts'
import {
  type ApiError,
  bid,
  Client,
  cancelOffer,
  offer,
  prepareAcceptance,
  prepareCounter,
  prepareFill,
} from '@ordbook/sdk/index.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { keyHolder, setUpMarket, startTogether, type TestTrader, until } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

const ROUNDS = sampled(15, 100, 4)

const market = setUpMarket({ ANCHOR_POOL: '100' })
let second: ServerProcess
let port: number
beforeAll(async () => {
  port = await freePort()
  second = spawnServer(market, port, { ROLES: 'api' })
  await second.ready()
})
afterAll(() => second?.kill('SIGTERM'))

function atSecondServer(trader: TestTrader): TestTrader {
  const client = new Client(`http://127.0.0.1:${port}/api/v1`)
  client.token = trader.client.token
  return { ...trader, client }
}

async function assertNothingHangs(): Promise<void> {
  await until('all trades to settle', async () => {
    const rows = await market.sql`
      select 1 from settlements where state in ('intended', 'broadcast')
      union all select 1 from settlement_coins where live
      union all select 1 from offers where state in ('active', 'accepting')
      union all select 1 from collection_offers where state in ('active', 'filling')
      union all select 1 from backing_coins where gone is null and offer_id not in (
        select offer_id from backing_coins where gone is not null)
      union all select 1 from listings where state = 'hidden_locked'`
    return rows.length === 0
  })
}

const statusOf = (answer: PromiseSettledResult<unknown>) =>
  answer.status === 'fulfilled' ? 200 : (answer.reason as ApiError).status

it(`settles one of two concurrent fills, ${ROUNDS} times`, async () => {
  const sellers = [await market.trader(), atSecondServer(await market.trader('p2tr'))]
  const maker = await market.trader('p2wpkh', 100_000_000)
  const { slug, ids } = await market.collection(
    sellers.map((seller) => seller.wallet),
    ROUNDS,
  )
  const stock = [ids.slice(0, ROUNDS), ids.slice(ROUNDS)]
  const wins = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const created = await bid(maker, slug, {
      target: { kind: 'all' },
      priceSats: 20_000,
      coins: await coinsOf(market, maker),
    })
    const { offerId } = created.offers[0]!
    const bodies: Body<'submitCollectionOfferFill'>[] = []
    for (const [i, trader] of sellers.entries())
      bodies.push(
        (await prepareFill(trader, slug, offerId, await selling(market, stock[i]!.at(-1)!, 20_000, 250)))
          .body,
      )
    const answers = await Promise.allSettled(
      sellers.map((trader, i) =>
        trader.client.call('submitCollectionOfferFill', { params: { slug, offerId }, body: bodies[i]! }),
      ),
    )
    expect(answers.map(statusOf).toSorted()).toEqual([200, 409])
    const won = answers.findIndex((answer) => answer.status === 'fulfilled')
    wins[won]!++
    await market.mine()
    const sold = stock[won]!.pop()!
    expect(await market.coinOf(sold)).toMatchObject({ script: maker.wallet.ordinalsScript })
    const losersItem = stock[1 - won]!.at(-1)!
    expect(await market.coinOf(losersItem)).toMatchObject({ script: sellers[1 - won]!.wallet.ordinalsScript })
    if (stock.some((each) => each.length === 0)) break
  }
  await assertNothingHangs()
  console.log(`${market.node.kind}: first seller won ${wins[0]}, second ${wins[1]}`)
})

it(`either cancels or settles an offer, ${ROUNDS} times`, async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2wpkh', 100_000_000)
  const { slug, ids } = await market.collection(seller.wallet, ROUNDS)
  const outcomes = { accepted: 0, cancelled: 0 }
  const mirrored = atSecondServer(buyer)
  for (const [round, id] of ids.entries()) {
    const created = await offer(buyer, slug, await offering(market, buyer, [id], 20_000))
    const { offerId } = created.items[0]!
    const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 20_000))
    const params = { id, offerId }
    const accept = () => seller.client.call('submitOfferAcceptance', { params, body })
    // Accepting takes longer before it commits, so give it a head start in some rounds.
    const head = (round % 5) * 3
    const [accepted, cancelled] = await Promise.allSettled([
      accept(),
      new Promise((done) => setTimeout(done, head)).then(() => cancelOffer(mirrored, params)),
    ])
    expect([statusOf(accepted!), statusOf(cancelled!)].toSorted()).toEqual([200, 409])
    const won = accepted!.status === 'fulfilled'
    outcomes[won ? 'accepted' : 'cancelled']++
    await market.mine()
    const owner = won ? buyer.wallet : seller.wallet
    expect(await market.coinOf(id)).toMatchObject({ script: owner.ordinalsScript })
    const { offers } = await buyer.client.call('listInscriptionOfferHistory', { params: { id } })
    expect(offers[0]).toMatchObject({ id: offerId, status: won ? 'accepted' : 'cancelled' })
  }
  await assertNothingHangs()
  expect(outcomes.accepted + outcomes.cancelled).toBe(ROUNDS)
  console.log(`${market.node.kind}: ${JSON.stringify(outcomes)}`)
})

it(`ends all five offers on a spent coin, ${ROUNDS} times`, async () => {
  const seller = await market.trader()
  const { trader: buyer, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, ROUNDS + 5)
  const stock = [...ids]
  const outcomes = { settled: 0, spent: 0 }
  const mirrored = atSecondServer(seller)
  for (let round = 0; round < ROUNDS; round++) {
    const five = stock.slice(-5)
    const { items } = await offer(buyer, slug, await offering(market, buyer, five, 5000))
    const target = items[round % 5]!
    const id = target.inscriptionId
    const [coin] = (await coinsOf(market, buyer)).toSorted((a, b) => b.valueSats - a.valueSats)
    const { body } = await prepareAcceptance(mirrored, target.offerId, await selling(market, id, 5000))
    // Alternate between a fee below and above the minimum for a replacement.
    const spend = buildPayment(
      [coin!],
      [{ valueSats: coin!.valueSats - 10_000, script: buyer.wallet.paymentScript }],
      {
        privateKey: keys.payment,
        feeRateSatVb: round % 2 === 0 ? 1 : 20,
      },
    )
    const [accepted] = await Promise.allSettled([
      mirrored.client.call('submitOfferAcceptance', { params: { id, offerId: target.offerId }, body }),
      // Broadcast immediately or slightly later: while the acceptance is being stored, or after its broadcast.
      new Promise((done) => setTimeout(done, (round % 6) * 12)).then(() =>
        market.regtest.call('sendrawtransaction', hexOfTransaction(spend)),
      ),
    ])
    expect([200, 409]).toContain(statusOf(accepted!))
    await market.mine()
    const settled = (await market.coinOf(id)).txid === body.expectedSettlementTxid
    outcomes[settled ? 'settled' : 'spent']++
    const raw = await market.regtest
      .call<{ confirmations?: number }>('getrawtransaction', txidOf(spend), true)
      .catch(() => null)
    expect(Boolean(raw?.confirmations)).toBe(!settled)
    // All five have ended with a reason, and the accepted offer is the settled one.
    const states = await until('all five offers to end', async () => {
      const rows = await market.sql<{ offerId: string; state: string; reason: string | null }[]>`
        select offer_id, state, reason from offers where offer_id = any(${items.map((item) => item.offerId)}::uuid[])`
      return rows.every((row) => ['accepted', 'invalidated'].includes(row.state)) && rows
    }).then((rows) =>
      until('the on-chain state', async () => {
        if (settled || rows.every((row) => row.state === 'invalidated')) return rows
        return market.sql<{ offerId: string; state: string; reason: string | null }[]>`
          select offer_id, state, reason from offers where offer_id = any(${items.map((item) => item.offerId)}::uuid[])
            and not exists (select 1 from offers where offer_id = ${target.offerId} and state = 'accepted')`.then(
          (again) => again.length === 5 && again,
        )
      }),
    )
    for (const { offerId, state, reason } of states) {
      expect(state).toBe(settled && offerId === target.offerId ? 'accepted' : 'invalidated')
      if (state === 'invalidated') expect(reason).toMatch(/is spent in|settlement failed/)
    }
    if (settled) stock.splice(stock.indexOf(id), 1)
  }
  await assertNothingHangs()
  console.log(`${market.node.kind}: ${JSON.stringify(outcomes)}`)
})

it('keeps an acceptance stored during spend detection', async () => {
  const { sql } = market
  const seller = await market.trader()
  const { trader: buyer } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 5000))
  const { offerId } = items[0]!
  const [coin] = await sql<{ txid: string; vout: number }[]>`
    select txid, vout from backing_coins where offer_id = ${offerId}`
  const [written, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const accepting = sql.begin(async (tx) => {
    await tx`update offers set state = 'accepting' where offer_id = ${offerId}`
    written.resolve()
    await held.promise
  })
  await written.promise
  const ending = inTransaction(sql, (tx) =>
    endDependents([dependentOffers])(tx, [{ ...coin!, spender: 'ff'.repeat(32) }], new Date()),
  )
  await new Promise((done) => setTimeout(done, 300))
  held.resolve()
  await Promise.all([accepting, ending])
  const [row] = await sql<{ state: string }[]>`select state from offers where offer_id = ${offerId}`
  expect(row!.state).toBe('accepting')
})

it.each([
  ['first counter-offers', false],
  ['counter-offers that replace one', true],
])('keeps one of two concurrent %s', async (_, isReplacing) => {
  const { sql } = market
  const seller = await market.trader()
  const { trader: buyer } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 60_000))
  const { offerId } = items[0]!
  const prepared = async (priceSats: number) => {
    const { body } = await prepareCounter(seller, offerId, await selling(market, id, priceSats), 24)
    return () => seller.client.call('submitCounterOffer', { params: { id, offerId }, body })
  }
  if (isReplacing) await (await prepared(90_000))()
  const answers = await startTogether(
    market,
    (tx) => tx`select 1 from offers where offer_id = ${offerId} for update`,
    [await prepared(80_000), await prepared(70_000)],
  )
  for (const answer of answers) expect([200, 409]).toContain(statusOf(answer))
  expect(answers.map(statusOf)).toContain(200)
  const rows = await sql`select 1 from offers where parent_offer_id = ${offerId} and state = 'active'`
  expect(rows).toHaveLength(1)
})

it('refuses a counter-offer on an offer that is declined meanwhile', async () => {
  const seller = await market.trader()
  const { trader: buyer } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 60_000))
  const { offerId } = items[0]!
  const { body } = await prepareCounter(seller, offerId, await selling(market, id, 80_000), 24)
  const [answer] = await startTogether(
    market,
    (tx) => tx`update offers set state = 'rejected', ended_at = now() where offer_id = ${offerId}`,
    [() => seller.client.call('submitCounterOffer', { params: { id, offerId }, body })],
  )
  expect(answer).toMatchObject({ reason: { status: 409, code: 'offer-not-active' } })
})
