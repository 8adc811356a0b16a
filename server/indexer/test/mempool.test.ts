import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { freshDatabase, freshWallet } from '../../../e2e/support/market.ts'
import { startNode, type TestNode } from '../../../e2e/support/node.ts'
import { MempoolWatcher } from '../src/mempool/mempool.ts'
import { findLastPoll } from '../src/mempool/mempool-queries.ts'
import { CoreSource } from '../src/node/core.ts'

let node: TestNode
let sql: Sql
let watcher: MempoolWatcher
beforeAll(async () => {
  node = await startNode('devnet')
  await node.regtest.mine(110)
  await send()
})
afterAll(() => node?.stop())
beforeEach(async () => {
  sql = connect(await freshDatabase(), { max: 2 })
  await migrate(sql)
  watcher = new MempoolWatcher(sql, new CoreSource(node.url), [])
  await watcher.look()
  return () => sql.end()
})

const send = () => node.regtest.pay([{ valueSats: 10_000, script: freshWallet().paymentScript }])

/** PostgreSQL does this after a crash, because the tables are unlogged. */
const empty = () => sql`truncate mempool_spends, mempool_poll`

async function assertRead(): Promise<void> {
  const mempool = await node.regtest.call<string[]>('getrawmempool')
  const rows = await sql<{ spender: string }[]>`select distinct spender from mempool_spends`
  expect(rows.map(({ spender }) => spender).sort()).toEqual(mempool.sort())
  expect(await findLastPoll(sql)).toMatchObject({ transactionCount: mempool.length })
}

it('reads the mempool again if its tables were emptied', async () => {
  await empty()
  await send()
  await watcher.look()
  await assertRead()
})

it('records no poll while the tables are empty', async () => {
  await empty()
  await watcher.look()
  expect(await findLastPoll(sql)).toBeNull()
})

it('reads the tables after another process may have written them', async () => {
  await empty()
  watcher.forget()
  await watcher.look()
  await assertRead()
})
