import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examineMirror } from '@ordbook/operations/doctor/mirror.ts'
import { startMirror } from '@ordbook/operations/mirror/mirror.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { listAll, setUpMarket, setUpTrader, testConfig, until } from '../support/market.ts'
import { startAnswering } from './support/altered.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-mirrored-'))
const copy = join(folder, 'copy')
const market = setUpMarket()
const seller = setUpTrader(market)
let collection: { slug: string; ids: string[] }
beforeAll(async () => {
  collection = await market.collection(seller.wallet, 2)
})
afterAll(() => rmSync(folder, { recursive: true }))

const listNth = (n: number) => listAll(market, seller, collection.slug, [collection.ids[n]!], 50_000)
const signedPosition = () =>
  until('the signed head to include all changes', async () => {
    const [row] = await market.sql<{ waiting: number; last: number; signed: number }[]>`
      select (select count(*) from order_log_queue) as waiting, (select max(position) from order_log) as last,
        (select position from order_log_head) as signed`
    return row!.waiting === 0 && row!.signed === row!.last ? row!.last : null
  })
const findingsOf = (of: string | null = market.server.url) => examineMirror(copy, of, new Date())
const statesOf = async (of?: string | null) =>
  (await findingsOf(of)).map(({ state, found }) => `${state}: ${found}`)

const startCopy = (url: string) =>
  startMirror(testConfig({ PORT: '0', HEALTH_PORT: '0' }), {
    url,
    folder: copy,
    market: null,
    mostBytes: 1e9,
    log: market.server.context.log,
    now: new Date(),
    pollMilliseconds: 50,
  })

/** Runs a mirror of `url`, as if it had been out of date for eleven minutes. Returns the address of its metrics. */
async function runBehind<T>(url: string, look: (metrics: () => Promise<string>) => Promise<T>): Promise<T> {
  const mirror = await startCopy(url)
  mirror.state.levelAt -= 660_000
  try {
    await new Promise((done) => setTimeout(done, 300))
    return await look(metricsAt(mirror.url))
  } finally {
    await mirror.close()
  }
}

it('reports the state of a mirror', async () => {
  expect(await statesOf()).toEqual([`fault: ${copy} does not contain a copy of a market`])
  expectInDoctor(['mirror-missing'], await findingsOf())
  await listNth(0)
  const first = await signedPosition()
  const mirror = await startCopy(market.server.url)
  await until('the mirror to catch up', async () => mirror.copy.signed?.position === first)
  expect(await statesOf()).toEqual([
    expect.stringMatching(new RegExp(`^ok: ${first} changes signed by the market .* seconds ago$`)),
    `ok: a mirror is running in ${copy}`,
    `ok: up to date with ${market.server.url}`,
  ])
  await mirror.close()
  const path = '/order-log/head'
  const oldHead = (await (await fetch(`${market.server.url}${path}`)).json()) as Record<string, unknown>

  await listNth(1)
  const missingChanges = (await signedPosition()) - first
  expect(missingChanges).toBeGreaterThan(0)
  expect((await statesOf()).slice(1)).toEqual([
    `fault: no mirror is running in ${copy}`,
    `warning: ${missingChanges} changes behind ${market.server.url}`,
  ])
  expectInDoctor(['mirror-not-running', 'mirror-behind'], await findingsOf())
  // This market shows its head, but not its changes.
  const newHead = await (await fetch(`${market.server.url}${path}`)).json()
  const silent = await startAnswering(newHead)
  await runBehind(silent.url, (metrics) => expectInMetrics(['mirror-behind'], metrics))
  await silent.close()
  const down = 'http://127.0.0.1:1'
  expect((await statesOf(down)).at(-1)).toMatch(/^warning: http:\/\/127.0.0.1:1: /)
  expectInDoctor(['mirror-market-down'], await findingsOf(down))
  await runBehind(down, (metrics) => expectInMetrics(['mirror-market-down'], metrics))
  expect(await statesOf(null)).toHaveLength(2)

  const rolledBack = await startAnswering({ ...oldHead, head: null })
  const rolled = await findingsOf(rolledBack.url)
  expectInDoctor(['mirror-rolled-back'], rolled)
  expect(rolled.at(-1)!.found).toContain(`is missing ${first} changes that the market has signed`)
  await runBehind(rolledBack.url, (metrics) => expectInMetrics(['mirror-rolled-back'], metrics))
  await rolledBack.close()
  const stranger = await startAnswering({ ...oldHead, market: 'ab'.repeat(32) })
  const others = await findingsOf(stranger.url)
  expectInDoctor(['mirror-other-market'], others)
  expect(others.at(-1)!.found).toContain(`is the market ${'ab'.repeat(32)} on`)
  await runBehind(stranger.url, (metrics) => expectInMetrics(['mirror-other-market'], metrics))
  await stranger.close()

  const head = join(copy, 'head.json')
  const signed = readFileSync(head, 'utf8')
  rmSync(head)
  expect((await statesOf(null))[0]).toMatch(/^warning: .* has not signed any change in this copy yet/)
  expectInDoctor(['mirror-unsigned'], await findingsOf(null))
  writeFileSync(head, signed.replace(`"position":${first}`, `"position":${first + 1}`))
  expect(await statesOf()).toEqual([expect.stringMatching(/^fault: .*the market did not sign this head/)])
  expectInDoctor(['mirror-unreadable'], await findingsOf())
  writeFileSync(head, signed)

  writeFileSync(join(copy, 'fork.json'), '{}')
  expect(await statesOf()).toEqual([expect.stringMatching(/^fault: .*signed two histories.*fork\.json/)])
  expectInDoctor(['mirror-stopped'], await findingsOf())
  const { status, stdout } = spawnSync(
    process.execPath,
    ['scripts/market/doctor.ts', '--mirror', copy, '--json'],
    {
      encoding: 'utf8',
    },
  )
  expect([status, JSON.parse(stdout).state]).toEqual([1, 'fault'])
}, 120_000)
