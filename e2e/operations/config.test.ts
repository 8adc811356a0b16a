import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { setUpMarket, until } from '../support/market.ts'
import { spawnServer } from '../support/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-config-'))
const path = join(folder, 'server.env')
afterAll(() => rmSync(folder, { recursive: true }))

const root = join(import.meta.dirname, '../..')
const run = (program: string, environment: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, program), ...args], {
    env: { PATH: process.env.PATH, SETTINGS_FILE: path, ...environment },
    encoding: 'utf8',
  })
const config = (environment: Record<string, string>, ...args: string[]) =>
  run('scripts/market/config.ts', environment, ...args)

it('prints each setting with its source and without secrets', () => {
  writeFileSync(
    path,
    "SELLER_FEE_BPS=150\nDATABASE_URL='postgres://me:s3cret@a,b/db?password=s3cret'\nMETRICS_TOKEN=s3cret\n",
  )
  const { stdout, status } = config({ BUYER_FEE_BPS: '50', BITCOIN_RPC_URL: 'http://me:s3cret@127.0.0.1:1' })
  expect(status).toBe(0)
  const line = (name: string) => new RegExp(`^${name} +(.*)$`, 'm').exec(stdout)?.[1]
  expect(line('SELLER_FEE_BPS')).toBe(`150  (${path})`)
  expect(line('BUYER_FEE_BPS')).toBe('50  (environment)')
  expect(line('FILL_FEE_BPS')).toBe('250  (default)')
  expect(line('ORD_URL')).toBe('none  (default)')
  expect(line('DATABASE_URL')).toBe(`postgres://(hidden)@a,b/db?(hidden)  (${path})`)
  expect(line('BITCOIN_RPC_URL')).toBe('http://(hidden)@127.0.0.1:1  (environment)')
  expect(line('METRICS_TOKEN')).toBe(`(hidden)  (${path})`)
  expect(stdout).not.toContain('s3cret')
})

it('prints the settings of another program as JSON', () => {
  writeFileSync(path, 'SIGNER_MAX_FEE_PER_DAY_SATS=1000\n')
  const lines = config({}, 'signer', '--json').stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toContainEqual({
    setting: 'SIGNER_MAX_FEE_PER_DAY_SATS',
    value: '1000',
    source: path,
  })
})

it('exits with 1 and every problem', () => {
  writeFileSync(path, 'PUBLIC_ULR=https://market.example\nSELLER_FEE_BPS=9999\n')
  const { stderr, status } = config({ BUYER_FEE_BSP: '5' })
  expect(status).toBe(1)
  expect(stderr).toContain('BUYER_FEE_BSP: this variable of the environment is not a setting.')
  expect(stderr).toContain(`${path}, line 1: PUBLIC_ULR is not a setting. The nearest setting is PUBLIC_URL.`)
  expect(stderr).toContain('SELLER_FEE_BPS: found "9999", expected an integer from 0 to 5000')
  expect(stderr).not.toContain('    at ')
})

it.each([
  ['server/app/src/main.ts'],
  ['signer-host/src/main.ts'],
  ['signer-host/src/guardian/main.ts'],
  ['previews/src/main.ts'],
  ['scripts/start.ts'],
  ['scripts/market/operate.ts', 'pool'],
  ['scripts/market/backup.ts', join(folder, 'backup')],
  ['scripts/market/keys.ts', 'backup', join(folder, 'keys')],
])('%s refuses an unknown name in the file', (program, ...args) => {
  writeFileSync(path, 'LOG_LEVLE=debug\n')
  const { stderr, status } = run(program, { DATA_DIR: join(folder, 'data') }, ...args)
  expect(status).toBe(1)
  expect(stderr).toContain('LOG_LEVLE is not a setting. The nearest setting is LOG_LEVEL.')
  expect(stderr).not.toContain('    at ')
})

it('the doctor reports an unknown name in the file', () => {
  writeFileSync(path, 'LOG_LEVLE=debug\n')
  const { stdout, stderr, status } = run('scripts/market/doctor.ts', { DATA_DIR: join(folder, 'data') })
  expect([status, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(
    /^FAULT {3}settings: .*LOG_LEVLE is not a setting\. The nearest setting is LOG_LEVEL\./,
  )
})

describe('a server', () => {
  const market = setUpMarket()

  it.each(['systemd', 'container', 'ci', 'login-shell'])('starts in the environment of %s', async (place) => {
    const text = readFileSync(join(root, 'scripts/settings/environments', `${place}.env`), 'utf8')
    const lines = text.trimEnd().split('\n')
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
    // Places of this machine instead of those in the file.
    for (const name of ['DATA_DIR', 'DATABASE_URL', 'HOST', 'PORT', 'SIGNER_SOCKET']) delete environment[name]
    const server = spawnServer(market, await freePort(), { ROLES: 'api', LOG_LEVEL: 'warn', ...environment })
    try {
      await server.ready()
      if (environment.NOTIFY_SOCKET)
        await until('the warning', async () => server.logged().includes('failed to report readiness'))
      expect(server.child.exitCode).toBe(null)
    } finally {
      await server.kill('SIGKILL')
    }
  })
})
