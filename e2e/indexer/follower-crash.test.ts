import { randomBytes } from 'node:crypto'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { beforeAll, expect, it } from 'vitest'
import { type FaultyDatabase, startFaultyDatabase } from '../operations/support/faults.ts'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { spawnServer } from '../support/server.ts'
import { indexOf, satsOf, slowSats } from './support/index-of.ts'
import { Crowd, Dice, JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

/**
 * Kills the follower, or stops PostgreSQL immediately, at random moments of catching up and of reorgs. Afterwards the index must equal a
 * recomputation, and all tables those of a follower that was never interrupted.
 */
const CRASHES = sampled(4, 50)
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

const market = setUpMarket()
let database: FaultyDatabase
beforeAll(async () => {
  database = await startFaultyDatabase()
  return () => database.close()
})
const height = () => market.regtest.call<number>('getblockcount')

type Crash = 'killed' | 'stopped'

async function emptyDatabase(): Promise<string> {
  const url = new URL(database.url)
  const name = `index_${randomBytes(8).toString('hex')}`
  const admin = connect(database.superuserUrl(), { max: 1 })
  await admin.unsafe(`create database ${name} owner ${url.username}`)
  await admin.end()
  url.pathname = `/${name}`
  const sql = connect(url.href, { max: 1 })
  await migrate(sql)
  await sql.end()
  return url.href
}

/** Runs a follower until it is at the tip. Returns whether the crash happened before. */
async function follow(databaseUrl: string, crash: { how: Crash; at: number } | null): Promise<boolean> {
  const [postgres] = database.processes()
  const server = spawnServer(
    { ...market, databaseUrl },
    await freePort(),
    {
      ROLES: 'follower',
      tuning: { pollMilliseconds: 20 },
      ...(crash && { CRASH_AT: String(crash.at), CRASH_FROM: 'getblockhash' }),
      ...(crash?.how === 'stopped' && { CRASH_POSTGRES: String(postgres) }),
    },
    crash ? 'crash-at.ts' : undefined,
  )
  const sql = connect(databaseUrl, { max: 1 })
  const best = await market.regtest.call<string>('getbestblockhash')
  let isOver = false
  let isStopped = false
  const restartIfStopped = async () => {
    if (database.processes().length > 0) return
    isStopped = true
    await database.start()
  }
  const reached = async () => {
    while (!isOver) {
      await restartIfStopped()
      const [tip] = await sql<{ blockHash: string }[]>`
        select block_hash from blocks order by height desc limit 1`.catch(() => [])
      if (tip?.blockHash === best) return null
      await new Promise((done) => setTimeout(done, 20))
    }
    return null
  }
  const reaching = reached()
  const how = await Promise.race([server.ended, reaching])
  await server.kill('SIGKILL')
  isOver = true
  await reaching
  // A server that was still starting has ended without its database.
  await restartIfStopped()
  await sql.end()
  return how === 'SIGKILL' || isStopped
}

/** Tables that depend on processes. */
const NOT_COMPARED = ['leases', 'mempool_poll', 'mempool_spends', 'migrations', 'secrets']
/** Returns the rows of all other tables, and the locations of inscriptions, without times, random ids and numbers of changes. */
async function dumpOf(sql: Sql): Promise<Map<string, string[]>> {
  const tables = await sql<{ name: string; omitted: string[] }[]>`
    select c.relname as name, coalesce(array_agg(a.attname::text) filter (where a.atttypid in ('timestamptz'::regtype,
      'uuid'::regtype, 'xid8'::regtype) and a.attname not in ('mined_at', 'inscribed_at') or a.attname = 'event_id'), '{}') as omitted
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and (c.relkind = 'r' or c.relname = 'inscriptions')
      and not c.relname = any(${NOT_COMPARED}::text[])
    group by c.relname`
  const dump = new Map<string, string[]>()
  for (const { name, omitted } of tables) {
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(t) - ${omitted}::text[])::text as row from ${sql(name)} t order by 1`
    dump.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return dump
}

it(`builds the same index after ${CRASHES} crashes`, async () => {
  const dice = new Dice(seed)
  const chain = new JsonChain(market.regtest)
  const crowd = new Crowd(dice, FAUCET_KEY)
  // The server's transactions would enter the test's blocks.
  await market.server.close()
  const grow = async (blocks: number) => {
    for (let n = 0; n < blocks; n++)
      await market.regtest.mineExactly(crowd.block(recompute(await chain.read()), (await height()) + 1))
  }
  await grow(60)
  let [crashing, calm] = [await emptyDatabase(), await emptyDatabase()]
  const crashes: Record<string, number> = {}
  for (let round = 0; Object.values(crashes).reduce((a, b) => a + b, 0) < CRASHES; round++) {
    const during = round % 4 < 2 ? 'catch-up' : 'reorg'
    const how: Crash = round % 2 === 0 ? 'killed' : 'stopped'
    if (during === 'catch-up') [crashing, calm] = [await emptyDatabase(), await emptyDatabase()]
    else {
      const depth = 3 + dice.roll(25)
      const hash = await market.regtest.call<string>('getblockhash', (await height()) - depth + 1)
      await market.regtest.call('invalidateblock', hash)
      await grow(depth + dice.roll(3))
    }
    try {
      const most = during === 'catch-up' ? 900 : 1200
      // If the follower is at the tip first, there is no crash, and the round does not count.
      if (await follow(crashing, { how, at: 1 + dice.roll(most) })) {
        const name = `${how} in ${during}`
        crashes[name] = (crashes[name] ?? 0) + 1
      }
      await follow(crashing, null)
      await follow(calm, null)
      const [sql, calmSql] = [connect(crashing, { max: 1 }), connect(calm, { max: 1 })]
      const slow = recompute(await chain.read())
      expect(await indexOf(sql)).toEqual(slow.inscriptions)
      expect(await satsOf(sql)).toEqual(slowSats(slow))
      const calmDump = await dumpOf(calmSql)
      for (const [table, rows] of await dumpOf(sql)) expect(rows, table).toEqual(calmDump.get(table))
      await Promise.all([sql.end(), calmSql.end()])
    } catch (error) {
      throw new Error(`round ${round} (${how} in ${during}) of seed ${seed}`, { cause: error })
    }
  }
  console.log(`${market.node.kind}, seed ${seed}:`, crashes)
  expect(recompute(await chain.read()).inscriptions.length).toBeGreaterThan(20)
})
