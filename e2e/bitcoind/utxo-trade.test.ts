import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { itTradesWithIndex } from '../indexer/support/address-index-trade.ts'
import { setUpMarket } from '../support/market.ts'

/** A market without ord that reads the coins of addresses from its node, and proves with the node that they have no runes. */
const folder = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
const market = setUpMarket({ ALLOW_RUNE_LOSS: 'no', ADDRESS_INDEX_URL: `node://${folder}` }, 'bitcoind')
beforeAll(() => {
  market.server.context.node.unspentOf = () => Promise.reject(new Error('scanned'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

itTradesWithIndex(() => market)
