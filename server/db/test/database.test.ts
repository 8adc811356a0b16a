import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { connect, connectSingle, inTransaction, json, type Sql } from '@ordbook/db/driver/connect.ts'
import { open } from '@ordbook/db/driver/driver.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { CachedResponses } from '@ordbook/http/responses/cached-responses.ts'
import { Changes } from '@ordbook/http/responses/changes.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, until } from '../../../e2e/support/market.ts'

let url: string
let sql: Sql
beforeAll(async () => {
  url = await freshDatabase()
  sql = connect(url, { max: 4 })
})
afterAll(() => sql?.end())

describe('a connection', () => {
  // The driver emits this warning once per process, so this test must be the first with concurrent
  // statements.
  it('queues concurrent statements', async () => {
    const warnings: string[] = []
    const collect = ({ message }: Error) => warnings.push(message)
    process.on('warning', collect)
    const connection = await connectSingle(url, 'test')
    const changes = new Changes(url, { log: pino({ level: 'silent' }), onTag: () => {} })
    try {
      const numbers = await Promise.all([1, 2, 3, 4].map((n) => connection.sql`select ${n}::int as n`))
      expect(numbers.flat()).toEqual([1, 2, 3, 4].map((n) => ({ n })))

      await until('a connection that listens', () => changes.fence())
      const fences: Promise<boolean>[] = []
      for (let n = 0; n < 20; n++) {
        fences.push(changes.fence())
        await setImmediate()
      }
      expect(await Promise.all(fences)).toEqual(fences.map(() => true))
      await setImmediate()
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', collect)
      connection.destroy()
      changes.close()
    }
  })
})

describe('a statement', () => {
  it('succeeds if its response arrives while the process is blocked', async () => {
    const limited = open(url, {
      connectMs: 2000,
      statementMs: 100,
      idleMs: 0,
      max: 1,
      applicationName: 'test',
    })
    try {
      await limited`select 1`
      // A statement is sent when it is awaited.
      const answer = Promise.resolve(limited`select pg_sleep(0.05), 1 as one`)
      for (let n = 0; n < 3; n++) await setImmediate()
      // Longer than the deadline of the statement, and than the drift of timers.
      const end = performance.now() + 1500
      while (performance.now() < end);
      expect(await answer).toMatchObject([{ one: 1 }])
    } finally {
      await limited.end()
    }
  })

  it('round-trips values', async () => {
    const values = {
      bytes: Uint8Array.from([0, 1, 255]),
      moment: new Date('2026-02-03T04:05:06.789Z'),
      flag: true,
      sats: Number.MAX_SAFE_INTEGER,
      name: 'o\'reilly \\ "quoted" {,} ₿',
      nothing: null,
    }
    const [row] = await sql`
      select ${values.bytes}::bytea as bytes, ${values.moment}::timestamptz as moment, ${values.flag}::boolean as flag,
        ${values.sats}::bigint as sats, ${values.name}::text as name, ${values.nothing}::text as nothing`
    expect(row).toEqual(values)
    expect(Buffer.isBuffer(row.bytes)).toBe(false)
  })

  it('round-trips arrays', async () => {
    const values = {
      scripts: [Uint8Array.from([1, 2]), new Uint8Array()],
      sats: [1, null, 2 ** 53 - 1],
      names: ['a', '', 'NULL', 'null', '{a,b}', '"', '\\', null],
      flags: [true, false],
      none: [],
    }
    const [row] = await sql`
      select ${values.scripts}::bytea[] as scripts, ${values.sats}::bigint[] as sats, ${values.names}::text[] as names,
        ${values.flags}::boolean[] as flags, ${values.none}::text[] as none`
    expect(row).toEqual(values)
  })

  it('accepts any JSON value for a jsonb column', async () => {
    for (const value of [{ a: [1, { b: '"' }] }, [1, 2], []]) {
      const [row] = await sql`select ${json(sql, value)}::jsonb as value`
      expect(row).toEqual({ value })
    }
    const [row] = await sql`select ${json(sql, null)}::jsonb is null as "isNull"`
    expect(row).toEqual({ isNull: true })
  })

  it('embeds fragments, names and lists', async () => {
    const condition = sql`n > ${1} and n < ${5}`
    const rows = await sql`
      select n as "theNumber" from ${sql('generate_series')}(1, 9) n where ${condition} and n in ${sql([2, 4, 8])} order by n`
    expect(rows).toEqual([{ theNumber: 2 }, { theNumber: 4 }])
    expect(await sql`select 1 as one where 1 in ${sql([])}`).toEqual([])
    const [row] = await sql`select 1 as snake_case_name, 2 as _led`
    expect(row).toEqual({ snakeCaseName: 1, Led: 2 })
  })

  it('inserts objects by field name', async () => {
    await sql`create table held (its_name text, its_sats bigint)`
    await sql`insert into held ${sql([
      { itsName: 'a', itsSats: 1 },
      { itsName: 'b', itsSats: null },
    ])}`
    expect(await sql`select * from held order by its_name`).toEqual([
      { itsName: 'a', itsSats: 1 },
      { itsName: 'b', itsSats: null },
    ])
  })

  it('runs a statement once', async () => {
    await sql`create table counted (n int)`
    const unused = sql`insert into counted values (1)`
    const used = sql`insert into counted values (2)`
    await Promise.all([used, used, used.then(() => {})])
    expect(unused).toBeDefined()
    expect(await sql`select n from counted`).toEqual([{ n: 2 }])
  })

  it('rejects an unsafe integer', async () => {
    await expect(sql`select 9007199254740992::bigint as n`).rejects.toThrow(RangeError)
    await expect(sql`select ${undefined} as n`).rejects.toThrow(TypeError)
    for (let n = 0; n < 8; n++) expect(await sql`select ${n}::int as n`).toEqual([{ n }])
  })

  it("throws PostgreSQL's error with the caller's stack", async () => {
    await sql`create table unique_n (n int primary key)`
    await sql`insert into unique_n values (1)`
    const error = await sql`insert into unique_n values (1)`.catch((rejection: unknown) => rejection)
    expect(error).toMatchObject({ code: '23505' })
    expect((error as Error).stack).toContain('database.test.ts')
  })

  it('replans a statement after a migration', async () => {
    await sql`create table grown (a int)`
    await sql`insert into grown values (1)`
    const one = connect(url, { max: 1 })
    for (let n = 0; n < 6; n++) expect(await one`select * from grown`).toEqual([{ a: 1 }])
    await sql`alter table grown add b int default 2`
    expect(await one`select * from grown`).toEqual([{ a: 1, b: 2 }])
    await sql`alter table grown add c int default 3`
    expect(await inTransaction(one, (tx) => tx`select * from grown`)).toEqual([{ a: 1, b: 2, c: 3 }])
    await one.end()
  })
})

