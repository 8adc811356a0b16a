import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { findLatestPosition, listEventsAfter, type Position } from '@ordbook/http/events/event-queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

/** `listEventsAfter` while transactions are open, in this and other databases of the cluster. */
let sql: Sql
let other: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase())
  await migrate(sql)
  other = connect(await freshDatabase())
  await other`create table written (n int)`
})
afterAll(async () => {
  await sql?.end()
  await other?.end()
})

/** Opens a transaction that has written. Returns a function that commits it. */
async function openTransaction(
  database: Sql,
  write: (tx: Sql) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const written = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = database.begin(async (tx) => {
    await write(tx as unknown as Sql)
    written.resolve()
    await end.promise
  })
  await written.promise
  return async () => {
    end.resolve()
    await done
  }
}

const publish = (tx: Sql, n: number) =>
  tx`insert into live_events (kind, data) values ('block', ${sql.json({ n })})`

/** Returns the events after a position, and the position of the last one. */
async function readAfter(from: Position): Promise<{ read: number[]; position: Position }> {
  const events = await listEventsAfter(sql, from, 100)
  return { read: events.map(({ data }) => (data as { n: number }).n), position: events.at(-1) ?? from }
}

it('listEventsAfter ignores transactions of other databases', async () => {
  const start = await findLatestPosition(sql)
  const close = await openTransaction(other, (tx) => tx`insert into written values (1)`)
  await publish(sql, 1)
  const { read, position } = await readAfter(start)
  expect(read).toEqual([1])
  // A new subscriber starts after the event.
  expect((await readAfter(await findLatestPosition(sql))).read).toEqual([])
  await close()
  expect((await readAfter(position)).read).toEqual([])
})

it('listEventsAfter waits for older transactions', async () => {
  let { position } = await readAfter(await findLatestPosition(sql))
  const seen: number[] = []
  const poll = async () => {
    const found = await readAfter(position)
    position = found.position
    seen.push(...found.read)
  }
  const closeOther = await openTransaction(other, (tx) => tx`insert into written values (2)`)
  const closeOld = await openTransaction(sql, (tx) => publish(tx, 10))
  await publish(sql, 11)
  await poll()
  expect(seen).toEqual([])
  const closeYoung = await openTransaction(sql, (tx) => publish(tx, 12))
  await publish(sql, 13)
  await closeOld()
  await poll()
  expect(seen).toEqual([10, 11])
  await closeYoung()
  await poll()
  expect(seen).toEqual([10, 11, 12, 13])
  await closeOther()
  await poll()
  expect(seen).toEqual([10, 11, 12, 13])
})

it('listEventsAfter returns every event once', async () => {
  let { position } = await readAfter(await findLatestPosition(sql))
  const seen: number[] = []
  let isRunning = true
  const reader = (async () => {
    for (let last = false; ; ) {
      const found = await readAfter(position)
      position = found.position
      seen.push(...found.read)
      if (last) return
      last = !isRunning
    }
  })()
  const writers = Array.from({ length: 3 }, async (_, writer) => {
    for (let n = 0; n < 60; n++)
      await sql.begin(async (tx) => {
        await publish(tx as unknown as Sql, 1000 * (writer + 1) + n)
        await new Promise((done) => setTimeout(done, Math.random() * 10))
      })
  })
  const noise = (async () => {
    while (isRunning) await other`insert into written values (3)`
  })()
  await Promise.all(writers)
  isRunning = false
  await Promise.all([reader, noise])
  expect(seen).toHaveLength(180)
  expect(new Set(seen).size).toBe(180)
})
