import { connect } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease } from '@ordbook/db/lease/lease.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { SatVacuum } from '@ordbook/indexer/sats/sat-vacuum.ts'
import { expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

it('vacuums the tables of sats after many deletions', async () => {
  const url = await freshDatabase()
  const sql = connect(url, { max: 1 })
  await migrate(sql)
  const pool = fenced(url, new Lease(url, 'follower'), { as: 'follower', max: 1 })
  const visiblePages = async () => {
    const [row] = await sql<{ pages: number }[]>`
      select relallvisible as pages from pg_class where oid = 'sat_coins'::regclass`
    return row!.pages
  }
  await sql`insert into sat_coins (outpoint, body) select decode(lpad(to_hex(n), 72, '0'), 'hex'), '' from generate_series(1, 1000) n`
  const vacuum = new SatVacuum(pool)
  const deletions = (count: number) => ({
    deleted: new Array<Uint8Array>(count),
    inserted: [],
    deletedChunks: [],
    insertedChunks: [],
    undo: [],
  })
  vacuum.note(deletions(49_999))
  await vacuum.run()
  expect(await visiblePages()).toBe(0)
  vacuum.note(deletions(1))
  await vacuum.run()
  expect(await visiblePages()).toBeGreaterThan(0)
  await pool.end()
  await sql.end()
})
