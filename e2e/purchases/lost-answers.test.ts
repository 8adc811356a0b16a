import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import {
  type AcceptanceAgreement,
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  Client,
  cancelBid,
  cancelOffer,
  counter,
  delist,
  fill,
  offer,
  preparePurchase,
  propose,
  rejectCounter,
  rejectOffer,
  type SwapAgreement,
  settle,
  signIn,
} from '@ordbook/sdk/index.ts'
import type { Answer, Input, OperationId } from '@ordbook/sdk/operations.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import {
  agreementFor,
  freshDatabase,
  listAll,
  startMarket,
  type TestMarket,
  type TestTrader,
} from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/**
 * Runs every operation while its database connection is cut at each statement in turn, before PostgreSQL receives it or afterwards, so that
 * a COMMIT succeeds but its response is lost. The client must always receive a 503 with Retry-After, and a retry must succeed.
 */
let market: TestMarket
let proxy: TcpProxy
let seller: TestTrader
let buyer: TestTrader
beforeAll(async () => {
  const url = new URL(await freshDatabase())
  proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  market = await startMarket({ ANCHOR_POOL: '400', tuning: { responseCacheMegabytes: 0 } }, undefined, {
    databaseUrl: url.href,
  })
  await market.anchors(150)
  seller = swept(await market.trader())
  buyer = swept(await market.trader('p2wpkh', 60_000_000))
})
afterAll(async () => {
  await market?.stop()
  await proxy?.close()
})

const NAMES = ['ordbook requests', 'ordbook reads']
const MOST = 400
/** Cuts before a statement have no effect, so only a sample is tested. */
const STRIDE = sampled(7, 1, 23)
const REPEATED = /^(submit|cancel|reject|delist)/
const cuts = new Map<string, number>()

interface Outcome<T> {
  answer: T | null
}

/** Returns the response, or null for a 503 with Retry-After. Throws otherwise. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  const before = globalThis.fetch
  let wait: string | null = null
  globalThis.fetch = async (...request) => {
    const response = await before(...request)
    wait = response.headers.get('retry-after')
    return response
  }
  try {
    return { answer: await work() }
  } catch (error) {
    if ((error as { status?: number }).status !== 503) throw error
    expect(Number(wait)).toBeGreaterThan(0)
    return { answer: null }
  } finally {
    globalThis.fetch = before
  }
}

/** Repeats the work with a cut at its first statement, then its second and so on, until it completes without a cut. */
async function sweep<T>(id: string, work: () => Promise<T>): Promise<T> {
  const first = Math.ceil(Math.random() * STRIDE)
  try {
    for (let message = 1; message < MOST; message++)
      for (const answered of (message - first) % STRIDE === 0 ? [false, true] : [true])
        for (let tries = 0; ; tries++) {
          const isCut = proxy.cut({ names: NAMES, message, answered })
          const { answer } = await outcomeOf(work).catch((error) => {
            throw new Error(
              `${id}, cut at statement ${message} (${answered ? 'after' : 'before'} it): ${error}`,
            )
          })
          if (isCut()) {
            cuts.set(id, (cuts.get(id) ?? 0) + 1)
            if (answer === null) break
          }
          if (answer !== null) return answer
          // A cut of the status check pauses trading briefly.
          if (tries > 50) throw new Error(`${id} is still unavailable`)
          await new Promise((done) => setTimeout(done, 100))
        }
    throw new Error(`${id} did not complete within ${MOST} cuts`)
  } finally {
    proxy.cut({ names: [], message: 1, answered: false })
  }
}

/** A client that cuts at every statement of every request. Repeats idempotent requests. */
class SweptClient extends Client {
  override async call<Id extends OperationId>(id: Id, input: Input<Id> = {}): Promise<Answer<Id>> {
    const work = () => super.call(id, input)
    const answer = await sweep(id, work)
    if (REPEATED.test(id)) expect(await sweep(id, work), `${id} again`).toEqual(answer)
    return answer
  }
}

function swept<T extends TestTrader>(trader: T, base = market.base): T {
  const client = new SweptClient(base)
  client.token = trader.client.token
  client.headers = trader.client.headers
  return { ...trader, client }
}

const count = async (table: string): Promise<number> =>
  (await market.sql<{ n: number }[]>`select count(*) as n from ${market.sql(table)}`)[0]!.n

