import { createServer, type Server } from 'node:http'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { beginWhenReady } from '../../scripts/market/begin-when-ready.ts'
import { freshDatabase, setUpMarket, until } from '../support/market.ts'
import { type OrdServer, startOrd } from './support/ord-server.ts'

const market = setUpMarket()
let ord: OrdServer
let sql: Sql
let gate: Server | undefined
beforeAll(async () => {
  ord = await startOrd(market)
  sql = connect(await freshDatabase(), { max: 2 })
  await migrate(sql)
})
afterAll(async () => {
  gate?.closeAllConnections()
  gate?.close()
  await sql?.end()
  await ord?.stop()
})

/** Makes ord reachable on a port. */
function openGate(port: number): Promise<void> {
  gate = createServer(async (request, response) => {
    const answer = await fetch(ord.url + request.url, { headers: { accept: 'application/json' } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  return new Promise((done) => gate!.listen(port, '127.0.0.1', done))
}

it('begins once ord has all blocks', async () => {
  const [ordPort, port] = [await freePort(), await freePort()]
  const messages: string[] = []
  const sources = {
    sql,
    node: new CoreSource(market.node.url),
    ord: new Ord(`http://127.0.0.1:${ordPort}`),
    host: '127.0.0.1',
    port,
    say: (text: string) => void messages.push(text),
  }
  const began = beginWhenReady(sources)
  const page = () => fetch(`http://127.0.0.1:${port}/anything`)
  await until('a response that reports ord', async () => {
    const answer = await page().catch(() => null)
    if (!answer) return false
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30'])
    return (await answer.text()).includes('The ord server does not respond yet.')
  })
  expect(await findTip(sql)).toBeNull()
  await openGate(ordPort)
  const height = await market.regtest.call<number>('getblockcount')
  expect(await began).toBe(height)
  expect(messages).toEqual(['The ord server does not respond yet.'])
  expect((await findTip(sql))?.height).toBe(height)
  await expect(page()).rejects.toThrow()
  expect(await beginWhenReady(sources)).toBeNull()
})
