import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { canonical, FORMAT, hashOf, lineOf, startOf, VERSION } from './chain.ts'
import { compareLogs, verifyLog } from './compare.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(lines: readonly string[] | Buffer): string {
  const file = join(folder, `${files++}.jsonl`)
  writeFileSync(file, Buffer.isBuffer(lines) ? lines : lines.map((line) => `${line}\n`).join(''))
  return file
}

/** Builds a complete log of these changes. */
function logOf(changes: readonly object[], network = 'regtest'): string[] {
  const header = canonical({
    format: FORMAT,
    version: VERSION,
    network,
    market: 'ab'.repeat(32),
    exportedAt: '2026-01-01',
  })
  const lines = [header]
  let head = startOf(network)
  for (const [n, change] of changes.entries()) {
    const line = lineOf(n + 1, head, change)
    head = hashOf(line)
    lines.push(line)
  }
  return [...lines, canonical({ changes: changes.length, head, header: hashOf(header) })]
}

const CHANGES = Array.from({ length: 20 }, (_, n) => ({ kind: 'listing', text: `"changes": ${n} ü`, n }))
const whole = logOf(CHANGES)

it('canonical() sorts keys', () => {
  expect(lineOf(1, 'a', { b: { d: 1, c: [{ f: 2, e: 3 }] }, a: null })).toBe(
    '{"change":{"a":null,"b":{"c":[{"e":3,"f":2}],"d":1}},"position":1,"previous":"a"}',
  )
})

it('readLog accepts a compressed log', async () => {
  const found = await verifyLog(fileOf(whole))
  expect(found).toMatchObject({ changes: 20, header: { network: 'regtest' } })
  expect(await verifyLog(fileOf(gzipSync(`${whole.join('\n')}\n`)))).toEqual(found)
  expect(await verifyLog(fileOf(logOf([])))).toMatchObject({ changes: 0, head: startOf('regtest') })
})

it.each<[string, () => readonly string[] | Buffer, RegExp]>([
  ['empty', () => [], /the file is empty/],
  ['a different file', () => ['{"a":1}'], /line 1/],
  ['invalid JSON', () => ['hello'], /line 1 is not valid JSON/],
  [
    'a modified amount',
    () => whole.map((line) => line.replace('"n":7', '"n":8')),
    /change 9 does not follow/,
  ],
  [
    'a modified last change',
    () => whole.map((line) => line.replace('"n":19', '"n":18')),
    /the last line does not match/,
  ],
  ['a missing line', () => whole.toSpliced(5, 1), /change 6 does not follow/],
  ['swapped lines', () => whole.toSpliced(5, 2, whole[6]!, whole[5]!), /change 6 does not follow/],
  [
    'another header',
    () => [whole[0]!.replace('2026', '2027'), ...whole.slice(1)],
    /the last line does not match the log/,
  ],
  ['another network', () => [whole[0]!.replace('regtest', 'signet'), ...whole.slice(1)], /change 1 does not/],
  ['a missing last line', () => whole.slice(0, -1), /missing last line after change 20/],
  ['data after the last line', () => [...whole, whole.at(-1)!], /data after the last line/],
  ['a truncated line', () => Buffer.from(whole.join('\n').slice(0, -40)), /middle of a line/],
  ['a truncated gzip file', () => gzipSync(whole.join('\n')).subarray(0, 300), /not a complete order log/],
  ['a line of 5 MB', () => Buffer.alloc(5_000_000, 0x20), /too long/],
])('readLog rejects %s', async (_, lines, reason) => {
  await expect(verifyLog(fileOf(lines()))).rejects.toThrow(reason)
})

it('compareLogs returns the first difference', async () => {
  const shorter = fileOf(logOf(CHANGES.slice(0, 12)))
  const differing = fileOf(logOf(CHANGES.with(4, { ...CHANGES[4]!, n: 99 })))
  const file = fileOf(whole)
  expect(await compareLogs(file, file)).toMatchObject({
    alike: 20,
    differing: null,
    more: { ours: 0, theirs: 0 },
  })
  expect(await compareLogs(file, shorter)).toMatchObject({
    alike: 12,
    differing: null,
    more: { ours: 8, theirs: 0 },
  })
  expect(await compareLogs(differing, file)).toMatchObject({
    alike: 4,
    differing: { ours: { ...CHANGES[4], n: 99 }, theirs: CHANGES[4] },
    more: { ours: 16, theirs: 16 },
  })
  await expect(compareLogs(file, fileOf(logOf(CHANGES, 'signet')))).rejects.toThrow('is for network')
  await expect(compareLogs(file, fileOf(whole.slice(0, -1)))).rejects.toThrow('missing last line')
})