it('creates, cancels and buys listings exactly once', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const listed = await listAll(market, seller, slug, ids, 60_000)
  expect(await count('listings')).toBe(3)
  const delisted = [{ inscriptionId: ids[0]!, listingId: listed.get(ids[0]!)! }]
  expect(await delist(seller, slug, delisted)).toEqual({ listings: delisted })
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(1)))
  expect(await count('settlements')).toBe(1)
  await market.mine()
  expect(await count('sales')).toBe(2)
})

it('prepares a purchase from many small coins', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const poor = await market.trader('p2sh-p2wpkh')
  await listAll(market, { ...seller, client: plainOf(seller) }, slug, ids, 50_000)
  // With many small coins the settlement needs the market's pads (trade.test.ts).
  await market.regtest.pay(Array(26).fill({ valueSats: 2620, script: poor.wallet.paymentScript }))
  await market.mine()
  const { coins, ...agreement } = await agreementFor(market, poor, ids)
  const small = coins.filter((coin) => coin.valueSats === 2620)
  await preparePurchase(swept(poor), slug, { ...agreement, coins: small })
  const [feeCoins] = await market.sql<{ by: string }[]>`
    select prepared->'feeCoins'->>'by' as by from preflights
    where kind = 'purchase' and wallet_binding_id = ${poor.walletBindingId} limit 1`
  expect(feeCoins).toEqual({ by: 'pads' })
})

it('creates, ends and settles offers and counters exactly once', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [id, other] = ids as [string, string]
  const make = async (on: string, priceSats: number) =>
    (await offer(buyer, slug, await offering(market, buyer, [on], priceSats))).items[0]!.offerId
  const before = await count('settlements')
  const cancelled = { id, offerId: await make(id, 60_000) }
  await cancelOffer(buyer, cancelled)
  const rejected = { id, offerId: await make(id, 60_000) }
  await rejectOffer(seller, rejected)
  expect(await count('offers')).toBe(2)
  const offerId = await make(id, 60_000)
  const declined = await counter(seller, offerId, await selling(market, id, 70_000))
  await rejectCounter(buyer, { id, offerId: declined.offerId })
  await acceptOffer(seller, offerId, await selling(market, id, 60_000))
  await market.mine()
  const second = await make(other, 60_000)
  const counterOffer = await counter(seller, second, await selling(market, other, 70_000))
  await acceptCounter(buyer, counterOffer.offerId, await countered(market, buyer, other, 70_000))
  expect(await count('settlements')).toBe(before + 2)
  expect(await count('offers')).toBe(6)
  await market.mine()
})

it('creates, cancels and fills collection offers exactly once', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const make = async (priceSats: number) =>
    bid(buyer, slug, {
      target: { kind: 'all' },
      priceSats,
      offerCount: 2,
      ladderStepSats: 5000,
      coins: await coinsOf(market, buyer),
    })
  const before = await count('settlements')
  const first = await make(60_000)
  await cancelBid(buyer, slug, first.offers[0]!.offerId)
  const second = await make(60_000)
  expect(await count('collection_offers')).toBe(4)
  await fill(seller, slug, second.offers[0]!.offerId, await selling(market, ids[0]!, 60_000, 250))
  expect(await count('settlements')).toBe(before + 1)
  await market.mine()
})

it('accepts, ends and settles swaps exactly once', async () => {
  const { url } = market.server
  const person = async () =>
    swept(await traderAtStorefront(url, (await market.trader()).wallet), `${url}/web/v1`)
  const [proposer, acceptor] = [await person(), await person()]
  const ownCollection = await market.collection(proposer.wallet, 1)
  const other = await market.collection(acceptor.wallet, 1, 546)
  // Proposals are not idempotent and reserve nothing. If a response is lost, a retry creates a second proposal.
  const unsweptProposer = { ...proposer, client: new Client(`${url}/web/v1`) }
  unsweptProposer.client.headers = proposer.client.headers
  const proposal = await propose(unsweptProposer, {
    visibility: 'public',
    offeredInscriptionIds: ownCollection.ids,
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: other.slug, quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 0,
  })
  const givenItems = [
    { inscriptionId: ownCollection.ids[0]!, coin: await market.coinOf(ownCollection.ids[0]!) },
  ]
  const wantedItems = [{ inscriptionId: other.ids[0]!, coin: await market.coinOf(other.ids[0]!) }]
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: other.ids[0]! }]
  const acceptors: AcceptanceAgreement = {
    gives: wantedItems,
    gets: givenItems,
    netSats: 0,
    coins: await coinsOf(market, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  }
  const proposers: SwapAgreement = { gives: givenItems, gets: wantedItems, netSats: 0, coins: [] }
  const accept = () => acceptProposal(acceptor, proposal.id, fills, acceptors)
  const before = await count('settlements')
  const first = await accept()
  expect(await count('acceptances')).toBe(1)
  await acceptor.client.call('cancelAcceptance', { params: { acceptanceId: first.acceptanceId } })
  const second = await accept()
  await proposer.client.call('rejectAcceptance', { params: { acceptanceId: second.acceptanceId } })
  const third = await accept()
  expect(await count('acceptances')).toBe(3)
  await settle(proposer, third.acceptanceId, proposers)
  expect(await count('settlements')).toBe(before + 1)
  await market.mine()
})

