import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { integerIn } from './command.ts'

const COMMANDS = [
  'bench',
  'bench/hostile',
  'bench/ingest',
  'bench/reads',
  'check',
  'check-sql',
  'generate',
  'lying-market',
  'market/demo',
  'market/import-collections',
  'market/operate',
  'market/registry',
  'changes/release',
  'start',
  'test-suite',
]
const run = (command: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, `${command}.ts`), ...args], {
    encoding: 'utf8',
    timeout: 50_000,
  })

it.each(COMMANDS)('%s prints its usage for --help', (command) => {
  const { status, stdout } = run(command, '--help')
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^usage: /)])
})

it('a script prints its usage for an unknown option', () => {
  const { status, stderr } = run('check', '--bogus')
  expect([status, stderr]).toEqual([1, expect.stringMatching(/--bogus[\s\S]*usage: /)])
})

it('ordbook market rejects an unknown command', () => {
  const { status, stderr } = run('market/operate', 'toString')
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^toString: unknown command/)])
})

it('integerIn rejects numbers outside the range', () => {
  expect(integerIn('250', 'BPS', 0, 10_000)).toBe(250)
  for (const text of [undefined, '', '1.5', '-1', '10001', '1e3', 'x'])
    expect(() => integerIn(text, 'BPS', 0, 10_000)).toThrow(/^BPS: found .* from 0 to 10000$/)
})
