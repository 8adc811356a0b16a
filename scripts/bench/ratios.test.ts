import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { compareRatios, type Ratios, readRatios, saveRatios } from './ratios.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-ratios-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NAMES = ['sales', 'listings', 'floors', 'proposals', 'offers', 'profile']
const runOf = (of: (name: string) => Ratios['reads'][string]): Ratios => ({
  inscriptions: 1000,
  reads: Object.fromEntries(NAMES.map((name) => [name, of(name)])),
})
const before = runOf(() => ({ kept: 0.8, fresh: 0.2, deep: 0.9 }))

it('compareRatios reports reads that became slower', () => {
  const now = runOf((name) => ({ kept: 0.8, fresh: name === 'sales' ? 0.13 : 0.2, deep: 0.9 }))
  expect(compareRatios(before, now).worse).toEqual(['sales, fresh: 0.20 became 0.13, 1.5 times slower'])
  const noisy = runOf((name) => ({ kept: 0.8, fresh: name === 'sales' ? 0.14 : 0.2, deep: 0.9 }))
  expect(compareRatios(before, noisy).worse).toEqual([])
})

it('compareRatios reports a slower mean', () => {
  const now = runOf(() => ({ kept: 0.8, fresh: 0.17, deep: 0.9 }))
  expect(compareRatios(before, now).worse).toEqual([
    'all reads, fresh: 1.18 times slower in the geometric mean',
  ])
  const few = { ...now, reads: { sales: now.reads.sales! } }
  expect(compareRatios(before, few).worse).toEqual([])
})

it('compareRatios accepts faster reads', () => {
  const now = runOf(() => ({ kept: 1, fresh: 0.4 }))
  now.reads.holders = { kept: 0.01, fresh: 0.01 }
  const { table, worse } = compareRatios(before, now)
  expect(worse).toEqual([])
  expect(table).toContain('| sales | 0.80 | 1.0 | 0.20 | 0.40 | 0.90 | – |')
  expect(table).toContain('| holders | – | 0.010 | – | 0.010 | – | – |')
})

it('readRatios rejects an invalid file', () => {
  const file = join(folder, 'ratios.json')
  saveRatios(
    file,
    runOf(() => ({ kept: 0.8123456, fresh: 0.0345678 })),
  )
  expect(readRatios(file)).toEqual(runOf(() => ({ kept: 0.812, fresh: 0.0346 })))
  writeFileSync(file, '{"inscriptions": 1000, "reads": {"sales": {"kept": 0, "fresh": "fast"}}}')
  expect(() => readRatios(file)).toThrow(
    /ratios\.json does not contain the ratios of a run[\s\S]*reads\.sales\.kept/,
  )
})

it('readRatios parses docs/benchmarks.json', () => {
  const source = readFileSync(join(import.meta.dirname, 'reads.ts'), 'utf8')
  for (const name of Object.keys(readRatios(join(import.meta.dirname, '../../docs/benchmarks.json')).reads))
    expect(source).toContain(name)
})
