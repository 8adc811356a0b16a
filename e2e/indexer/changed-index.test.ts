import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Follower } from '@ordbook/indexer/blocks/follower.ts'
import { countChange } from '@ordbook/indexer/inscriptions/adopt-queries.ts'
import { openSource } from '@ordbook/indexer/node/open-source.ts'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { freshDatabase, setUpMarket } from '../support/market.ts'
import { indexOf, satsOf } from './support/index-of.ts'

const market = setUpMarket()

/** Runs a follower on an empty index that changes before each of its first transactions. Returns which of its transactions wrote blocks. */
async function followChanging(changes: number): Promise<boolean[]> {
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  await migrate(sql)
  const written: boolean[] = []
  // An adoption commits between the computation of a batch and its transaction.
  const begin: Sql['begin'] = async (work, opening) => {
    if (written.length < changes) await sql.begin(countChange)
    const before = await sql`select 1 from blocks limit 1`
    const result = await sql.begin(work, opening)
    const after = await sql`select 1 from blocks limit 1`
    written.push(after.length > before.length)
    return result
  }
  const follower = new Follower({
    sql: Object.assign((...args: Parameters<Sql>) => sql(...args), sql, { begin }) as Sql,
    node: openSource(market.node.url),
    chain: 'regtest',
    consumers: [],
    log: pino({ level: 'silent' }),
    undoBlocks: 100,
    satIndex: 'on',
  })
  await follower.sync(new AbortController().signal)
  expect(await indexOf(sql)).toEqual(await indexOf(market.sql))
  expect(await satsOf(sql)).toEqual(await satsOf(market.sql))
  await sql.end()
  return written
}

it('computes blocks again if the index changed in the meantime', async () => {
  expect((await followChanging(1)).slice(0, 2)).toEqual([false, true])
})

it('locks the index if it changes again and again', async () => {
  expect((await followChanging(10)).slice(0, 4)).toEqual([false, false, false, true])
})
