import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type Facts, fillIn, placeholdersIn } from './release.ts'
import { umbrelProblems } from './umbrel.ts'

const root = join(import.meta.dirname, '../..')
const drafts = ['deploy/umbrel', 'deploy/startos'].map((path) => join(root, path))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const work = mkdtempSync(join(tmpdir(), 'ordbook-boxes-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const FACTS: Facts = {
  image: `registry.test/market:1.2.3@sha256:${'ab'.repeat(32)}`,
  website: 'https://market.test',
  repository: 'https://code.test/market',
  support: 'https://code.test/market/issues',
  submission: 'https://store.test/pull/1',
}

it('fillIn replaces all placeholders', () => {
  const destination = join(work, 'release')
  fillIn(drafts, destination, FACTS)
  expect(placeholdersIn(destination)).toEqual([])
  expect(umbrelProblems(join(destination, 'umbrel/ordbook'), version)).toEqual([])
  const compose = readFileSync(join(destination, 'umbrel/ordbook/docker-compose.yml'), 'utf8')
  expect(compose.split(FACTS.image)).toHaveLength(5)
  const manifest = readFileSync(join(destination, 'umbrel/ordbook/umbrel-app.yml'), 'utf8')
  for (const address of [FACTS.website, FACTS.repository, FACTS.support, FACTS.submission])
    expect(manifest).toContain(address)
  expect(() => fillIn(drafts, destination, FACTS)).toThrow('is not empty')
})

it('placeholdersIn finds placeholders in the drafts', () => {
  for (const draft of drafts) expect(placeholdersIn(draft).length, draft).toBeGreaterThan(0)
})

it.each([
  [
    { image: `market:1.2.3@sha256:${'0'.repeat(64)}` },
    'expected NAME:VERSION@sha256:DIGEST of a published image',
  ],
  [{ image: 'market:1.2.3' }, 'expected NAME:VERSION@sha256:DIGEST of a published image'],
  [{ support: 'ask us' }, 'expected a URL'],
  [{ website: 'https://ordbook.example' }, 'Placeholders remain'],
])('fillIn rejects %j', (wrong, problem) => {
  expect(() =>
    fillIn(drafts, join(work, JSON.stringify(wrong).length.toString()), { ...FACTS, ...wrong }),
  ).toThrow(problem)
})
