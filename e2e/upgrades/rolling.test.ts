import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SteadyLoad } from '../scale/support/steady-load.ts'
import { until } from '../support/market.ts'
import { buildBundle } from './support/bundles.ts'
import { type InstalledMarket, installMarket } from './support/installed.ts'
import { type InstalledProgram, runMarket } from './support/installed-program.ts'
import { bundlesFor, olderVersions } from './support/older-versions.ts'
import { UpgradeTrades } from './support/trades.ts'

/** Upgrades older versions process by process while clients read and trade. No request may fail. */
const folder = mkdtempSync(join(tmpdir(), 'ordbook-upgrades-'))
const ownBundle = join(folder, 'bundle')
beforeAll(() => buildBundle(ownBundle), 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

const LAYOUTS = [
  {
    layout: 'one signer and one guardian',
    hosts: 1,
    // Servers of both versions run with signers and guardians of both.
    order: ({ servers, signers, guardians }: InstalledMarket) => [
      servers[0]!,
      ...signers,
      ...guardians,
      servers[1]!,
    ],
  },
  {
    layout: 'a pair of signers and a pair of guardians',
    hosts: 2,
    order: ({ servers, signers, guardians }: InstalledMarket) => [
      ...signers.toReversed(),
      ...guardians.toReversed(),
      ...servers,
    ],
  },
] as const

/** Waits until every kind of work has completed again. Throws at the first failed request. */
async function progress({ done, failures }: SteadyLoad): Promise<void> {
  const before = { ...done }
  await until(
    `more of each: ${JSON.stringify(done)}`,
    async () => {
      expect(failures).toEqual([])
      return Object.entries(done).every(([kind, count]) => count > before[kind]!)
    },
    120,
  )
}

describe.each(olderVersions())('from $version', (from) => {
  const { version } = from
  let older: string
  let newer: string
  beforeAll(async () => {
    ;({ older, newer } = await bundlesFor(from, ownBundle))
  }, 600_000)
  afterAll(() => newer !== ownBundle && rmSync(newer, { recursive: true, force: true }))

  it.each(LAYOUTS)('upgrades a market with $layout', async ({ layout, hosts, order }) => {
    const market = await installMarket(older, { hosts })
    try {
      const trades = new UpgradeTrades(market)
      await trades.begin()
      const load = trades.startLoad()
      trades.allow(1)
      await progress(load)

      const backup = join(folder, `${version}-${hosts}.backup`)
      const looked = await runMarket(newer, market.settings, 'upgrade', '--look')
      expect(looked.said).toMatch(
        /Servers of the previous release can keep running|has the schema of this release/,
      )
      expect(await runMarket(newer, market.settings, 'upgrade', backup)).toMatchObject({ code: 0 })
      for (const program of order(market)) {
        trades.allow(1)
        await replace(program, newer, market)
        trades.allow(1)
        await progress(load)
      }
      await load.stop()
      console.log(`from ${version}, ${layout}:`, JSON.stringify(load.done), `${load.failures.length} failed`)
      expect(load.failures).toEqual([])
      await trades.end()
      const { code, said } = await runMarket(newer, market.settings, 'check')
      expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('no difference') })
    } finally {
      await market.stop()
    }
  })
})

async function replace(program: InstalledProgram, bundle: string, market: InstalledMarket): Promise<void> {
  await program.stop()
  await program.start(bundle)
  await until('hosts on standby', () => market.isWhole(), 60)
}
