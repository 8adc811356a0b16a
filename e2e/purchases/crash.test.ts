import { freePort } from '@ordbook/db/process/free-port.ts'
import { buy, preparePurchase } from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

const KILLS = sampled(3, 20, 2)

const port = await freePort()
const market = setUpMarket({ PORT: String(port) })
let server: ServerProcess
afterAll(() => server?.kill('SIGTERM'))

async function start(): Promise<void> {
  server = spawnServer(market, port)
  await server.ready()
}

it(`settles or drops a purchase after ${KILLS} random kills`, async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2wpkh', 100_000_000)
  const { slug, ids } = await market.collection(seller.wallet, KILLS)
  await market.anchors(KILLS * 2 + 4)
  await listAll(market, seller, slug, ids, 30_000)
  await market.server.close()
  const outcomes = { settled: 0, absent: 0 }
  for (const [round, id] of ids.entries()) {
    await start()
    const { body, answer } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [id]))
    const submitted = buyer.client.call('submitPurchase', { params: { slug }, body }).catch(() => null)
    // Spread over the call and slightly beyond it. The first submit of a process takes about 150 ms.
    const moment = ((round + Math.random()) / KILLS) * 250
    await new Promise((done) => setTimeout(done, moment))
    await server.kill('SIGKILL')
    await submitted
    await start()

    const state = await until('the trade to be resolved', async () => {
      const [row] = await market.sql<{ state: string }[]>`
        select coalesce(state, 'prepared') as state from preflights
          left join settlements on settlement_id::text = handle where handle = ${body.purchaseAnchorUtxoId}`
      return row && row.state !== 'intended' ? row.state : null
    })
    const txid = answer.expectedSettlementTxid
    const mempool = await market.regtest.call<string[]>('getrawmempool')
    if (state === 'broadcast') {
      outcomes.settled++
      expect(mempool).toContain(txid)
    } else {
      outcomes.absent++
      expect(state).toMatch(/prepared|failed/)
      expect(mempool).not.toContain(txid)
      const repeated = await buy(buyer, slug, await agreementFor(market, buyer, [id]))
      expect(await market.regtest.call<string[]>('getrawmempool')).toContain(repeated.settlementTxid)
    }
    await market.regtest.mine()
    const sale = await until('the sale to be recorded', async () => {
      const { sales } = await buyer.client.call('listSales', { query: { collectionSlug: slug } })
      return sales.find((sale) => sale.inscriptionId === id)
    })
    const coin = await market.coinOf(id)
    expect(coin).toMatchObject({ txid: sale.txid, script: buyer.wallet.ordinalsScript })
    expect(await market.regtest.call('gettxout', coin.txid, coin.vout)).not.toBeNull()
    await server.kill('SIGKILL')
  }
  console.log(`${market.node.kind}: ${outcomes.settled} settled, ${outcomes.absent} absent`)
  const live = await market.sql`select 1 from settlements where state in ('intended', 'broadcast')`
  expect(live).toHaveLength(0)
  await start()
})
