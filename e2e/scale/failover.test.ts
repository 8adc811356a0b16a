import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Pair, patient, trade } from '../chaos/support/trades.ts'
import { type Asked, everyRequest } from '../operations/support/every-request.ts'
import { type FaultyDatabase, startFaultyDatabase } from '../operations/support/faults.ts'
import { type StreamingReplica, startReplica } from '../operations/support/replica.ts'
import { startMarket, type TestMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { signInAtStorefront } from '../support/storefront.ts'

/**
 * Two API servers read from a replica, and a follower uses the primary. The primary is killed and the replica promoted during continuous
 * reads. No read may fail, and trading must resume without a restart.
 */
let database: FaultyDatabase
let replica: StreamingReplica
let market: TestMarket
let pair: Pair
let requests: Asked[]
const servers: { url: string; process: ServerProcess }[] = []
beforeAll(async () => {
  database = await startFaultyDatabase()
  replica = await startReplica(database)
  market = await startMarket({ ANCHOR_POOL: '100' }, undefined, { databaseUrl: database.url })
  const [seller, buyer] = [
    await market.trader('p2wpkh', 10_000_000),
    await market.trader('p2wpkh', 10_000_000),
  ]
  const collection = await market.collection(seller.wallet, 4)
  await market.anchors(20)
  const { url } = market.server
  requests = await everyRequest(market, url, {
    trader: seller,
    cookie: (await signInAtStorefront(url, seller.wallet)).cookie,
    otherCookie: '',
  })
  await market.server.close()
  await market.sql.end()
  const { host } = new URL(replica.url)
  market.databaseUrl = database.url.replace(/@([^/]+)/, `@$1,${host}`)
  market.sql = connect(market.databaseUrl, { max: 2, as: 'requests' })
  for (const roles of ['follower,jobs', 'api', 'api']) {
    const port = await freePort()
    const process = spawnServer(market, port, {
      ROLES: roles,
      ...(roles === 'api' ? { DATABASE_READ_URL: replica.url } : { HEALTH_PORT: String(port) }),
    })
    servers.push({ url: `http://127.0.0.1:${port}`, process })
  }
  for (const { process } of servers.slice(1)) await process.ready()
  const [, one, two] = servers
  pair = {
    kind: 'purchase',
    ...collection,
    seller: await patient(seller, one!.url, 'api'),
    buyer: await patient(buyer, two!.url, 'api'),
  }
}, 300_000)
afterAll(async () => {
  for (const { process } of servers) await process.kill('SIGKILL')
  await market?.stop().catch(() => {})
  await replica?.close()
  await database?.close()
})

interface Load {
  answers: number
  failures: string[]
  slowest: number
  stop(): Promise<void>
}

function load(reads: readonly Asked[]): Load {
  let isRunning = true
  const results: Load = { answers: 0, failures: [], slowest: 0, stop }
  const workers = servers.slice(1).flatMap(({ url }) =>
    Array.from({ length: 3 }, async (_, k) => {
      for (let n = k; isRunning; n++) {
        const { path, headers } = reads[n % reads.length]!
        const began = performance.now()
        const answer = await fetch(`${url}${path}`, { headers }).catch((error: Error) => error)
        if (answer instanceof Error) results.failures.push(`${path}: ${answer.message}`)
        else {
          const text = await answer.text()
          if (answer.status === 200) results.answers++
          else results.failures.push(`${path}: ${answer.status} ${text.slice(0, 200)}`)
        }
        results.slowest = Math.max(results.slowest, performance.now() - began)
        await sleep(20)
      }
    }),
  )
  async function stop() {
    isRunning = false
    await Promise.all(workers)
  }
  return results
}

const OF_THE_PRIMARY = /\/(coins|escrows|sessions|events)\b/

it('serves all reads while the primary is down', async () => {
  const buy = () => trade({ market }, pair, () => {})
  expect(await buy()).toMatchObject({ txid: expect.any(String) })
  const reads = []
  for (const each of requests.filter(({ method, path }) => method === 'GET' && !OF_THE_PRIMARY.test(path)))
    if ((await fetch(`${servers[1]!.url}${each.path}`, each)).status === 200) reads.push(each)
  expect(reads.length).toBeGreaterThan(60)
  const results = load(reads)
  await sleep(3000)
  const before = results.answers
  await database.kill()
  const killed = performance.now()
  await sleep(5000)
  const without = results.answers - before
  await replica.admin`select pg_promote()`
  const promoted = performance.now()
  const outcome = await buy()
  const traded = performance.now()
  await sleep(2000)
  await results.stop()
  console.log(
    `reads: ${results.answers} answered, ${without} of them in the 5 s without a primary, ${results.failures.length} failed, ` +
      `the slowest in ${Math.round(results.slowest)} ms; a trade ${Math.round(traded - promoted)} ms after the promotion, ` +
      `${Math.round(traded - killed)} ms after the loss`,
  )
  expect([...new Set(results.failures)]).toEqual([])
  expect(without).toBeGreaterThan(0)
  expect(outcome).toMatchObject({ txid: expect.any(String) })
  for (const { process } of servers) expect(process.child.exitCode).toBeNull()
  await until('the new primary to index the trade', async () => {
    await market.regtest.mine()
    const rows = await market.sql`select 1 from sales where inscription_id = ${outcome.id}`
    return rows.length === 1
  })
})
