import { createHash } from 'node:crypto'
import { LOST, UNBOUND } from '@ordbook/bitcoin/outpoint.ts'
import { connect, type Queryable, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'
import { findContentFacts, findContentPart } from '../src/content/queries.ts'
import { findTip } from '../src/inscriptions/queries.ts'
import {
  findBlock,
  findInOutput,
  findMetadata,
  findRecursive,
  listOnSat,
  listParentIds,
  listRecursiveChildren,
  listRecursiveParents,
} from '../src/recursion/recursive-queries.ts'
import { findSatRanges } from '../src/sats/sat-queries.ts'

/** Reads of recursive content must not scan a table, whatever its size. PostgreSQL counts the rows that they read. */
const INSCRIPTIONS = 5000
const UNBOUND_COUNT = 1000
const CHILDREN = 150
const REINSCRIPTIONS = 30

/** As md5(n::text) || md5(n::text) in SQL. Txids must differ at the start, which the index of outputs has. */
const hashOf = (n: number) => createHash('md5').update(String(n)).digest('hex').repeat(2)
const idOf = (n: number) => `${hashOf(n)}i0`
const page = { offset: 0, rows: 101 }

let sql: Sql
beforeAll(async () => {
  const databaseUrl = await freshDatabase()
  // As in the pool of public reads.
  sql = connect(databaseUrl, { max: 1, plansOnce: true })
  await migrate(sql)
  await sql`
    insert into blocks
    select n, md5(n::text) || md5(n::text), now(), ${INSCRIPTIONS}, ${INSCRIPTIONS}, 0, ${UNBOUND_COUNT}, 0
    from generate_series(0, 2000) n`
  await sql`
    insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, low_offset, high_offset)
    select n, 1, case when n < ${UNBOUND_COUNT} then n else 0 end, n,
      case when n < ${UNBOUND_COUNT} then ${UNBOUND.txid} else md5(n::text) || md5(n::text) end, 0,
      case when n < ${UNBOUND_COUNT} then null else 546 end, 0, 0
    from generate_series(0, ${INSCRIPTIONS - 1}) n`
  // The last ones are on the sat of the one before them.
  await sql`
    insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
      unbound, reinscription, parent_ids, content_type, body, sat, sat_id)
    select n, md5(n::text) || md5(n::text) || 'i0', n, n % 2000, now(), false, false, n < ${UNBOUND_COUNT}, false,
      case when n between 2000 and ${1999 + CHILDREN} then array[${idOf(1500)}] else '{}'::text[] end,
      'text/plain', 'body', case when n >= ${UNBOUND_COUNT} then least(n, ${INSCRIPTIONS - REINSCRIPTIONS}) end,
      least(n, ${INSCRIPTIONS - REINSCRIPTIONS})
    from generate_series(0, ${INSCRIPTIONS - 1}) n`
  await sql`vacuum analyze`
})
afterAll(() => sql?.end())

/** Rows of tables that a read fetches, including those in functions. */
async function rowsReadBy(read: (reads: Queryable) => Promise<unknown>): Promise<number> {
  const counted = async (reads: Queryable) => {
    const [row] = await reads<{ rows: number }[]>`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as rows from pg_stat_xact_user_tables`
    return row!.rows
  }
  return sql.begin(async (tx) => {
    const before = await counted(tx)
    await read(tx)
    return (await counted(tx)) - before
  })
}

const lastSat = INSCRIPTIONS - REINSCRIPTIONS

it.each<[string, (reads: Queryable) => Promise<unknown>, number]>([
  ['an output', (reads) => findInOutput(reads, { txid: hashOf(3000), vout: 0 }, 1000), 1],
  ['the unbound outpoint', (reads) => findInOutput(reads, UNBOUND, 1000), UNBOUND_COUNT],
  // It has the same txid as the unbound outpoint.
  ['the outpoint of lost sats', (reads) => findInOutput(reads, LOST, 1000), UNBOUND_COUNT],
  ['ranges of sats', (reads) => findSatRanges(reads, { txid: hashOf(3000), vout: 0 }), 1],
  ['an inscription', (reads) => findRecursive(reads, idOf(3000)), 1],
  ['metadata', (reads) => findMetadata(reads, idOf(3000)), 1],
  ['content', (reads) => findContentFacts(reads, idOf(3000), true), 1],
  ['a part of content', (reads) => findContentPart(reads, idOf(3000), { offset: 0, bytes: 2 }), 1],
  ['parents', (reads) => listParentIds(reads, idOf(2000), page), 1],
  ['rows of parents', (reads) => listRecursiveParents(reads, [idOf(1500)]), 1],
  ['children', (reads) => listRecursiveChildren(reads, idOf(1500), page), CHILDREN],
  ['children of a childless inscription', (reads) => listRecursiveChildren(reads, idOf(3000), page), 1],
  [
    'the newest inscription on a sat',
    (reads) => listOnSat(reads, lastSat, { offset: 0, rows: 1, newest: true }),
    1,
  ],
  ['inscriptions on a sat', (reads) => listOnSat(reads, lastSat, { ...page, newest: false }), REINSCRIPTIONS],
  ['a block', (reads) => findBlock(reads, 1000), 1],
  ['the last block', (reads) => findBlock(reads, null), 1],
  ['the tip', (reads) => findTip(reads), 1],
])('reads %s by index', async (_, read, found) => {
  // Three rows for each inscription found: its sat, and the root and the offset of the sat.
  expect(await rowsReadBy(read)).toBeLessThanOrEqual(10 * found + 20)
})
