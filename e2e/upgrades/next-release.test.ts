import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildBundle, withMigration } from './support/bundles.ts'
import { type InstalledMarket, installMarket } from './support/installed.ts'
import { runMarket } from './support/installed-program.ts'
import { UpgradeTrades } from './support/trades.ts'

/** Upgrades from this version to two later ones. The first only adds to the schema, the second also removes from it. */
const folder = mkdtempSync(join(tmpdir(), 'ordbook-next-'))
const ownBundle = join(folder, 'bundle')
const ADDS = '9001-adds.sql'
const TAKES = '9002-takes.sql'
let adding: string
let taking: string
let market: InstalledMarket
let trades: UpgradeTrades

beforeAll(async () => {
  await buildBundle(ownBundle)
  adding = withMigration(ownBundle, ADDS, '-- oldest code: 0001\ncreate table added (n int);')
  taking = withMigration(adding, TAKES, 'drop table added;')
  market = await installMarket(ownBundle, { hosts: 1 })
  trades = new UpgradeTrades(market)
  await trades.begin()
}, 600_000)
afterAll(async () => {
  await market?.stop()
  for (const each of [folder, adding, taking]) rmSync(each, { recursive: true, force: true })
})

const upgrade = (bundle: string, ...args: string[]) => runMarket(bundle, market.settings, 'upgrade', ...args)
const isAdded = async () =>
  (await market.sql<{ found: boolean }[]>`select to_regclass('added') is not null as found`)[0]!.found

it('rejects a destructive migration until all servers have stopped', async () => {
  const load = trades.startLoad()
  expect(await upgrade(adding, '--look')).toEqual({
    code: 0,
    said: expect.stringMatching(
      new RegExp(`1 migrations to apply: ${ADDS}\nServers of the previous release can keep running`),
    ),
  })
  expect(await isAdded()).toBe(false)
  expect(await upgrade(adding, join(folder, 'adding.backup'))).toMatchObject({ code: 0 })
  expect(await isAdded()).toBe(true)
  // A server of the older version can still restart.
  const [one, two] = market.servers as [(typeof market.servers)[0], (typeof market.servers)[0]]
  for (const bundle of [ownBundle, adding]) {
    trades.allow(1)
    await one.stop()
    await one.start(bundle)
  }

  const file = join(folder, 'taking.backup')
  expect((await upgrade(taking, '--look')).said).toContain(
    `All processes must stop first because of ${TAKES}`,
  )
  expect(await upgrade(taking, file)).toEqual({
    code: 1,
    said: expect.stringContaining(
      `${TAKES} is incompatible with older code, and processes of the market are connected`,
    ),
  })
  expect(existsSync(file)).toBe(false)
  // A server of the destructive version does not migrate while older servers run.
  await one.stop()
  await expect(one.start(taking)).rejects.toThrow(`${TAKES} is incompatible with older code`)
  expect(await isAdded()).toBe(true)
  await one.start(adding)
  await load.stop()
  console.log('to the next release:', JSON.stringify(load.done), `${load.failures.length} failed`)
  expect(load.failures).toEqual([])

  for (const server of [one, two]) await server.stop()
  expect(await upgrade(taking, file)).toEqual({
    code: 0,
    said: expect.stringContaining('applied 1 migrations'),
  })
  expect(await isAdded()).toBe(false)
  await expect(one.start(adding)).rejects.toThrow(
    `which requires a release with migration ${TAKES.slice(0, 4)}`,
  )
  for (const server of [one, two]) await server.start(taking)
  await trades.end()
})
