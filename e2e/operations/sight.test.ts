import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setUpMarket } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

const market = setUpMarket()
let server: ServerProcess
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = spawnServer(market, port, {
    ACCESS_LOG: 'on',
    LOG_LEVEL: 'info',
    // The metrics of a read replica exist if one is configured, even if it is unavailable.
    DATABASE_READ_URL: 'postgres://owner@127.0.0.1:1/none',
  })
  await server.ready()
}, 120_000)
afterAll(() => server?.kill('SIGKILL'))

it.each(['prometheus/alerts.yaml', 'grafana/ordbook.json'])(
  'serves every metric that %s uses',
  async (path) => {
    const text = readFileSync(join(import.meta.dirname, '../../deploy', path), 'utf8')
    const read = new Set(
      [...text.matchAll(/\b(?:ordbook|process|nodejs)_\w+/g)].map(([name]) =>
        name.replace(/_(?:count|bucket)$/, ''),
      ),
    )
    const figures = await (await fetch(`${url}/metrics`)).text()
    const had = new Set([...figures.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
    // Other processes serve these; they are tested in e2e/operations/mirror.test.ts, e2e/signer/health.test.ts and
    // e2e/previews/previews.test.ts.
    const isTestedElsewhere = (name: string) => /^ordbook_(mirror_|role_ready$|renderer_)/.test(name)
    expect([...read].filter((name) => !had.has(name) && !isTestedElsewhere(name))).toEqual([])
    expect(read.size).toBeGreaterThan(10)
  },
)

it('logs requests without their queries', async () => {
  const answer = await fetch(`${url}/keys?cursor=secret`)
  const id = answer.headers.get('x-request-id')!
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const line = () =>
    server
      .logged()
      .split('\n')
      .find((each) => each.includes(id) && each.includes('"msg":"request"'))
  await expect.poll(line).toBeDefined()
  expect(JSON.parse(line()!)).toMatchObject({
    reqId: id,
    method: 'GET',
    path: '/keys',
    route: '/keys',
    status: answer.status,
    ip: '127.0.0.1',
    roles: 'api,follower,jobs',
  })
  expect(line()).not.toContain('secret')
})
