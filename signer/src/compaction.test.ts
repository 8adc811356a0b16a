import { spawn } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
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
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assertCheckpoint, JournalError } from './checkpoint.ts'
import { makeJournal } from './journal-files.ts'
import { SignerRefusal, SpentRefusal } from './requests.ts'
import { memoryIn } from './signer-state.ts'

/** Compaction must not lose floors, prices or sats, even if the process is killed during it. */
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-compaction-'))
  file = join(folder, 'signer.journal')
  makeJournal(file)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const hash = (n: number) => n.toString(16).padStart(64, '0')
const outpoint = (n: number) => `${hash(n)}:0`
const price = (n: number) => n.toString(16).padStart(32, '0')
const SMALL = 4096
let now = 1_700_000_000_000
const open = () => memoryIn(file, 1000, () => now, SMALL)
/** Raises the floor step by step from 1. */
const raiseTo = async (memory: ReturnType<typeof open>, n: number, floor: number) => {
  for (let step = 1; step <= floor; step++) await memory.raise([{ outpoint: outpoint(n), floor: step }])
}
const journals = () => readdirSync(folder).toSorted()

it('keeps the journal small', async () => {
  const memory = open()
  await memory.claim(
    [{ outpoint: outpoint(2), generation: 3, price: price(1) }],
    [{ txid: hash(1), sats: 600 }],
  )
  await memory.claim([], [{ txid: hash(1), sats: 700 }])
  let lines = memory.journal.mark().lines
  for (let floor = 1; floor <= 500; floor++) {
    await memory.raise([{ outpoint: outpoint(1), floor }])
    expect(memory.journal.mark().lines).toBe(++lines)
  }
  expect(journals()).toHaveLength(2)
  for (const name of journals()) expect(statSync(join(folder, name)).size).toBeLessThan(2 * SMALL)
  const reopened = open()
  expect(reopened.journal.mark()).toEqual(memory.journal.mark())
  expect(reopened.floorOf(outpoint(1)).floor).toBe(500)
  await expect(
    reopened.claim([{ outpoint: outpoint(2), generation: 3, price: price(2) }], []),
  ).rejects.toThrow('was signed for a different price')
  await expect(reopened.claim([], [{ txid: hash(2), sats: 301 }])).rejects.toThrow(SpentRefusal)
  await reopened.claim(
    [],
    [
      { txid: hash(1), sats: 700 },
      { txid: hash(2), sats: 300 },
    ],
  )
  now += 86_400_000
  await reopened.claim([], [{ txid: hash(3), sats: 1000 }])
})

it('reads lines of other processes after a compaction', async () => {
  const [one, other, idle] = [open(), open(), open()]
  for (let floor = 1; floor <= 300; floor++) {
    const [writer, reader] = floor % 2 ? [one, other] : [other, one]
    await writer.raise([{ outpoint: outpoint(floor % 3), floor }])
    expect(reader.floorOf(outpoint(floor % 3)).floor).toBe(floor)
  }
  // This reader was idle during several compactions.
  expect([300, 298, 299].map((floor, n) => idle.floorOf(outpoint(n)).floor === floor)).toEqual([
    true,
    true,
    true,
  ])
  for (const reader of [other, idle]) expect(reader.journal.mark()).toEqual(one.journal.mark())
})

it('includes lines appended during a compaction', async () => {
  const memory = open()
  await raiseTo(memory, 1, 100)
  const before = journals().at(-2)!
  appendFileSync(join(folder, before), `floor ${outpoint(7)} 9\n`)
  for (const state of [memory, open()]) expect(state.floorOf(outpoint(7)).floor).toBe(9)
  expect(open().journal.mark()).toEqual(memory.journal.mark())
  // The next compaction copies the line as well.
  for (let floor = 101; floor <= 300; floor++) await memory.raise([{ outpoint: outpoint(1), floor }])
  expect(existsSync(join(folder, before))).toBe(false)
  expect(open().floorOf(outpoint(7)).floor).toBe(9)
})

it('rejects conflicting prices of a generation', async () => {
  const memory = open()
  for (const n of [1, 2]) appendFileSync(file, `leg ${outpoint(1)} 0 ${price(n)}\n`)
  await raiseTo(memory, 5, 200)
  for (const state of [memory, open()])
    for (const n of [1, 2])
      await expect(
        state.claim([{ outpoint: outpoint(1), generation: 0, price: price(n) }], []),
      ).rejects.toThrow(SignerRefusal)
})

