import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { outdated, PAGE, problemsOf, readStandards, type Standard, standardsOf } from './standards.ts'

const root = join(import.meta.dirname, '../..')
const standards = readStandards(root)

/** Consensus rules that nodes check. Only the devnet and the script interpreter implement them, and tests also run real nodes. */
const OF_NODES = ['BIP-16', 'BIP-30', 'BIP-34', 'BIP-65', 'BIP-112', 'BIP-141', 'BIP-144']

it.each(standards)('$name is complete', (standard) => {
  expect(problemsOf(standard, root)).toEqual([])
  expect(Date.parse(standard.checked)).toBeLessThanOrEqual(Date.now())
})

it('the standards page lists every BIP in the code', () => {
  const sources = globSync('{bitcoin,contract,sdk,cli,signer,devnet,web-ui,server/*}/src/**/*.{ts,tsx}', {
    cwd: root,
  })
  expect(sources.length).toBeGreaterThan(500)
  const mentioned = new Set(
    sources
      .filter((path) => !path.includes('.test.'))
      .flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\bBIP-\d+\b/g) ?? []),
  )
  const rows = standards.map(({ name }) => name)
  expect([...mentioned].filter((name) => !rows.includes(name) && !OF_NODES.includes(name))).toEqual([])
  expect(new Set(rows).size).toBe(rows.length)
})

const good: Standard = {
  name: 'BIP-322',
  version: '2.0.0',
  checked: '2026-11-26',
  source: 'https://example.org',
  vectors: ['bitcoin/src/bip322-vectors.test.ts'],
}

it.each<[string, Partial<Standard>]>([
  ['no version', { version: '' }],
  ['is not a date', { checked: 'yesterday' }],
  ['no source', { source: 'a book' }],
  ['no test with vectors', { vectors: [] }],
  ['no test with vectors', { vectors: ['bitcoin/src/vectors/bip322-basic.json'] }],
  ['does not exist', { vectors: [...good.vectors, 'bitcoin/src/gone.json'] }],
  ['mentions it', { name: 'BIP-9999' }],
])('problemsOf reports: %s', (problem, change) => {
  expect(problemsOf(good, root)).toEqual([])
  expect(problemsOf({ ...good, ...change }, root).join()).toContain(problem)
})

it('standardsOf reads all tables', () => {
  const page = readFileSync(join(root, PAGE), 'utf8')
  expect(standardsOf(page)).toHaveLength(page.match(/^\| (?!Standard |---)/gm)!.length)
  expect(standards.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['BIP-322', 'ord', 'Leather', 'minrelaytxfee']),
  )
})

it('outdated lists rows older than 180 days', () => {
  const at = (day: string) => outdated([good], new Date(day))
  expect(at('2027-05-25')).toEqual([])
  expect(at('2027-05-26')).toEqual([good])
})
