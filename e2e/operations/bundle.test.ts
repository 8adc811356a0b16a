import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstTrade } from '../../scripts/distribution/first-trade.ts'
import { freshDatabase, until } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { buildBundle, withMigration } from '../upgrades/support/bundles.ts'
import { runMarket } from '../upgrades/support/installed-program.ts'

/** Runs every program of the bundle in a separate process, outside the checkout and without its packages. */
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'ordbook-bundle-'))
const bundle = join(folder, 'bundle')
const [keys, judge] = ['signer', 'guardian'].map((name) => join(folder, name)) as [string, string]
const children: ChildProcess[] = []
let node: TestNode
let settings: NodeJS.ProcessEnv
let url: string
let databaseUrl: string

const start = (program: string, environment: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, [join(bundle, 'lib', program)], {
    cwd: folder,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}

beforeAll(async () => {
  await buildBundle(bundle)
  node = await startNode()
  databaseUrl = await freshDatabase()
  const port = String(await freePort())
  url = `http://127.0.0.1:${port}`
  const sockets = {
    SIGNER_SOCKET: join(folder, 'signer.sock'),
    SIGNER_SECRET_FILE: join(folder, 'signer.secret'),
    GUARDIAN_SOCKET: join(folder, 'guardian.sock'),
    GUARDIAN_SECRET_FILE: join(folder, 'guardian.secret'),
  }
  settings = {
    ...sockets,
    DATABASE_URL: databaseUrl,
    BITCOIN_RPC_URL: node.url,
    CHAIN: 'regtest',
    DATA_DIR: join(folder, 'server'),
    PORT: port,
    RATE_LIMITS: 'off',
  }
  start('signer.js', { ...sockets, DATA_DIR: keys })
  start('guardian.js', { ...sockets, DATA_DIR: judge, BITCOIN_RPC_URL: node.url })
  for (const socket of [sockets.SIGNER_SOCKET, sockets.GUARDIAN_SOCKET])
    await until(socket, async () => existsSync(socket))
  start('server.js', settings)
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await node?.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('trades with the keys in separate processes', async () => {
  await firstTrade({
    url,
    rpcUrl: node.url,
    async importFolder(imported) {
      const ordbook = [join(bundle, 'lib/ordbook.js'), 'market', 'import', imported]
      await run(process.execPath, ordbook, { cwd: folder, env: { ...settings, PATH: process.env.PATH } })
    },
  })
  // The server has no keys, and neither shared secret is stored next to the keys.
  expect(existsSync(settings.DATA_DIR!)).toBe(false)
  expect(readdirSync(keys).sort()).toEqual(['.signer.alone', 'coins.key', 'cosign.key', 'signer.journal'])
  expect(readdirSync(judge).sort()).toEqual(['.guardian.alone', 'guardian.journal', 'guardian.key'])
  const { stdout } = await run(process.execPath, [join(bundle, 'lib/ordbook.js'), 'market', 'check'], {
    cwd: folder,
    env: { ...settings, PATH: process.env.PATH },
  })
  expect(stdout).toContain('no difference')
})

it('serves the storefront with compression and licences', async () => {
  const page = await (await fetch(url)).text()
  const [, script] = /import\("(\/assets\/[^"]+\.js)"\)/.exec(page)!
  const answer = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br' } })
  expect(answer.headers.get('content-encoding')).toBe('br')
  const licenses = (await (await fetch(`${url}/licenses.json`)).json()) as { name: string }[]
  expect(licenses.map(({ name }) => name)).toContain('preact')
})

/** Runs `ordbook market …` from the bundle while the market runs. Expects exit code 0. */
async function market(...args: string[]): Promise<string> {
  const { code, said } = await runMarket(bundle, settings as Record<string, string>, ...args)
  expect({ args, code, said }).toMatchObject({ code: 0 })
  return said
}

it('runs doctor, backup, restore and export', async () => {
  const at = (name: string) => join(folder, name)
  const { said } = await runMarket(bundle, settings as Record<string, string>, 'doctor')
  expect(said).toMatch(/^ok +signer: /m)
  // The test PostgreSQL runs without fsync.
  expect(said.match(/^FAULT .*/gm)).toEqual([expect.stringContaining('fsync is off')])
  expect(await market('upgrade', '--look')).toContain('has the schema of this release')

  expect(await market('export', at('orders.jsonl.gz'))).toContain(at('orders.jsonl.gz'))
  await market('order-log', 'verify', at('orders.jsonl.gz'))
  expect(await market('backup', at('market.backup'))).toMatch(/\d+ rows of \d+ tables/)
  settings = { ...settings, DATABASE_URL: await freshDatabase() }
  expect(await market('restore', at('market.backup'), '--journals-kept')).toMatch(/restored \d+ rows/)
  await market('export', at('restored.jsonl.gz'))
  await market('order-log', 'compare', at('orders.jsonl.gz'), at('restored.jsonl.gz'))

  writeFileSync(at('passphrase'), 'twelve bridges over the river\n')
  const sealed = [at('signer.keys'), '--passphrase-file', at('passphrase')]
  const keysAt = (place: string, ...args: string[]) =>
    runMarket(bundle, { DATA_DIR: place }, 'keys', ...args, ...sealed)
  expect(await keysAt(keys, 'backup')).toMatchObject({ code: 0 })
  expect(await keysAt(at('restored-keys'), 'restore')).toMatchObject({ code: 0 })
  for (const name of ['coins.key', 'cosign.key'])
    expect(readFileSync(join(at('restored-keys'), name))).toEqual(readFileSync(join(keys, name)))
})

it('upgrades next to a running server if migrations are additive', async () => {
  const adding = withMigration(bundle, '9001-adds.sql', '-- oldest code: 0001\ncreate table added (n int);')
  const taking = withMigration(adding, '9002-takes.sql', 'drop table added;')
  const of = (next: string, ...args: string[]) =>
    runMarket(next, { DATABASE_URL: databaseUrl, DATA_DIR: folder }, 'upgrade', ...args)
  try {
    expect((await of(adding, '--look')).said).toContain('Servers of the previous release can keep running')
    const backup = join(folder, 'adding.backup')
    const applied = await of(adding, backup)
    expect(applied).toEqual({ code: 0, said: expect.stringContaining('applied 1 migrations') })
    const upgraded = await of(adding, join(folder, 'again.backup'))
    expect(upgraded).toEqual({ code: 0, said: expect.stringContaining('has the schema of this release') })
    expect(existsSync(join(folder, 'again.backup'))).toBe(false)
    // The backup has the schema from before the upgrade. The next release can restore and upgrade it.
    const to = { DATABASE_URL: await freshDatabase(), DATA_DIR: folder }
    const restored = await runMarket(adding, to, 'restore', backup, '--journals-kept')
    expect(restored).toEqual({ code: 0, said: expect.stringContaining('9001-adds.sql') })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(await of(taking, join(folder, 'taking.backup'))).toEqual({
      code: 1,
      said: expect.stringContaining('9002-takes.sql is incompatible with older code'),
    })
  } finally {
    for (const each of [adding, taking]) rmSync(each, { recursive: true })
  }
})

it('exits with code 0 on SIGTERM', async () => {
  for (const child of children.toReversed()) {
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
})

it('lists the licences of all packages', () => {
  const { components } = JSON.parse(readFileSync(join(bundle, 'bom.json'), 'utf8')) as {
    components: { name: string; version: string; licenses: unknown[] }[]
  }
  const names = components.map(({ name }) => name)
  for (const name of [
    'fastify',
    'pg',
    'typebox',
    'preact',
    '@scure/btc-signer',
    '@fontsource-variable/geist',
  ])
    expect(names).toContain(name)
  const text = readFileSync(join(bundle, 'LICENSES.txt'), 'utf8')
  for (const { name, version, licenses } of components) {
    expect(licenses).toHaveLength(1)
    expect(text).toContain(`${name} ${version}: `)
  }
  const files = readdirSync(bundle, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const bytes = files.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0)
  expect(bytes).toBeLessThan(8_250_000)
})

it('renders thumbnails if sharp is installed', async () => {
  const modules = join(import.meta.dirname, '../../node_modules')
  for (const name of ['sharp', 'detect-libc', 'semver', '@img'])
    cpSync(join(modules, name), join(bundle, 'node_modules', name), { recursive: true })
  const decoder = join(bundle, 'lib/worker.js')
  const child = spawn(process.execPath, [decoder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ready = await new Promise((done) => {
    child.once('message', () => done('ready'))
    child.once('exit', (code) => done(`ended with ${code}`))
  })
  child.kill('SIGKILL')
  expect(ready).toBe('ready')
})
