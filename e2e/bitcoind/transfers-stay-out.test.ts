import { ApiError, buy, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, until } from '../support/market.ts'

/** A transfer must not enter the mempool without its settlement, even if the mempool minimum admits the transfer but not the settlement. */
const market = setUpMarket({ tuning: { feeRateFallbackSatVb: 1 } })

/** Restarts the node with a minimum relay fee and an empty mempool. */
async function restartWithFloor(satVb: number) {
  const minrelaytxfee = (satVb / 100_000).toFixed(8)
  await market.node.restart('SIGTERM', [`-minrelaytxfee=${minrelaytxfee}`, '-persistmempool=0'])
  await market.server.sync()
}

const mempool = () => market.regtest.call<string[]>('getrawmempool')

async function prepared(count: number) {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, count)
  await market.anchors(2 * count)
  await listAll(market, seller, slug, ids, 50_000)
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  return { slug, ids, buyer, body, params: { slug } }
}

it('rejects a purchase below the mempool minimum fee', async () => {
  const { buyer, params, body, slug, ids } = await prepared(2)
  await restartWithFloor(1.5)
  await expect(buyer.client.call('submitPurchase', { params, body })).rejects.toThrow(
    /Network fees have risen/,
  )
  expect(await mempool()).toEqual([])
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  expect(await mempool()).toContain(settlementTxid)
  await market.mine()
  await restartWithFloor(1)
})

it.each([
  ['between the settlement and its transfers', 1.5],
  ['above the transfers', 2.5],
])('leaves no transaction in the mempool if the minimum fee is %s', async (_where, floor) => {
  const { buyer, params, body } = await prepared(2)
  const { settlementTxid, listingTransferTxids } = await buyer.client.call('submitPurchase', { params, body })
  expect(await mempool()).toEqual(expect.arrayContaining([settlementTxid, ...listingTransferTxids]))
  // The jobs rebroadcast dropped transactions.
  await restartWithFloor(floor)
  for (let n = 0; n < 25; n++) {
    expect(await mempool()).toEqual([])
    await new Promise((done) => setTimeout(done, 100))
  }
  await restartWithFloor(1)
  await until('the package to reach the mempool', async () => (await mempool()).includes(settlementTxid))
  await market.mine()
  await until('open trading', async () => {
    const status = (await (await fetch(`${market.server.url}/status`)).json()) as { notTraded: unknown[] }
    return status.notTraded.length === 0
  })
})

it('returns 409 if the minimum fee rises before the broadcast', async () => {
  const { buyer, params, body } = await prepared(1)
  const { context } = market.server
  const { signer } = context
  context.signer = {
    ...signer,
    async signSettlement(request) {
      const signed = await signer.signSettlement(request)
      await restartWithFloor(1.5)
      return signed
    },
  }
  try {
    const refusal = await buyer.client
      .call('submitPurchase', { params, body })
      .catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ApiError)
    expect((refusal as ApiError).status).toBe(409)
  } finally {
    context.signer = signer
  }
  expect(await mempool()).toEqual([])
  expect(await market.sql`select 1 from listings where state = 'hidden_locked'`).toHaveLength(0)
})
