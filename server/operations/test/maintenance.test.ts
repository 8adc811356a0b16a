import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import { bid, buy, cancelBid, cancelOffer, delist, offer, propose, rejectOffer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { reclaim, rested, signedExit } from '../../../e2e/escrows/support/escrow-market.ts'
import { everyRequest } from '../../../e2e/operations/support/every-request.ts'
import {
  expectInDoctor,
  expectInMetrics,
  expectInStatus,
  metricsAt,
} from '../../../e2e/support/faults/fault-places.ts'
import {
  agreementFor,
  freshDatabase,
  listAll,
  setUpMarket,
  setUpTrader,
  testConfig,
} from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import { signInAtStorefront, traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { setMaintenance } from '../../../scripts/market/maintenance.ts'

const market = setUpMarket({ ANCHOR_POOL: '80' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 40_000_000)

const NOTICE = 'Upgrade of the database, back at 14:00 UTC'

/** Runs `ordbook market maintenance`. Rejects if it fails. */
async function maintenance(...args: string[]): Promise<string> {
  const program = join(import.meta.dirname, '../../../scripts/market/operate.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'maintenance', ...args], {
    env: { ...process.env, DATABASE_URL: market.databaseUrl, DATA_DIR: market.dataDir },
    timeout: 120_000,
  })
  await new Promise((done) => setTimeout(done, 1100))
  return stdout
}

const status = async (): Promise<any> => (await fetch(`${market.server.url}/status`)).json()

/** Orders from before the maintenance. */
let orders: {
  slug: string
  ids: string[]
  listings: Map<string, string>
  offers: string[]
  bidId: string
  proposalId: string
  escrows: Awaited<ReturnType<typeof rested>>
  settlementTxid: string
}

beforeAll(async () => {
  const { slug, ids } = await market.collection(seller.wallet, 8)
  const escrows = await rested(market, seller, slug, ids.slice(0, 2))
  const listings = await listAll(market, seller, slug, ids.slice(2, 4), 90_000)
  const offered = await offer(buyer, slug, await offering(market, buyer, ids.slice(4, 6), 60_000))
  const coins = await coinsOf(market, buyer)
  const bids = await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 50_000, coins })
  const proposer = await traderAtStorefront(market.server.url, seller.wallet)
  const { id } = await propose(proposer, {
    visibility: 'public',
    offeredInscriptionIds: [ids[6]!],
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 20_000,
  })
  const other = await market.trader()
  const { settlementTxid } = await buy(other, slug, await agreementFor(market, other, [ids[3]!]))
  orders = {
    slug,
    ids,
    listings,
    offers: offered.items.map(({ offerId }) => offerId),
    bidId: bids.offers[0]!.offerId,
    proposalId: id,
    escrows,
    settlementTxid,
  }
  expect(await maintenance('on', '--notice', NOTICE)).toContain('maintenance is on')
})

it('shows the notice in the status', async () => {
  expect(await status()).toMatchObject({
    trading: 'paused',
    reason: 'maintenance by the operator',
    database: 'ok',
    maintenance: { notice: NOTICE, since: expect.stringMatching(/^2\d{3}-.*Z$/) },
  })
  await expectInStatus(['maintenance'], market.server.url)
  await expectInMetrics(['maintenance'], metricsAt(market.server.url))
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url })
  expectInDoctor(['maintenance'], await Array.fromAsync(examine(config, market.databaseUrl)))
  const metrics = await metricsAt(market.server.url)()
  expect(metrics).toMatch(/^ordbook_maintenance 1$/m)
  expect(metrics).toMatch(/^ordbook_trading_open 0$/m)
  expect(await maintenance()).toMatch(new RegExp(`maintenance is on since .*: ${NOTICE}`))
})

