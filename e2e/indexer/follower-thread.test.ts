import { freePort } from '@ordbook/db/process/free-port.ts'
import { expect, it } from 'vitest'
import { freshDatabase, setUpMarket, until } from '../support/market.ts'
import { spawnServer } from '../support/server.ts'

const market = setUpMarket()

async function startFailing(how: 'hang' | 'throw') {
  const port = await freePort()
  const separateMarket = { ...market, databaseUrl: await freshDatabase() }
  const server = spawnServer(
    separateMarket,
    port,
    { ROLES: 'api,follower', FAIL_HOW: how, LOG_LEVEL: 'warn' },
    'fail-in-thread.ts',
  )
  return { server, url: `http://127.0.0.1:${port}` }
}

it('serves requests while the follower thread hangs', async () => {
  const { server, url } = await startFailing('hang')
  await server.ready()
  await until('the thread to hang', async () => server.logged().includes('the thread hangs'))
  for (let n = 0; n < 20; n++) {
    expect((await fetch(`${url}/keys`)).status).toBe(200)
    expect((await fetch(`${url}/status`)).status).toBe(200)
    await new Promise((done) => setTimeout(done, 50))
  }
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(null)
  expect(server.child.exitCode).toBe(0)
  expect(server.logged()).toContain('did not stop in time, thread terminated')
})

it('exits with an error if the follower thread throws', async () => {
  const { server } = await startFailing('throw')
  expect(await server.ended).toBe(null)
  expect(server.child.exitCode).toBe(1)
})
