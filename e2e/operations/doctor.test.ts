import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteCheckpoints } from '@ordbook/market/keys/checkpoint-queries.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { afterAll, expect, it } from 'vitest'
import { freshDatabase, setUpMarket, testConfig } from '../support/market.ts'

const market = setUpMarket()
const folder = mkdtempSync(join(tmpdir(), 'ordbook-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the doctor with changed settings. Returns findings by component, and the healthy components. */
async function diagnosis(settings: Record<string, string> = {}, databaseUrl = market.databaseUrl) {
  const config = testConfig({
    DATA_DIR: market.dataDir,
    BITCOIN_RPC_URL: market.node.url,
    RATE_LIMITS: 'on',
    ...settings,
  })
  const well: string[] = []
  const faults: Record<string, Finding> = {}
  for await (const finding of examine(config, databaseUrl))
    if (finding.state === 'ok') well.push(finding.about)
    // The test PostgreSQL runs without fsync.
    else if (finding.found !== 'fsync is off') faults[finding.about] = finding
  return { well, ill: faults }
}

const faultOf = (found: RegExp) => ({ state: 'fault', found: expect.stringMatching(found) })
const warningOf = (found: RegExp) => ({ state: 'warning', found: expect.stringMatching(found) })

it('reports no faults for a healthy market', async () => {
  const { well, ill } = await diagnosis()
  expect(ill).toEqual({})
  expect(well).toEqual(
    expect.arrayContaining(['settings', 'clock', 'node', 'index', 'signer', 'guardian', 'disk', 'processes']),
  )
})

it('reports an unsafe, unreachable or empty database', async () => {
  const all: Finding[] = []
  for await (const each of examine(testConfig(), market.databaseUrl)) all.push(each)
  const [row] = await market.sql<{ fsync: string }[]>`select current_setting('fsync') as fsync`
  expect(all.some(({ found, state }) => found === 'fsync is off' && state === 'fault')).toBe(
    row!.fsync === 'off',
  )

  const unreachable = await diagnosis({}, 'postgres://owner:hush@127.0.0.1:1/none')
  expect(unreachable.ill).toMatchObject({
    database: { state: 'fault', mend: expect.stringContaining('DATABASE_URL') },
  })
  expect(JSON.stringify(unreachable)).not.toContain('hush')
  // The doctor still checks the other components, except keys that only the database identifies.
  expect(unreachable.well).toContain('node')
  expect([...unreachable.well, ...Object.keys(unreachable.ill)]).not.toContain('signer')

  const empty = await diagnosis({}, await freshDatabase())
  expect(empty.ill).toMatchObject({ database: warningOf(/empty/), index: warningOf(/no blocks yet/) })
})

it('reports a missing DATABASE_URL', async () => {
  const dataDir = join(folder, 'none')
  const { DATABASE_URL, BITCOIN_RPC_URL, ...env } = process.env
  const script = join(import.meta.dirname, '../../scripts/market/doctor.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: '/',
    env: { ...env, DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(1)
  expect(stdout).toContain(
    `FAULT   database: DATABASE_URL is not set, and no embedded database runs in ${dataDir}`,
  )
  expect(stdout).toContain('WARNING node: BITCOIN_RPC_URL is not set')
  expect(readdirSync(folder)).toEqual([])
})

it('reports missing, foreign and readable keys', async () => {
  const lost = join(folder, 'lost')
  const { ill } = await diagnosis({ DATA_DIR: lost })
  expect(ill).toMatchObject({
    signer: faultOf(/cannot find .*cosign\.key/),
    guardian: faultOf(/cannot find .*guardian\.key/),
  })
  const remote = await diagnosis({ DATA_DIR: lost, SIGNER_SOCKET: join(lost, 'socket') })
  expect(remote.ill.signer).toMatchObject(faultOf(/signer\.secret does not exist/))
  expect(readdirSync(folder)).toEqual([])

  const keyFolder = join(folder, 'own')
  cpSync(market.dataDir, keyFolder, { recursive: true })
  rmSync(join(keyFolder, 'signer.journal'))
  chmodSync(join(keyFolder, 'guardian.key'), 0o644)
  expect((await diagnosis({ DATA_DIR: keyFolder, RESET_JOURNAL: 'on' })).ill).toMatchObject({
    signer: faultOf(/no .*signer\.journal/),
    guardian: faultOf(/other users can read .*guardian\.key/),
  })
  expect(readdirSync(keyFolder)).not.toContain('signer.journal')

  const swapped = join(folder, 'swapped')
  cpSync(market.dataDir, swapped, { recursive: true })
  cpSync(join(market.dataDir, 'coins.key'), join(swapped, 'cosign.key'))
  cpSync(join(market.dataDir, 'cosign.key'), join(swapped, 'coins.key'))
  expect((await diagnosis({ DATA_DIR: swapped })).ill.signer).toMatchObject(
    faultOf(/belongs to the market key/),
  )
})

it('reports a node that is down or on another chain', async () => {
  const unreachable = await diagnosis({ BITCOIN_RPC_URL: 'http://operator:hush@127.0.0.1:1' })
  expect(unreachable.ill).toMatchObject({
    node: { state: 'fault', mend: expect.stringContaining('BITCOIN_RPC_URL') },
  })
  expect(JSON.stringify(unreachable)).not.toContain('hush')
  const signet = await diagnosis({ CHAIN: 'signet' })
  expect(signet.ill.node).toMatchObject(faultOf(/on regtest, but CHAIN is signet/))
})

it('reports contradictory settings', async () => {
  const { ill } = await diagnosis({ PUBLIC_URL: 'http://market.example' })
  expect(ill).toMatchObject({ proxies: { state: 'warning' } })
  expect((await diagnosis({ RATE_LIMITS: 'off' })).ill.settings).toMatchObject(warningOf(/RATE_LIMITS/))
  const mainnet = await diagnosis({ CHAIN: 'main' })
  expect(mainnet.ill).toMatchObject({
    ord: faultOf(/ORD_URL is not set/),
    keys: warningOf(/holds the keys/),
  })
})

it('reports unreachable Redis and ord servers', async () => {
  const { ill } = await diagnosis({
    REDIS_URL: 'redis://127.0.0.1:1',
    ORD_URL: 'http://127.0.0.1:1',
    PREVIEW_SOCKET: join(folder, 'previews'),
  })
  expect(ill).toMatchObject({
    redis: { state: 'fault' },
    ord: { state: 'fault' },
    previews: { state: 'fault' },
  })
})

it('reports stopped processes and mismatched journals', async () => {
  await market.server.close()
  const databaseUrl = market.databaseUrl
  expect((await diagnosis()).ill.processes).toMatchObject(
    warningOf(/no process has the role follower or jobs/),
  )
  await deleteCheckpoints(market.sql)
  expect((await diagnosis()).ill).toMatchObject({ keys: faultOf(/restored from a backup/) })

  const run = spawnSync(process.execPath, ['scripts/market/doctor.ts', '--json'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: market.dataDir,
      BITCOIN_RPC_URL: market.node.url,
    },
    encoding: 'utf8',
  })
  expect(run.status).toBe(1)
  const lines = run.stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).state)).toContain('fault')
})
