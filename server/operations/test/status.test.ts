import { cancelOffer, delist, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { listAll, setUpMarket, startMarket } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'

const market = setUpMarket()

/** Waits until a cached status has expired. */
const later = () => new Promise((done) => setTimeout(done, 1100))

it('trading pauses while the index is behind', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [id, other] = ids as [string, string]
  const listed = await listAll(market, seller, slug, [other], 90_000)
  const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  await later()
  const height = await market.regtest.call<number>('getblockcount')
  const open: any = await fetch(`${market.server.url}/status`).then((answer) => answer.json())
  expect(open).toMatchObject({
    trading: 'open',
    reason: null,
    chain: 'regtest',
    indexHeight: height,
    nodeHeight: height,
    lagBlocks: 0,
    node: 'ok',
    database: 'ok',
    mempoolTransactions: 0,
    ord: null,
    unknown: ['runes'],
  })
  expect(open.mempoolAgeSeconds).toBeLessThan(30)

  const { node, config } = market.server.context
  const original = node.blockchainInfo.bind(node)
  node.blockchainInfo = async () => {
    const info = await original()
    return { ...info, blocks: info.blocks + config.tradingLagBlocks + 1 }
  }
  await later()
  expect(await buyer.client.call('getStatus')).toMatchObject({ trading: 'paused', lagBlocks: 7 })
  await expect(offer(buyer, slug, await offering(market, buyer, [id], 70_000))).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/7 blocks behind/),
  })
  // Operations that only withdraw something still work.
  await cancelOffer(buyer, { id, offerId: items[0]!.offerId })
  await delist(seller, slug, [{ inscriptionId: other, listingId: listed.get(other)! }])

  node.blockchainInfo = async () => {
    throw new Error('gone')
  }
  await later()
  expect(await buyer.client.call('getStatus')).toMatchObject({
    trading: 'paused',
    node: 'unavailable',
    nodeHeight: null,
    lagBlocks: null,
  })
  node.blockchainInfo = original
  await later()
  await offer(buyer, slug, await offering(market, buyer, [id], 70_000))
})

it('metrics require the token', async () => {
  const { url } = market.server
  const scrape = await fetch(`${url}/metrics`)
  expect(scrape.headers.get('content-type')).toMatch(/^text\/plain/)
  const text = await scrape.text()
  const height = await market.regtest.call<number>('getblockcount')
  expect(text).toContain(`ordbook_index_height ${height}`)
  expect(text).toMatch(/^ordbook_lag_blocks 0$/m)
  expect(text).toMatch(/^ordbook_trading_open [01]$/m)
  expect(text).toMatch(/^ordbook_active_orders\{kind="offer",state="\w+"\} \d+$/m)
  expect(text).toMatch(/^ordbook_market_coins\{state="free"\} \d+$/m)
  expect(text).toMatch(/^ordbook_market_ledger_sats\{purpose="funding"\} \d+$/m)
  expect(text).toMatch(/^ordbook_market_allowance_left_sats \d+$/m)
  expect(text).toMatch(
    /^ordbook_http_request_seconds_count\{method="GET",route="\/status",status="200"\} \d+$/m,
  )
  const guarded = await startMarket({ METRICS_TOKEN: 'a-token' })
  try {
    const statusWith = (authorization?: string) =>
      fetch(`${guarded.server.url}/metrics`, authorization ? { headers: { authorization } } : {}).then(
        (answer) => answer.status,
      )
    expect([
      await statusWith(),
      await statusWith('Bearer another'),
      await statusWith('Bearer a-token'),
    ]).toEqual([401, 401, 200])
  } finally {
    await guarded.stop()
  }
})
