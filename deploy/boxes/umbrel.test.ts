import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { umbrelProblems } from './umbrel.ts'

const root = join(import.meta.dirname, '../..')
const original = join(root, 'deploy/umbrel/ordbook')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const work = mkdtempSync(join(tmpdir(), 'ordbook-umbrel-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Returns the problems of the app after a replacement in one of its files. */
function problemsAfter(file: string, from: string | RegExp, to: string): string[] {
  const folder = join(work, 'ordbook')
  rmSync(folder, { recursive: true, force: true })
  cpSync(original, folder, { recursive: true })
  const text = readFileSync(join(folder, file), 'utf8')
  const changed = text.replace(from, to)
  expect(changed, `${from} in ${file}`).not.toBe(text)
  writeFileSync(join(folder, file), changed)
  return umbrelProblems(folder, version)
}

it('umbrelProblems accepts the current app', () => {
  expect(umbrelProblems(original, version)).toEqual([])
})

const COMPOSE = 'docker-compose.yml'
const LAST = /$(?![\s\S])/
it.each([
  ['an unknown setting', COMPOSE, 'TRUST_PROXY:', 'TRUST_PROXIES:', 'TRUST_PROXIES is not a setting'],
  ['an invalid value', COMPOSE, 'TRUST_PROXY: "1"', 'TRUST_PROXY: "nginx"', 'TRUST_PROXY is nginx'],
  [
    'a server setting on the signer',
    COMPOSE,
    'SIGNER_SECRET_FILE: /run/signer/secret\n    volumes',
    'PUBLIC_URL: http://x\n    volumes',
    'signer: environment: PUBLIC_URL is not a setting',
  ],
  ['an unknown program', COMPOSE, 'lib/guardian.js', 'lib/guard.js', 'lib/guard.js'],
  ['an unknown command', COMPOSE, 'market begin wait', 'market start-up', 'market start-up'],
  [
    'signer keys mounted in the server',
    COMPOSE,
    'data/server:/data',
    'data/signer:/data',
    'server: data/signer: contains the keys of signer',
  ],
  ['a signer with a network', COMPOSE, 'network_mode: none', 'network_mode: bridge', 'signer: has a network'],
  ['an image without a digest', COMPOSE, /postgres:17.9@sha256:\w+/, 'postgres:17.9', 'image postgres:17.9'],
  ['a missing folder', COMPOSE, 'data/backup:/backup', 'data/dumps:/backup', 'data/dumps: does not exist'],
  [
    'a folder that user 1000 cannot write to',
    'hooks/pre-start',
    'guardian-run backup',
    'guardian-run',
    'hooks/pre-start does not set its owner to 1000:1000',
  ],
  [
    'an ambiguous service name',
    COMPOSE,
    '@ordbook_postgres_1:5432',
    '@postgres:5432',
    'postgres: is not specific to this app',
  ],
  [
    'a fixed password',
    COMPOSE,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the box that fills it in
    'POSTGRES_PASSWORD: ${APP_ORDBOOK_POSTGRES_PASSWORD}',
    'POSTGRES_PASSWORD: secret',
    'is the same on every box',
  ],
  ['a writable root file system', COMPOSE, 'read_only: true', 'read_only: false', 'has a writable root'],
  ['a root user', COMPOSE, 'user: "1000:1000"', 'user: "0:0"', 'user 0:0, expected 1000:1000'],
  [
    'a port used by another app',
    'umbrel-app.yml',
    /port: \d+/,
    'port: 4000',
    'port 4000: is used by another app',
  ],
  [
    'an outdated version',
    'umbrel-app.yml',
    /version: "[\d.]+"/,
    'version: "0.0.1"',
    'version 0.0.1, expected',
  ],
  ['a missing field', 'umbrel-app.yml', /^support: .*$/m, '', 'support'],
  [
    'an example of an unknown setting',
    'data/settings/market.conf',
    LAST,
    '#MARKET=x\n',
    'MARKET is not a setting',
  ],
])('umbrelProblems reports %s', (_, file, from, to, problem) => {
  expect(problemsAfter(file, from, to).join('\n')).toContain(problem)
})
