import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ordbook-import-command-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const write = (folder: string, entries: unknown) => {
  mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, folder, 'meta.json'), JSON.stringify({ name: folder, slug: folder }))
  writeFileSync(join(directory, folder, 'inscriptions.json'), JSON.stringify(entries))
}
/** No server can listen on port 1, and the data folder cannot be created. */
const run = (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none', DATA_DIR: '/dev/null/none' }
  const script = join(import.meta.dirname, 'import-collections.ts')
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env, timeout: 50_000 })
}
const id = `${'ab'.repeat(32)}i0`

it('checks a registry without a database', () => {
  write('cats', [{ id }])
  const { status, stdout } = run('--dry-run', directory)
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^dry run: would import 1 collections with 1 inscr/m),
  ])
})

it('exits with 2 and writes every problem to a file', () => {
  write('dogs', [{ id }, ...Array(9).fill({ id: 'x' })])
  const file = join(directory, 'report.txt')
  const { status, stdout } = run('--dry-run', '--report', file, directory)
  expect([status, stdout]).toEqual([2, expect.stringMatching(/^9 id-invalid[\s\S]*and 6 more/)])
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines.filter((line) => line.startsWith('id-invalid\tdogs/inscriptions.json ['))).toHaveLength(9)
  expect(lines).toContain('inscriptions: 11 found = 2 imported + 9 skipped (9 id-invalid)')
})

it('exits with 1 for a folder that is not a registry', () => {
  const { status, stderr } = run('--dry-run', join(directory, 'cats'))
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/is a single collection. Use its parent folder/),
  ])
})
