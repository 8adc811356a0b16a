import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Follower } from '@ordbook/indexer/blocks/follower.ts'
import { countAdoption } from '@ordbook/indexer/inscriptions/adopt-queries.ts'
import { openSource } from '@ordbook/indexer/node/open-source.ts'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { freshDatabase, setUpMarket } from '../support/market.ts'
import { indexOf, satsOf } from './support/index-of.ts'

const market = setUpMarket()

it('computes blocks again if the index changed in the meantime', async () => {
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  await migrate(sql)
  const written: boolean[] = []
  // An adoption commits between the computation of the first batch and its transaction.
  const begin: Sql['begin'] = async (work, opening) => {
    if (written.length === 0) await sql.begin(countAdoption)
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
  expect(written.slice(0, 2)).toEqual([false, true])
  expect(await indexOf(sql)).toEqual(await indexOf(market.sql))
  expect(await satsOf(sql)).toEqual(await satsOf(market.sql))
  await sql.end()
})
