import { startServer } from '@ordbook/app/server.ts'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { bid } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { setUpMarket, testConfig, until } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'

const market = setUpMarket({ FILL_FEE_BPS: '100' })

const rowOf = async (offerId: string) => {
  const [row] = await market.sql<{ receiveSats: number; packageVsize: number; executable: boolean }[]>`
    select receive_sats, package_vsize, executable from collection_offers where offer_id = ${offerId}`
  return row!
}

it('recomputes bid payouts after a fee change', async () => {
  const seller = await market.trader()
  const { slug } = await market.collection(seller.wallet, 1)
  // A maker's second bid would replace the first.
  const make = async (priceSats: number) => {
    const maker = await market.trader()
    const coins = await coinsOf(market, maker)
    return (await bid(maker, slug, { target: { kind: 'all' }, priceSats, coins })).offers[0]!.offerId
  }
  const [large, small] = [await make(100_000), await make(10_000)]
  const before = await rowOf(large)
  expect(before.receiveSats).toBe(99_000)

  const { server, dataDir, databaseUrl, node } = market
  await server.close()
  const config = testConfig({ DATA_DIR: dataDir, FILL_FEE_BPS: '2000', FEE_MIN_SATS: '9700' })
  market.server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  market.base = `${market.server.url}/api/v1`
  await until('the new fees', async () => (await rowOf(large)).receiveSats === 80_000)
  // The small bid would pay out 300 sats, below the dust limit.
  await until('the small bid', async () => !(await rowOf(small)).executable)
  expect((await rowOf(small)).receiveSats).toBeLessThan(330)

  const creator = await market.trader()
  const address = addressOfScript(creator.wallet.paymentScript, 'regtest')!
  await setCollectionRoyalty(market.server.context, slug, { address, sellerBps: 500, buyerBps: 500 })
  // Jobs recompute payouts after a fee change, or after a minute.
  market.server.context.config.feeRateFallbackSatVb = 5
  await until('the royalty', async () => (await rowOf(large)).receiveSats === 70_000)
  expect((await rowOf(large)).packageVsize).toBeGreaterThan(before.packageVsize)
})