it('rejects every trading write and no other write', async () => {
  const { url } = market.server
  const trader = await market.trader()
  const cookie = (await signInAtStorefront(url, trader.wallet)).cookie
  const otherCookie = (await signInAtStorefront(url, buyer.wallet)).cookie
  const trading = new Set<string>()
  const add = (surface: string, list: readonly Operation[]) => {
    for (const { bucket, whileBehind, method, path, root } of list)
      if (bucket === 'writes' && !whileBehind) trading.add(`${method} ${root ? '' : surface}${path}`)
  }
  add('/api/v1', Object.values(operations))
  add('/web/v1', [...Object.values<Operation>(webOperations), ...sharedOperations])
  expect(trading.size).toBeGreaterThan(30)
  const requests = await everyRequest(market, url, { trader, cookie, otherCookie })
  for (const request of requests.filter(({ method }) => method === 'POST')) {
    const answer = await fetch(`${url}${request.path}`, request)
    const text = await answer.text()
    if (!trading.delete(request.name)) {
      expect(text, request.name).not.toContain('"code":"maintenance"')
      continue
    }
    expect(answer.status, request.name).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(JSON.parse(text)).toMatchObject({
      code: 'maintenance',
      error: `The market is under maintenance. ${NOTICE}. Cancelling, declining and withdrawing still work.`,
    })
  }
  expect([...trading]).toEqual([])
})

it('still cancels, declines and withdraws', async () => {
  const { slug, ids, listings, offers, bidId, proposalId, escrows } = orders
  await delist(seller, slug, [{ inscriptionId: ids[2]!, listingId: listings.get(ids[2]!)! }])
  await cancelOffer(buyer, { id: ids[4]!, offerId: offers[0]! })
  await rejectOffer(seller, { id: ids[5]!, offerId: offers[1]! })
  await cancelBid(buyer, slug, bidId)
  const atStorefront = await traderAtStorefront(market.server.url, seller.wallet)
  const { client, walletBindingId } = atStorefront
  expect(await client.call('cancelProposal', { params: { proposalId } })).toMatchObject({
    state: 'cancelled',
  })
  const home = await reclaim(seller, [escrows[0]!])
  const exit = await signedExit(market, seller, [escrows[1]!])
  const { txid } = await client.call('sendExit', {
    body: { walletBindingId, transaction: hexOfTransaction(exit) },
  })
  const mempool = await market.regtest.call<string[]>('getrawmempool')
  expect(mempool).toEqual(expect.arrayContaining([home, txid]))
})

it('completes purchases from before the maintenance', async () => {
  await market.mine()
  const [sale] = await market.sql`select 1 from sales where txid = ${orders.settlementTxid}`
  expect(sale).toBeDefined()
})

it('opens trading again and replaces the notice', async () => {
  await maintenance('on')
  expect((await status()).maintenance).toMatchObject({ notice: null })
  expect(await maintenance('off')).toContain('maintenance is off')
  expect(await status()).toMatchObject({ trading: 'open', reason: null, maintenance: null })
  await listAll(market, seller, orders.slug, [orders.ids[7]!], 70_000)
  expect(await maintenance('off')).toContain('maintenance was not on')
  expect(await maintenance()).toContain('maintenance is off')
})

it.each([
  [['on', '--notice', ' '], '--notice: expected 1 to 300 characters in one line'],
  [['on', '--notice', 'two\nlines'], '--notice: expected 1 to 300 characters in one line'],
  [['off', '--notice', 'x'], '--notice is only for maintenance on'],
  [['soon'], 'maintenance soon: unknown, expected maintenance on or maintenance off'],
])('refuses maintenance %j', async ([verb, , notice], message) => {
  await expect(setMaintenance(market.sql, verb, notice)).rejects.toThrow(message)
})

it('reports an empty database', async () => {
  const program = join(import.meta.dirname, '../../../scripts/market/operate.ts')
  const env = { PATH: process.env.PATH, DATABASE_URL: await freshDatabase('template1') }
  const ran = promisify(execFile)(process.execPath, [program, 'maintenance', 'on'], { env })
  await expect(ran).rejects.toThrow('The database is empty. Check DATABASE_URL')
})