it('throws if a file is missing', async () => {
  const memory = open()
  await raiseTo(memory, 1, 50)
  copyFileSync(file, join(folder, 'backup'))
  await raiseTo(memory, 2, 150)
  const seen = memory.journal.mark()
  const [before, newest] = journals()
    .filter((name) => name.startsWith('signer.journal'))
    .slice(-2)
  const bytes = readFileSync(join(folder, before!))
  rmSync(join(folder, before!))
  expect(() => open()).toThrow(JournalError)
  expect(() => memory.floorOf(outpoint(1)).floor).toThrow(JournalError)
  writeFileSync(join(folder, before!), bytes)
  expect(open().floorOf(outpoint(2)).floor).toBe(150)
  for (const name of [before!, newest!]) rmSync(join(folder, name))
  copyFileSync(join(folder, 'backup'), file)
  await expect(memory.raise([{ outpoint: outpoint(1), floor: 999 }])).rejects.toThrow(JournalError)
  const older = open()
  expect(() => assertCheckpoint(older.journal.mark(), seen)).toThrow('Restore the whole file')
})

/** Raises the floor step by step, and prints each floor once it is on disk. */
const RAISE = `
import { memoryIn } from ${JSON.stringify(new URL('./signer-state.ts', import.meta.url).href)}
const [file, outpoint, from] = process.argv.slice(1)
const memory = memoryIn(file, 1000, Date.now, ${SMALL})
for (let floor = Number(from); ; floor++) {
  await memory.raise([{ outpoint, floor }])
  process.stdout.write(floor + '\\n')
}`
const raised = (n: number, from: number) =>
  spawn(process.execPath, ['--input-type=module', '-e', RAISE, file, outpoint(n), String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

it('keeps every acknowledged minimum after a crash', async () => {
  const floors = [0, 0]
  let files = 0
  for (let round = 0; round < 8; round++) {
    const children = floors.map((floor, n) => {
      const child = raised(n, floor + 1)
      child.stdout.on('data', (chunk: Buffer) => {
        const last = chunk.toString().trimEnd().split('\n').at(-1)
        if (last) floors[n] = Math.max(floors[n]!, Number(last))
      })
      return child
    })
    const target = floors.map((floor) => floor + 40 + 17 * round)
    const deadline = Date.now() + 30_000
    while (floors.some((floor, n) => floor < target[n]!) && Date.now() < deadline)
      await new Promise((done) => setTimeout(done, 5))
    // Only the kill below ends them.
    expect(children.map((child) => child.exitCode)).toEqual([null, null])
    await Promise.all(
      children.map((child) => {
        const gone = new Promise((done) => child.once('close', done))
        child.kill('SIGKILL')
        return gone
      }),
    )
    const memory = open()
    for (const [n, floor] of floors.entries())
      expect(memory.floorOf(outpoint(n)).floor).toBeGreaterThanOrEqual(floor)
    files = Math.max(files, ...journals().map((name) => Number(/journal\.(\d+)$/.exec(name)?.[1] ?? 0)))
  }
  // The journal has switched files many times.
  expect(files).toBeGreaterThan(5)
}, 300_000)

it('keeps revoked orders for a day after expiry', async () => {
  const memory = open()
  const order = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  const day = 86_400_000
  const began = now
  await memory.revoke([{ id: order(1), expiresAt: began + 30 * day }])
  // The others expire within an hour, a hundred per day.
  for (let n = 1; n <= 1000; n++) {
    now = began + Math.floor((n * day) / 100)
    await memory.revoke([{ id: order(1000 + n), expiresAt: now + 3_600_000 }])
  }
  expect([order(1), order(2000)].map((id) => memory.isRevoked(id))).toEqual([true, true])
  for (const name of journals()) expect(statSync(join(folder, name)).size).toBeLessThan(8 * SMALL)
  const again = open()
  expect([order(1), order(2000), order(1001), order(1300)].map((id) => again.isRevoked(id))).toEqual([
    true,
    true,
    false,
    false,
  ])
  now = began
})
