import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import { offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { expectInDoctor, expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { freshWallet, setUpMarket, testConfig, until } from '../support/market.ts'
import { offering } from '../support/offers.ts'
import { spawnServer } from '../support/server.ts'

const market = setUpMarket()

const statusOf = async (url: string): Promise<any> => (await fetch(`${url}/status`)).json()
const status = () => statusOf(market.server.url)

const refuseHostile = () =>
  market.sql`alter table inscription_rows add constraint no_hostile check (content_type <> 'text/hostile') not valid`
const takeHostile = () => market.sql`alter table inscription_rows drop constraint no_hostile`

/** Mines a block with a transaction that violates the constraint. */
async function mineHostile(): Promise<{ height: number; txid: string; ids: string[] }> {
  const owner = freshWallet().ordinalsScript
  const types = ['text/plain', 'text/plain', 'text/hostile', 'text/plain']
  const ids = await market.regtest.inscribe(
    types.map((contentType, n) => ({
      inscription: { contentType, body: new TextEncoder().encode(`${Math.random()} ${n}`) },
      owner,
      postageSats: 10_000,
    })),
  )
  return { height: await market.regtest.call('getblockcount'), txid: ids[2]!.slice(0, 64), ids }
}

it('pauses trading if a block cannot be indexed', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const port = await freePort()
  const other = spawnServer(market, port, { ROLES: 'api' })
  await other.ready()
  await refuseHostile()
  const hostile = await mineHostile()
  await market.regtest.mine(2)
  await expect(market.server.sync()).rejects.toThrow(`block ${hostile.height} cannot be indexed`)
  const fault = {
    trading: 'paused',
    reason: `block ${hostile.height} cannot be indexed yet`,
    indexHeight: hostile.height - 1,
    lagBlocks: 3,
    indexFault: {
      height: hostile.height,
      txid: hostile.txid,
      reason: 'rejected by the database (SQLSTATE 23514, constraint no_hostile)',
    },
  }
  await until('a pause', async () => (await status()).indexFault?.txid)
  expect(await status()).toMatchObject(fault)
  await until(
    'the other server to pause trading',
    async () => (await statusOf(`http://127.0.0.1:${port}`)).indexFault,
  )
  expect(await statusOf(`http://127.0.0.1:${port}`)).toMatchObject(fault)
  await expectInStatus(['index-fault'], market.server.url)
  await expectInMetrics(['index-fault'], metricsAt(market.server.url))
  const config = testConfig({ DATA_DIR: market.dataDir, BITCOIN_RPC_URL: market.node.url })
  expectInDoctor(['index-fault'], await Array.fromAsync(examine(config, market.databaseUrl)))
  await expect(offer(buyer, slug, await offering(market, buyer, ids, 60_000))).rejects.toMatchObject({
    status: 503,
  })

  const txid = txidOf(await market.regtest.pay([{ valueSats: 10_000, script: buyer.wallet.paymentScript }]))
  await until('mempool_spends to include the payment', async () => {
    const [row] = await market.sql`select 1 from mempool_spends where spender = ${txid}`
    return row
  })

  await takeHostile()
  await until('the index to reach the tip', async () => (await status()).lagBlocks === 0)
  const after = await status()
  expect(after).toMatchObject({ trading: 'open', reason: null, indexFault: null })
  const rows = await market.sql`select 1 from inscriptions where inscription_id = any(${hostile.ids}::text[])`
  expect(rows.length).toBe(4)
  await offer(buyer, slug, await offering(market, buyer, ids, 60_000))
  await other.kill('SIGTERM')
})

it('resumes when the failing block is disconnected', async () => {
  await refuseHostile()
  const { height } = await mineHostile()
  await expect(market.server.sync()).rejects.toThrow(/cannot be indexed/)
  await market.regtest.call('invalidateblock', await market.regtest.call('getblockhash', height))
  await market.regtest.mineExactly([])
  expect(await market.server.sync()).toBe(height)
  await until('open trading', async () => (await status()).trading === 'open')
  expect((await status()).indexFault).toBe(null)
  await takeHostile()
})
