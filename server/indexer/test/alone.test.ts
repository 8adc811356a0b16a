import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, freshWallet, testConfig } from '../../../e2e/support/market.ts'
import { startNode, type TestNode } from '../../../e2e/support/node.ts'
import { type Indexer, startIndexer } from '../src/serve.ts'

let node: TestNode
let indexer: Indexer
let databaseUrl: string
const config = testConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'ordbook-indexer-')) })
beforeAll(async () => {
  node = await startNode()
  databaseUrl = await freshDatabase()
  indexer = await startIndexer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
})
afterAll(async () => {
  await indexer?.close()
  await node?.stop()
})

it('startIndexer serves content without a market', async () => {
  const { regtest } = node
  await regtest.mine(101)
  const body = new TextEncoder().encode('content of the test')
  const [id] = await regtest.inscribe([
    {
      inscription: { contentType: 'text/plain', body },
      owner: freshWallet().ordinalsScript,
      postageSats: 10_000,
    },
  ])
  const height = await indexer.sync()
  const get = async (path: string) => {
    const response = await fetch(`${indexer.url}${path}`)
    expect(response.status, path).toBe(200)
    return response
  }
  expect(await (await get(`/content/${id}`)).text()).toBe('content of the test')
  expect(await (await get('/r/blockheight')).json()).toBe(height)
  expect(await (await get(`/r/inscription/${id}`)).json()).toMatchObject({ id, number: 0, value: 10_000 })
  await get('/readyz')
  expect((await fetch(`${indexer.url}/api/v1/collections`)).status).toBe(404)

  const sql = connect(databaseUrl, { max: 1 })
  for (const table of ['collections', 'listings', 'sales', 'market_coins', 'settlements'])
    expect(await sql.unsafe(`select 1 from ${table}`), table).toEqual([])
  await sql.end()
})

it('startIndexer rejects the database of a market', async () => {
  const options = { ...config, databaseUrl, bitcoinRpcUrl: node.url }
  await expect(startServer(options)).rejects.toThrow(/belongs to an indexer without a market/)
  const market = { ...options, databaseUrl: await freshDatabase() }
  await (await startServer(market)).close()
  await expect(startIndexer(market)).rejects.toThrow(/belongs to a market, whose server indexes the chain/)
})
