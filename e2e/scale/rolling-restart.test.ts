import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { Client } from '@ordbook/sdk/client.ts'
import { delist } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Asked, everyRequest } from '../operations/support/every-request.ts'
import { listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { signInAtStorefront } from '../support/storefront.ts'
import { goodReads, startLoad } from './support/steady-load.ts'

/** Restarts two servers behind the shipped HAProxy one after the other while clients read and trade. No request may fail. */
const CONFIGURATION = join(import.meta.dirname, '../../deploy/haproxy.cfg')
const ROUNDS = 3

const market = setUpMarket()
let balancer: ChildProcess
let url: string
let requests: Asked[]
let seller: TestTrader
let collection: { slug: string; ids: string[] }
const servers: { port: number; process: ServerProcess }[] = []

const start = (port: number, drainSeconds = '3') =>
  spawnServer(market, port, { DRAIN_SECONDS: drainSeconds, ANCHOR_POOL: '60', HOST: '127.0.0.1' })

beforeAll(async () => {
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
    throw new Error('haproxy not found: npm run test:suite -- scale installs it', {
      cause: error,
    })
  })
  await Promise.race([
    failed,
    until('the load balancer', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok),
  ])
  const client = new Client(`${url}/api/v1`)
  client.token = trader.client.token
  seller = { ...trader, client }
}, 180_000)
afterAll(async () => {
  balancer?.kill('SIGKILL')
  for (const { process } of servers) await process.kill('SIGKILL')
})

it('serves all requests during a rolling restart', async () => {
  const reads = await goodReads(url, requests)
  expect(reads.length).toBeGreaterThan(60)
  const load = startLoad(
    url,
    reads,
    collection.ids.slice(0, 2).map((id) => ({
      kind: 'listings made and ended',
      turn: async () => {
        const listed = await listAll(market, seller, collection.slug, [id], 20_000)
        await delist(seller, collection.slug, [{ inscriptionId: id, listingId: listed.get(id)! }])
      },
    })),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const server of servers) {
      const ended = once(server.process.child, 'exit')
      server.process.child.kill('SIGTERM')
      expect((await ended)[0]).toBe(0)
      server.process = start(server.port)
      await server.process.ready()
      await sleep(1500)
    }
  await load.stop()
  console.log(`${2 * ROUNDS} restarts:`, JSON.stringify(load.done), `${load.failures.length} failed`)
  expect(load.failures).toEqual([])
  expect(load.done.reads).toBeGreaterThan(100)
  expect(load.done['listings made and ended']).toBeGreaterThan(5)
}, 240_000)

it('routes requests even if no server is ready', async () => {
  const both = servers.map(({ process }) => once(process.child, 'exit'))
  for (const { process } of servers) process.child.kill('SIGTERM')
  await Promise.all(both)
  // Drain slowly, so that the balancer sees all servers as not ready before the first exits.
  for (const server of servers) server.process = start(server.port, '5')
  for (const { process } of servers) await process.ready()
  await until('the load balancer', async () => (await fetch(`${url}/readyz`)).ok)
  for (const { process } of servers) process.child.kill('SIGTERM')
  await until('draining servers', async () => (await fetch(`${url}/readyz`)).status === 503)
  await sleep(1500)
  const answer = await fetch(`${url}/keys`)
  expect(answer.status).toBe(200)
  expect(await (await fetch(`${url}/readyz`)).text()).toContain('shutting down')
})
