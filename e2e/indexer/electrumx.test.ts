import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, describe } from 'vitest'
import { serveAgain, startMarket, type TestMarket } from '../support/market.ts'
import { itTradesWithIndex } from './support/address-index-trade.ts'

/** A market that finds the coins of addresses at a real ElectrumX, and proves with the node that they have no runes. */
let market: TestMarket
let electrumx: ChildProcess
let directory: string
let url: string

describe('a market with ElectrumX', () => {
  beforeAll(async () => {
    market = await startMarket({ ALLOW_RUNE_LOSS: 'no' }, 'bitcoind')
    directory = mkdtempSync(join(tmpdir(), 'ordbook-electrumx-'))
    url = `electrum://127.0.0.1:${await freePort()}`
    const node = new URL(market.node.url)
    const binary = process.env.ORDBOOK_TEST_ELECTRUMX
    if (!binary) throw new Error('ORDBOOK_TEST_ELECTRUMX is not set: run npm run test:suite -- electrum')
    electrumx = spawn(binary, [], {
      env: {
        PATH: process.env.PATH,
        COIN: 'Bitcoin',
        NET: 'regtest',
        DAEMON_URL: node.href,
        DB_DIRECTORY: directory,
        DB_ENGINE: 'leveldb',
        SERVICES: `tcp://${new URL(url).host}`,
        PEER_DISCOVERY: 'off',
        ALLOW_ROOT: '1',
        LOG_LEVEL: 'error',
        COST_SOFT_LIMIT: '0',
        COST_HARD_LIMIT: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await market.server.close()
    await market.sql.end()
    await serveAgain(market, market.databaseUrl, { ALLOW_RUNE_LOSS: 'no', ADDRESS_INDEX_URL: url })
    market.server.context.node.unspentOf = () => Promise.reject(new Error('scanned'))
  }, 120_000)
  afterAll(async () => {
    electrumx?.kill('SIGKILL')
    await market?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  itTradesWithIndex(() => market)
})