describe('a transaction', () => {
  it('rolls back if the work throws', async () => {
    await sql`create table kept (n int)`
    expect(
      await inTransaction(sql, async (tx) => {
        await Promise.all([tx`insert into kept values (1)`, tx`insert into kept values (2)`])
        return 'done'
      }),
    ).toBe('done')
    const fails = inTransaction(sql, async (tx) => {
      await tx`insert into kept values (3)`
      throw new Error('on purpose')
    })
    await expect(fails).rejects.toThrow('on purpose')
    expect(await sql`select n from kept order by n`).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('rejects a transaction after a failed statement', async () => {
    await sql`create table caught (n int primary key)`
    const work = inTransaction(sql, async (tx) => {
      await tx`insert into caught values (1)`
      await tx`insert into caught values (1)`.catch(() => {})
    })
    await expect(work).rejects.toMatchObject({ code: '23505' })
    expect(await sql`select n from caught`).toEqual([])
  })

  it('rejects statements after the transaction ends', async () => {
    const tx = await inTransaction(sql, async (transaction) => transaction)
    await expect(tx`select 1`).rejects.toThrow('the transaction has ended')
  })

  it('retries a transaction after a deadlock', async () => {
    await sql`create table pair (n int primary key, touched int default 0)`
    await sql`insert into pair values (1), (2)`
    const touch = (first: number, second: number) =>
      inTransaction(sql, async (tx) => {
        await tx`update pair set touched = touched + 1 where n = ${first}`
        await sleep(50)
        await tx`update pair set touched = touched + 1 where n = ${second}`
      })
    await Promise.all([touch(1, 2), touch(2, 1)])
    expect(await sql`select touched from pair`).toEqual([{ touched: 2 }, { touched: 2 }])
  })
})

describe('database timeouts', () => {
  it('throws unavailable if a transaction was idle too long', async () => {
    const one = connect(url, { max: 1 })
    const transaction = one.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 100`
      await sleep(1000)
      await tx`select 1`
    })
    await expect(transaction).rejects.toMatchObject({ kind: 'unavailable', cause: { code: '25P03' } })
    expect(await one`select 1 as one`).toEqual([{ one: 1 }])
    await one.end()
  })

  it('throws DatabaseOutage if a statement takes too long', async () => {
    const error = await sql.within(100)`select pg_sleep(30)`.catch((timeout: unknown) => timeout)
    expect(error).toBeInstanceOf(DatabaseOutage)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  it('connects after a long pause of the process', async () => {
    const requests = connect(url, { max: 1, as: 'requests' })
    const result = requests<{ n: number }[]>`select 1::int as n`.then((rows) => rows)
    await sleep(1)
    const until = performance.now() + 3000
    while (performance.now() < until);
    expect(await result).toEqual([{ n: 1 }])
    await requests.end()
  })

  it('throws DatabaseOutage if no connection becomes free in time', async () => {
    const one = connect(url, { max: 1 })
    const busy = one`select pg_sleep(2)`.catch(() => {})
    await expect(one.within(100)`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
    await busy
    expect(await one`select 1 as one`).toEqual([{ one: 1 }])
    await one.end()
  })

  it('throws unavailable when a statement exceeds statement_timeout', async () => {
    const requests = connect(url, { max: 1, as: 'requests' })
    expect(await requests`show statement_timeout`).toEqual([{ statementTimeout: '8s' }])
    await requests
      .begin(async (tx) => {
        await tx`set local statement_timeout = 50`
        await expect(tx`select pg_sleep(5)`).rejects.toMatchObject({
          kind: 'unavailable',
          retryAfterSeconds: 2,
        })
      })
      .catch(() => {})
    await requests.end()
  })
})

describe('connectSingle', () => {
  it('closes the connection if the notification handler throws', async () => {
    const connection = await connectSingle(url, 'test', () => {
      throw new Error('a handler that throws')
    })
    await connection.sql.unsafe('listen test_channel')
    await sql`select pg_notify('test_channel', 'a')`
    expect((await connection.lost).message).toBe('a handler that throws')
    await expect(connection.sql`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
  })
})

describe('CachedResponses', () => {
  it('drops a page when a notification names its tag', async () => {
    const databaseUrl = await freshDatabase()
    const admin = connect(databaseUrl, { max: 1 })
    await migrate(admin)
    const responses = new CachedResponses(databaseUrl, {
      maxBytes: 1_000_000,
      log: pino({ level: 'silent' }),
    })
    let built = 0
    const read = () =>
      responses.read(
        ['key'],
        () => new Date(),
        async () => {
          built++
          return { body: Buffer.from('page'), tags: ['c:1', 'c:1'], validUntil: null }
        },
      )
    const listeners = () =>
      admin<
        { pid: number }[]
      >`select pid from pg_stat_activity where application_name = 'ordbook changes' and datname = current_database()`
    await until('a cached page', async () => {
      const before = built
      await read()
      return built === before
    })
    const before = await listeners()
    const builtBefore = built
    await admin`select pg_notify('ordbook', 'c:1')`
    await read()
    expect(built).toBe(builtBefore + 1)
    await read()
    expect(built).toBe(builtBefore + 1)
    expect(before).toHaveLength(1)
    expect(await listeners()).toEqual(before)
    responses.close()
    await admin.end()
  })

  it('counts keys against the size limit', async () => {
    const databaseUrl = await freshDatabase()
    const responses = new CachedResponses(databaseUrl, {
      maxBytes: 1_000_000,
      log: pino({ level: 'silent' }),
    })
    let built = 0
    const read = (name: string) =>
      responses.read(
        [name],
        () => new Date(),
        async () => {
          built++
          return { body: Buffer.from('page'), tags: [], validUntil: null }
        },
      )
    await until('a cached page', async () => {
      const before = built
      await read('first')
      return built === before
    })
    for (let n = 0; n < 50; n++) await read(`${n}`.repeat(20_000))
    const before = built
    await read('first')
    expect(built).toBe(before + 1)
    responses.close()
  })
})
