import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { open } from '@ordbook/db/driver/driver.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Follower } from '@ordbook/indexer/blocks/follower.ts'
import { openSource } from '@ordbook/indexer/node/open-source.ts'
import { readItems } from '@ordbook/market/collections/from-chain.ts'
import { chainCollectionsOnBlock, refreshStale } from '@ordbook/market/collections/new-children.ts'
import { collectionsOnBlock } from '@ordbook/market/collections/on-block.ts'
import { transfersOnBlock } from '@ordbook/market/sales/transfers.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { encode } from 'cborg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, testConfig } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { anotherChild } from './support/attacks/own.ts'
import { trade } from './support/attacks/traded.ts'
import { anyone, type Bomb, heldOf, spend } from './support/hostile.ts'
import { HostileChain } from './support/hostile-chain.ts'

const { signal } = new AbortController()
const directory = mkdtempSync(join(tmpdir(), 'ordbook-children-'))
let node: TestNode
let databaseUrl: string
let sql: Sql
let chain: HostileChain
let follower: Follower
/** Rows that the last block's transaction read by an index or wrote. */
let rows = 0
beforeAll(async () => {
  node = await startNode()
  databaseUrl = await freshDatabase()
  sql = open(databaseUrl, {
    ...{ connectMs: 2000, statementMs: 20_000, idleMs: 8000, max: 1, applicationName: 'test' },
    // PostgreSQL would scan the small tables of a test.
    settings: { enable_seqscan: 'off' },
  })
  await migrate(sql)
  await node.regtest.mine(103)
  chain = new HostileChain(node.regtest)
  const counter = {
    name: 'counter',
    async apply(tx: Transaction) {
      const [row] = await tx<{ rows: number }[]>`
        select sum(coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::int as rows
        from pg_stat_xact_user_tables`
      rows = row!.rows
    },
    async undo() {},
  }
  follower = new Follower({
    sql,
    node: openSource(node.url),
    chain: 'regtest',
    consumers: [collectionsOnBlock, chainCollectionsOnBlock, transfersOnBlock, counter],
    log: pino({ level: 'silent' }),
    undoBlocks: 100,
    satIndex: 'off',
  })
})
afterAll(async () => {
  await sql?.end()
  await node?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Indexes a parent with `n` children in a collection, then one more child, whose collection is not refreshed. */
async function addChildTo(bomb: Bomb): Promise<void> {
  await chain.fund([bomb])
  const start = await follower.sync(signal)
  await chain.mine(bomb, async () => {
    await follower.sync(signal)
    await trade(sql, bomb, start, 0)
    await sql`analyze`
  })
  // The counters of a session are only reset when they are reported.
  await sql`select pg_stat_force_next_flush()`
  await follower.sync(signal)
}

async function listItems() {
  return sql<{ inscriptionId: string; itemName: string; counted: number; heights: number }[]>`
    select inscription_id, item_name, k.item_count as counted,
      (select count(distinct t.height)::int from collection_transfers x join item_transfers t using (transfer_id)
        where x.collection_id = m.collection_id and t.inscription_id = m.inscription_id) as heights
    from collection_items m join collection_counts k using (collection_id) join collections c using (collection_id)
    where c.collection_id = (select collection_id from collections order by imported_at desc limit 1)
    order by m.ordinal`
}

const countStale = async () => (await sql`select 1 from stale_collections`).length

it('adds a child to a large collection with as few rows as to a small one', async () => {
  await addChildTo(anotherChild.make(20))
  const few = rows
  await addChildTo(anotherChild.make(400))
  expect(few).toBeGreaterThan(0)
  expect(rows).toBeLessThan(few + 40)
  const items = await listItems()
  expect(items).toHaveLength(401)
  expect(items.at(-1)).toMatchObject({ itemName: expect.stringMatching(/ #401$/), counted: 401 })
  expect(await countStale()).toBe(2)
})

it('records the moves of a child before its collection is refreshed', async () => {
  const bomb = anotherChild.make(3)
  await addChildTo({
    ...bomb,
    blocks(coins) {
      const blocks = bomb.blocks(coins)
      const [last] = blocks.at(-1)!
      return [...blocks, [spend(heldOf(last!), [anyone(1, last!.outputs[0]!.valueSats)])]]
    },
  })
  expect((await listItems()).map(({ heights }) => heights)).toEqual([1, 1, 1, 2])
})

it('keeps the transaction active while it reads large properties of children', async () => {
  // 100,000 traits in 0.7 MB, a fifth of what one inscription can have.
  const traits = new Map(Array.from({ length: 100_000 }, (_, n) => [String(n), n]))
  const properties = encode(new Map([[1, new Map([[1, traits]])]]))
  const rows = Array.from({ length: 8 }, (_, n) => ({
    inscriptionId: `${'ab'.repeat(32)}i${n}`,
    properties,
    propertyEncoding: null,
  }))
  let pauses = 0
  const timer = setInterval(() => pauses++, 1)
  const items = await inTransaction(sql, (tx) => readItems(tx, rows))
  clearInterval(timer)
  expect(items.size).toBe(8)
  expect(items.get(rows[0]!.inscriptionId)!.traits).toHaveLength(256)
  expect(pauses).toBeGreaterThanOrEqual(2)
})

it('refreshes collections after a restart', async () => {
  expect(await countStale()).toBe(3)
  const config = testConfig({ DATA_DIR: directory, ROLES: 'follower' })
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  try {
    await server.sync()
    expect(await countStale()).toBe(0)
    expect(await checkRollups(server.context)).toEqual([])
  } finally {
    await server.close()
  }
})

it('refreshes the other collections if one fails', async () => {
  await sql`insert into stale_collections select collection_id from collections`
  const [first] = await sql<
    { collectionId: string }[]
  >`select collection_id from stale_collections order by 1`
  await sql.unsafe(
    `alter table collection_items add constraint broken check (collection_id <> '${first!.collectionId}') not valid`,
  )
  await expect(refreshStale(sql, signal)).rejects.toThrow('broken')
  expect(await countStale()).toBe(1)
  await sql`alter table collection_items drop constraint broken`
  expect(await refreshStale(sql, signal)).toBe(false)
  expect(await countStale()).toBe(0)
})
