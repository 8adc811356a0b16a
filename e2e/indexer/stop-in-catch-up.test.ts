import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { expect, it } from 'vitest'
import { freshDatabase, setUpMarket, until } from '../support/market.ts'
import { spawnServer } from '../support/server.ts'

const market = setUpMarket()

it('stops on SIGTERM during catch-up', async () => {
  for (let n = 0; n < 10; n++) await market.regtest.mine(400)
  const target = await market.regtest.call<number>('getblockcount')
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 1 })
  const height = async () => {
    const [row] = await sql<{ height: number | null }[]>`select max(height) as height from blocks`.catch(
      () => [],
    )
    return row?.height ?? -1
  }
  const start = async () => spawnServer({ ...market, databaseUrl }, await freePort(), { ROLES: 'follower' })
  const server = await start()
  await until('some blocks', async () => (await height()) > 0)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(null)
  expect(server.child.exitCode).toBe(0)
  const reached = await height()
  expect(reached).toBeLessThan(target)

  const restarted = await start()
  await until('more blocks', async () => (await height()) > reached)
  await restarted.kill('SIGTERM')
  await sql.end()
})

it('stops on SIGTERM while a statement waits for the database', async () => {
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  const server = spawnServer({ ...market, databaseUrl }, await freePort(), {
    ROLES: 'follower',
    LOG_LEVEL: 'warn',
  })
  const tip = async () =>
    (await sql<{ height: number | null }[]>`select max(height) as height from blocks`)[0]
  await until('an index', async () => ((await tip().catch(() => null))?.height ?? -1) > 0)
  await sql.begin(async (tx) => {
    await tx`lock table blocks in access exclusive mode`
    await until('a statement that waits', async () => {
      const [row] = await sql`select from pg_locks where relation = 'blocks'::regclass and not granted`
      return row !== undefined
    })
    server.child.kill('SIGTERM')
    await new Promise((done) => setTimeout(done, 100))
  })
  expect(await server.ended).toBe(null)
  expect(server.child.exitCode).toBe(0)
  expect(server.logged()).not.toContain('terminated')
  await sql.end()
})
