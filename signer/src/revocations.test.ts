import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { revocationsIn } from './revocations.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-revocations-'))
  file = join(folder, 'data', 'revoked.txt')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hash = (n: number) => n.toString(16).padStart(64, '0')

it('remembers over a restart, each hash once', () => {
  const revoked = revocationsIn(file)
  expect(revoked.has(hash(1))).toBe(false)
  revoked.add([hash(1), hash(2), hash(1)])
  revoked.add([hash(2), hash(3), 'no hash'])
  expect(readFileSync(file, 'utf8')).toBe(`${hash(1)}\n${hash(2)}\n${hash(3)}\n`)
  const again = revocationsIn(file)
  expect([1, 2, 3, 4].map((n) => again.has(hash(n)))).toEqual([true, true, true, false])
})

it('sees what another process added after both had begun', () => {
  const [one, other] = [revocationsIn(file), revocationsIn(file)]
  one.add([hash(1)])
  expect(other.has(hash(1))).toBe(true)
  other.add([hash(2)])
  one.add([hash(3)])
  expect([one, other].map((each) => [1, 2, 3].map((n) => each.has(hash(n))))).toEqual([
    [true, true, true],
    [true, true, true],
  ])
})

it('loses nothing to a line that was cut off', () => {
  const revoked = revocationsIn(file)
  revoked.add([hash(1)])
  appendFileSync(file, hash(2).slice(0, 20))
  expect(revoked.has(hash(2))).toBe(false)
  revoked.add([hash(3)])
  expect([1, 2, 3].map((n) => revocationsIn(file).has(hash(n)))).toEqual([true, false, true])
  expect(revoked.has(hash(3))).toBe(true)
})

it('keeps what it knows when an older copy takes the place of the file', () => {
  const revoked = revocationsIn(file)
  revoked.add([hash(1), hash(2)])
  writeFileSync(file, `${hash(1)}\n`)
  expect(revoked.has(hash(2))).toBe(true)
})
