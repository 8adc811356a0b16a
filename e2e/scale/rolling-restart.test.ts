import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@ordbook/sdk/client.ts'
import { delist } from '@ordbook/sdk/index.ts'
import { freePort } from '@ordbook/server/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Asked, everyRequest } from '../support/every-request.ts'
import { listAll, startMarket, type TestMarket, type TestTrader, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { signInAtStorefront } from '../support/storefront.ts'

/** Two servers behind the shipped HAProxy, restarted one after the other while clients read and trade: no request fails. */
const CONFIGURATION = join(import.meta.dirname, '../../deploy/haproxy.cfg')
const ROUNDS = 3

let market: TestMarket
let balancer: ChildProcess
let url: string
let requests: Asked[]
let seller: TestTrader
let collection: { slug: string; ids: string[] }
const servers: { port: number; process: ServerProcess }[] = []

const start = (port: number) =>
  spawnServer(market, port, { DRAIN_SECONDS: '3', ANCHOR_POOL: '60', HOST: '127.0.0.1' })

beforeAll(async () => {
  market = await startMarket()
  const trader = await market.trader('p2wpkh', 10_000_000)
  collection = await market.collection(trader.wallet, 4)
  await market.anchors(20)
  requests = await everyRequest(market, market.server.url, {
    trader,
    cookie: (await signInAtStorefront(market.server.url, trader.wallet)).cookie,
    otherCookie: '',
  })
  await market.server.close()
  for (let n = 0; n < 2; n++) {
    const port = await freePort()
    servers.push({ port, process: start(port) })
  }
  for (const { process } of servers) await process.ready()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const [one, two] = servers
  balancer = spawn('haproxy', ['-f', CONFIGURATION], {
    env: {
      ...process.env,
      LISTEN: `127.0.0.1:${port}`,
      SERVER_ONE: `127.0.0.1:${one!.port}`,
      SERVER_TWO: `127.0.0.1:${two!.port}`,
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const failed = once(balancer, 'error').then(([error]) => {
    throw new Error('this test needs haproxy: npm run test:scale installs it', { cause: error })
  })
  await Promise.race([
    failed,
    until('a balancer that answers', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok),
  ])
  const client = new Client(`${url}/api/v1`)
  client.token = trader.client.token
  seller = { ...trader, client }
}, 180_000)
afterAll(async () => {
  balancer?.kill('SIGKILL')
  for (const { process } of servers) await process.kill('SIGKILL')
  await market?.stop()
})

it('fails no read and no write while each server is restarted in turn', async () => {
  const reads: Asked[] = []
  // Live events are answers without end: clients ask for them again.
  for (const each of requests.filter(({ method, path }) => method === 'GET' && !path.endsWith('/events')))
    if ((await fetch(`${url}${each.path}`, each)).status === 200) reads.push(each)
  expect(reads.length).toBeGreaterThan(60)
  const failures: string[] = []
  let answers = 0
  let writes = 0
  let goesOn = true
  const readers = Array.from({ length: 4 }, async (_, k) => {
    for (let n = k; goesOn; n++) {
      const { path, headers } = reads[n % reads.length]!
      const signal = AbortSignal.timeout(30_000)
      const answer = await fetch(`${url}${path}`, { headers, signal }).catch((error: Error) => error)
      if (answer instanceof Error) failures.push(`${path}: ${answer.message}: ${answer.cause}`)
      else {
        await answer.arrayBuffer()
        if (answer.status === 200) answers++
        else failures.push(`${path}: ${answer.status}`)
      }
    }
  })
  const traders = collection.ids.slice(0, 2).map(async (id) => {
    while (goesOn)
      try {
        const listed = await listAll(market, seller, collection.slug, [id], 20_000)
        await delist(seller, collection.slug, [{ inscriptionId: id, listingId: listed.get(id)! }])
        writes++
      } catch (error) {
        failures.push(`trade: ${error}`)
        await sleep(200)
      }
  })
  for (let round = 0; round < ROUNDS; round++)
    for (const server of servers) {
      const ended = once(server.process.child, 'exit')
      server.process.child.kill('SIGTERM')
      expect((await ended)[0]).toBe(0)
      server.process = start(server.port)
      await server.process.ready()
      await sleep(1500)
    }
  goesOn = false
  await Promise.all([...readers, ...traders])
  console.log(
    `${2 * ROUNDS} restarts: ${answers} reads, ${writes} listings made and ended, ${failures.length} failed`,
  )
  expect(failures).toEqual([])
  expect(answers).toBeGreaterThan(100)
  expect(writes).toBeGreaterThan(5)
}, 240_000)
