import { afterAll, beforeAll } from 'vitest'
import { serveAgain, startMarket, type TestMarket } from '../support/market.ts'
import { itTradesWithIndex } from './support/address-index-trade.ts'
import { type EsploraServer, startElectrs, startEsplora } from './support/esplora-server.ts'

/**
 * A market that finds the coins of addresses at an Esplora server, and proves with the node that they have no runes. With the path of an
 * electrs of Blockstream or mempool.space in ORDBOOK_TEST_ESPLORA, that is the server, on a bitcoind.
 */
const electrs = process.env.ORDBOOK_TEST_ESPLORA
let market: TestMarket
let esplora: EsploraServer

beforeAll(async () => {
  market = await startMarket({ ALLOW_RUNE_LOSS: 'no' }, electrs ? 'bitcoind' : undefined)
  esplora = electrs ? await startElectrs(electrs, market.node.url) : await startEsplora(market.regtest)
  await market.server.close()
  await market.sql.end()
  await serveAgain(market, market.databaseUrl, { ALLOW_RUNE_LOSS: 'no', ADDRESS_INDEX_URL: esplora.url })
  market.server.context.node.unspentOf = () => Promise.reject(new Error('scanned'))
}, 120_000)
afterAll(async () => {
  esplora?.stop()
  await market?.stop()
})

itTradesWithIndex(() => market)