it('keeps sessions during an outage', async () => {
  const { wallet } = await market.trader()
  const client = new Client(market.base)
  // Each attempt requests a new challenge, since a challenge can be used once.
  await sweep('signIn', () => signIn(client, wallet, new URL(market.base).host))
  expect((await sweep('getMe', () => client.call('getMe'))).walletBindings).toHaveLength(1)
})

it('returns 503 for every read during an outage', async () => {
  const { url } = market.server
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listed = await listAll(market, { ...seller, client: plainOf(seller) }, slug, ids, 60_000)
  const [trade] = await market.sql<{ settlementTxid: string }[]>`
    select settlement_txid from settlements where kind = 'purchase'`
  const web = await traderAtStorefront(url, seller.wallet)
  const { ordinalsAddress } = seller.wallet
  const id = ids[0]!
  const api = (path: string) =>
    [`/api/v1${path}`, { authorization: `Bearer ${seller.client.token}` }] as const
  const page = (path: string) => [`/web/v1${path}`, web.client.headers] as const
  const open = (path: string) => [path, {}] as const
  const reads = [
    ...[
      '/me',
      `/collection-stats/floors?slugs=${slug}`,
      `/collection/${slug}/inscriptions`,
      '/listings',
      '/sales',
      '/trading',
      `/inscriptions/${id}/offers`,
      `/inscriptions/${id}/offers/history`,
      '/me/offers?view=history',
      `/collection/${slug}/collection-offers`,
      `/collection/${slug}/my/sent-collection-offers`,
    ].map(api),
    ...[
      '/session',
      '/sessions',
      '/market',
      '/collections',
      `/collections/${slug}`,
      `/collections/${slug}/items`,
      `/collections/${slug}/items?traits=[]`,
      `/collections/${slug}/history`,
      '/activity',
      `/inscriptions/${id}`,
      `/holdings/${ordinalsAddress}`,
      `/coins?walletBindingId=${web.walletBindingId}`,
      `/search?q=${slug}`,
      '/matching-proposals',
      '/proposals',
      '/acceptances',
    ].map(page),
    ...[
      `/orders/${listed.get(id)}`,
      ...(trade ? [`/receipts/${trade.settlementTxid}`] : []),
      '/keys',
      `/content/${id}`,
      `/r/undelegated-content/${id}`,
      '/r/blockheight',
      '/r/blockhash/1',
      '/r/blocktime',
      `/r/inscription/${id}`,
      `/r/children/${id}`,
      `/r/children/${id}/inscriptions`,
      `/r/parents/${id}`,
      `/r/parents/${id}/inscriptions`,
      '/r/sat/5000000000',
      '/r/sat/5000000000/at/0',
      `/r/utxo/${formatOutpoint(await market.coinOf(id))}`,
    ].map(open),
  ]
  for (const [path, headers] of reads) {
    const readBody = async () => {
      const response = await fetch(`${url}${path}`, { headers })
      const text = await response.text()
      if (response.status !== 200) throw Object.assign(new Error(text), { status: response.status })
      return text.replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a time"')
    }
    const expectedBody = await readBody()
    expect(await sweep(path, readBody), path).toBe(expectedBody)
  }
})

const plainOf = (trader: TestTrader): Client => {
  const client = new Client(market.base)
  client.token = trader.client.token
  return client
}

it('leaves no incomplete operation', async () => {
  await market.mine()
  expect(await checkRollups(market.server.context)).toEqual([])
  const rows = await market.sql<{ state: string; n: number }[]>`
    select state, count(*) as n from settlements group by state`
  expect(rows).toEqual([{ state: 'confirmed', n: 5 }])
  const total = [...cuts.values()].reduce((sum, each) => sum + each, 0)
  console.log(
    `${total} cuts in ${cuts.size} operations: ${[...cuts].map(([id, n]) => `${id} ${n}`).join(', ')}`,
  )
  expect(cuts.size).toBeGreaterThan(55)
})
