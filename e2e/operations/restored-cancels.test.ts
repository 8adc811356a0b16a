import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from '@ordbook/operations/backup/backup.ts'
import { restore } from '@ordbook/operations/backup/restore.ts'
import type { ApiError } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { serveAgain, startMarket, type TestMarket, until } from '../support/market.ts'
import { Cluster, findDumpPrograms } from './support/clusters.ts'
import {
  enterAgain,
  KINDS,
  type Kind,
  makePeople,
  type OpenOrder,
  openOrders,
  type People,
} from './support/open-orders.ts'

const SCENES = sampled(1, 9)
/** Anchors of ended listings stay unspent, so the chain does not invalidate them. */
const SETTINGS = { tuning: { anchorSpendDelaySeconds: 86_400 }, LOG_LEVEL: 'silent', ANCHOR_POOL: '120' }

const dumpPrograms = findDumpPrograms()
const folder = mkdtempSync(join(tmpdir(), 'ordbook-brought-back-'))
let cluster: Cluster
let market: TestMarket

const serve = (databaseUrl: string, roles = 'api,follower,jobs') =>
  serveAgain(market, databaseUrl, { ...SETTINGS, ROLES: roles })

async function stop(): Promise<void> {
  await market.server.close()
  await market.sql.end()
}

/**
 * Restores the database to its state before `change`, and returns its URL. The market is stopped afterwards, except with `WHILE_RUNNING`,
 * which replaces the database under running servers.
 */
type Way = (change: () => Promise<void>) => Promise<string>
const WHILE_RUNNING = 'a file snapshot under running servers'

const DUMP = 'pg_dump and pg_restore'

const WAYS: Record<string, Way> = {
  async 'ordbook market restore'(change) {
    const archive = join(folder, 'market.backup')
    await backUp(market.databaseUrl, archive, new Date())
    await change()
    await stop()
    const databaseUrl = await cluster.createDatabase()
    await restore(databaseUrl, archive, { areJournalsKept: true })
    rmSync(archive)
    return databaseUrl
  },
  async [DUMP](change) {
    const dump = join(cluster.makeFolder('dump'), 'market')
    await cluster.program(
      'pg_dump',
      ['-Fc', '-f', dump, '-d', cluster.url(nameOf(market.databaseUrl))],
      dumpPrograms!,
    )
    await change()
    await stop()
    const databaseUrl = await cluster.createDatabase()
    await cluster.program('pg_restore', ['-d', cluster.url(nameOf(databaseUrl)), dump], dumpPrograms!)
    return databaseUrl
  },
  async [WHILE_RUNNING](change) {
    const { databaseUrl } = market
    await stop()
    await cluster.stop()
    cluster.copyFiles('snapshot')
    await cluster.launch()
    await serve(databaseUrl)
    await change()
    await cluster.stop()
    cluster.replaceFiles('snapshot')
    await cluster.launch()
    return databaseUrl
  },
  async 'point-in-time recovery'(change) {
    await cluster.copyRunning('base')
    await cluster.query(`select pg_create_restore_point('before')`)
    await change()
    await stop()
    await cluster.stop()
    cluster.replaceFiles('base')
    cluster.recoverTo('before')
    await cluster.launch()
    return market.databaseUrl
  },
}

const nameOf = (databaseUrl: string) => new URL(databaseUrl).pathname.slice(1)

async function stateOf({ kind, orderId }: OpenOrder): Promise<string> {
  const { table, key } = KINDS[kind]
  const [row] = await market.sql<{ state: string }[]>`
    select state from ${market.sql(table)} where ${market.sql(key)} = ${orderId}`
  return row!.state
}

const openTrading = () =>
  until(
    'open trading',
    async () => {
      const answer = await fetch(`${market.server.url}/status`).catch(() => null)
      return ((await answer?.json()) as { trading?: string } | undefined)?.trading === 'open'
    },
    60,
  )

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: ApiError) => `${error.status ?? ''} ${error.message}`,
  )

describe('restored database', () => {
  beforeAll(async () => {
    cluster = await Cluster.start()
    market = await startMarket(SETTINGS, 'devnet', { databaseUrl: await cluster.createDatabase() })
    await market.anchors(40)
  })
  const counts: Record<string, Partial<Record<Kind, number>>> = {}
  afterAll(async () => {
    console.log('rejected cancelled orders by restore method and kind:', JSON.stringify(counts))
    await market?.stop()
    await cluster?.close()
    rmSync(folder, { recursive: true })
  })

  const ways = Object.entries(WAYS).filter(([name]) => name !== DUMP || dumpPrograms)
  for (const [name, bringBack] of ways)
    it(
      `revives no cancelled order: ${name}`,
      async () => {
        const scenes: { people: People; orders: Record<Kind, OpenOrder[]> }[] = []
        for (let n = 0; n < SCENES; n++) {
          await market.anchors(20)
          const people = await makePeople(market)
          scenes.push({ people, orders: await openOrders(market, people) })
        }
        const databaseUrl = await bringBack(async () => {
          for (const { people, orders } of scenes) {
            const now = await enterAgain(market, people)
            for (const [cancelled] of Object.values(orders)) await cancelled!.cancel(now)
          }
        })
        if (name !== WHILE_RUNNING) await serve(databaseUrl, 'api,follower')
        await openTrading()
        const mempool = () => market.regtest.call<string[]>('getrawmempool')
        const settlements = () => market.sql`select settlement_id, state from settlements order by 1`
        const before = { mempool: await mempool(), settlements: await settlements() }
        counts[name] = {}
        for (const { people, orders } of scenes) {
          const now = await until('sessions', () => enterAgain(market, people).catch(() => null), 60)
          for (const [kind, [cancelled]] of Object.entries(orders) as [Kind, OpenOrder[]][]) {
            // Without jobs the order is still open in the database, but signer and guardian reject it.
            if (name !== WHILE_RUNNING) expect(await stateOf(cancelled!), kind).toBe(KINDS[kind].live)
            expect(await refusalOf(cancelled!.accept(now)), kind).toMatch(
              /^(4\d\d|) .*(taken|not listed|(was|is) cancelled|no longer (active|available))/,
            )
            counts[name]![kind] = (counts[name]![kind] ?? 0) + 1
          }
        }
        expect({ mempool: await mempool(), settlements: await settlements() }).toEqual(before)

        if (name !== WHILE_RUNNING) {
          await stop()
          await serve(databaseUrl)
        }
        for (const { orders } of scenes)
          for (const [kind, [cancelled, kept]] of Object.entries(orders) as [Kind, OpenOrder[]][]) {
            await until(`the ${kind} to end`, async () => (await stateOf(cancelled!)) === 'cancelled')
            expect(await stateOf(kept!), kind).toBe(KINDS[kind].live)
          }
        await openTrading()
        const [{ people, orders }] = scenes as [(typeof scenes)[0]]
        const now = await enterAgain(market, people)
        for (const kind of ['acceptance', 'bid', 'offer', 'counter', 'listing', 'proposal'] as const) {
          const [, kept] = orders[kind]
          expect(await refusalOf(kept!.accept(now)), kind).toBe('accepted')
          await market.mine()
        }
      },
      sampled(180_000, 3_600_000),
    )
})
