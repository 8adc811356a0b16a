import { follow } from '@ordbook/app/follow.ts'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type FaultyDatabase, startFaultyDatabase } from '../operations/support/faults.ts'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, startMarket, type TestMarket, until } from '../support/market.ts'
import { nodeKind } from '../support/node.ts'
import { type CrashPoint, endNow, Statements } from './support/crash-points.ts'
import { Crowd, Dice, JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

/**
 * Ends the follower, or stops PostgreSQL immediately, at each statement of applying and undoing a block with a sale, inscriptions and
 * moves. Afterwards all tables must be as without the crash. A killed process is a follower whose connections end and whose memory is
 * lost: all its effects are statements.
 */
const POINTS = sampled(6, Number.POSITIVE_INFINITY, 3)
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

let database: FaultyDatabase
let market: TestMarket
let tip: string

beforeAll(async () => {
  database = await startFaultyDatabase()
  market = await startMarket({ LOG_LEVEL: 'silent' }, nodeKind, { databaseUrl: database.url })
  await buildBlock()
  return async () => {
    await market.node.stop()
    await database.close()
  }
}, 600_000)

/** Indexes a market with listings, then mines a block without indexing it. */
async function buildBlock(): Promise<void> {
  const { regtest } = market
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids, 80_000)
  const dice = new Dice(seed)
  const chain = new JsonChain(regtest)
  const crowd = new Crowd(dice, FAUCET_KEY)
  const next = async (actions: number) => {
    const blocks = await chain.read()
    return crowd.block(recompute(blocks), blocks.length, actions)
  }
  for (let n = 0; n < 8; n++) await regtest.mineExactly(await next(4))
  await market.server.sync()
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  const settlement = await transaction(settlementTxid)
  const pool = await regtest.call<string[]>('getrawmempool')
  const parents = settlement.inputs.map(({ txid }) => txid).filter((txid) => pool.includes(txid))
  await market.server.sync()
  await market.server.close()
  await market.sql.end()
  await copy('ordbook', 'before')
  const sale = [...(await Promise.all([...new Set(parents)].map(transaction))), settlement]
  tip = await regtest.mineExactly([...sale, ...(await next(8))])
}

const transaction = async (txid: string): Promise<Tx> =>
  decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))

async function asSuperuser(text: string): Promise<void> {
  const admin = connect(database.superuserUrl(), { max: 1 })
  await admin.unsafe(text)
  await admin.end()
}

const urlOf = (name: string) => {
  const url = new URL(database.url)
  url.pathname = `/${name}`
  return url.href
}

async function copy(from: string, to: string): Promise<void> {
  const owner = new URL(database.url).username
  await asSuperuser(`drop database if exists ${to} with (force)`)
  await asSuperuser(`create database ${to} owner ${owner} template ${from}`)
}

function startFollower(name: string) {
  const { config, market: keys } = market.server.context
  const at = { databaseUrl: urlOf(name), bitcoinRpcUrl: market.node.url, pollMilliseconds: 20 }
  return follow({ config: { ...config, ...at }, base: null, market: keys }, () => {})
}

/** Follows until the index and the mempool are as the node's. Returns the statements of the follower's transactions. */
async function followTo(
  name: string,
  point: CrashPoint | null,
  how: 'killed' | 'stopped',
): Promise<Statements> {
  const [postgres] = database.processes()
  const statements = new Statements(point, (counted) => {
    if (how === 'killed') counted.endConnections()
    else endNow(postgres!, 'SIGQUIT')
  })
  let following = startFollower(name)
  try {
    const best = await market.regtest.call<string>('getbestblockhash')
    const sql = connect(urlOf(name), { max: 1 })
    let isRecovered = false
    await until('the tip of the node', async () => {
      if (statements.hasCrashed && !isRecovered) {
        isRecovered = true
        if (how === 'killed') {
          await following.close()
          statements.remove()
          following = startFollower(name)
        } else await database.start()
      }
      const [row] = await sql<{ blockHash: string }[]>`
        select block_hash from blocks order by height desc limit 1`.catch(() => [])
      return row?.blockHash === best
    })
    await sql.end()
    await until('a pass over the mempool', () =>
      following.sync().then(
        () => true,
        () => false,
      ),
    )
    return statements
  } finally {
    statements.remove()
    await following.close()
  }
}

/** Tables that depend on processes. */
const NOT_COMPARED = ['leases', 'mempool_poll', 'mempool_spends', 'migrations', 'secrets']

/** Returns the rows of all other tables, and the locations of inscriptions, without times, random ids and numbers of changes and events. */
async function dumpOf(name: string): Promise<Map<string, string[]>> {
  const sql: Sql = connect(urlOf(name), { max: 1 })
  const tables = await sql<{ name: string; omitted: string[] }[]>`
    select c.relname as name, coalesce(array_agg(a.attname::text) filter (where a.atttypid in ('timestamptz'::regtype,
      'uuid'::regtype, 'xid8'::regtype) and a.attname not in ('mined_at', 'inscribed_at') or a.attidentity <> ''
      or a.attname in ('event_id', 'undoes', 'change_id', 'sale_id')), '{}') as omitted
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'public'::regnamespace and (c.relkind = 'r' or c.relname = 'inscriptions')
      and not c.relname = any(${NOT_COMPARED}::text[])
    group by c.relname`
  const dump = new Map<string, string[]>()
  for (const table of tables) {
    const rows = await sql<{ row: string }[]>`
      select regexp_replace((to_jsonb(t) - ${table.omitted}::text[])::text, '"(at|change_id)": ("[^"]*"|\\d+)', '', 'g') as row
      from ${sql(table.name)} t order by 1`
    dump.set(
      table.name,
      rows.map(({ row }) => row),
    )
  }
  await sql.end()
  return dump
}

/** Returns the points to try: all of them, or some that are spread evenly and include the commits. */
function pointsOf(texts: readonly string[]): CrashPoint[] {
  const all = texts.flatMap((_, n): CrashPoint[] => [
    { at: n + 1, when: 'before' },
    { at: n + 1, when: 'sent' },
  ])
  if (all.length <= POINTS) return all
  const offset = new Dice(seed).roll(Math.floor(all.length / POINTS))
  const spread = Array.from(
    { length: POINTS - 1 },
    (_, n) => all[offset + Math.floor((n * all.length) / POINTS)]!,
  )
  return [...spread, { at: texts.lastIndexOf('commit') + 1, when: 'sent' }]
}

async function tryPoints(from: string, how: 'killed' | 'stopped'): Promise<void> {
  await copy(from, 'calm')
  const { texts } = await followTo('calm', null, how)
  const calm = await dumpOf('calm')
  const points = pointsOf(texts)
  let tried = 0
  for (const point of points) {
    await copy(from, 'crashing')
    const { hasCrashed } = await followTo('crashing', point, how)
    expect(hasCrashed).toBe(true)
    const where = `${how} at statement ${point.at} (${point.when}) of seed ${seed}: ${texts[point.at - 1]}`
    for (const [table, rows] of await dumpOf('crashing'))
      expect(rows, `${table}, ${where}`).toEqual(calm.get(table))
    tried++
  }
  console.log(
    `${market.node.kind}, seed ${seed}: ${how} from ${from}: ${tried} points in ${texts.length} statements`,
  )
}

describe.each(['killed', 'stopped'] as const)('a follower that is %s at a statement', (how) => {
  it('applies the block as without the crash', async () => {
    if ((await market.regtest.call('getbestblockhash')) !== tip)
      await market.regtest.call('reconsiderblock', tip)
    await tryPoints('before', how)
  })

  it('undoes the block as without the crash', async () => {
    if ((await market.regtest.call('getbestblockhash')) !== tip)
      await market.regtest.call('reconsiderblock', tip)
    await copy('before', 'after')
    await followTo('after', null, how)
    await market.regtest.call('invalidateblock', tip)
    await tryPoints('after', how)
  })
})
