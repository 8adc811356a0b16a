import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JournalError, StandbyError } from '@ordbook/signer/checkpoint.ts'
import { makeJournal } from '@ordbook/signer/journal-files.ts'
import { RevokedRefusal } from '@ordbook/signer/requests.ts'
import { type Memory, memoryIn } from '@ordbook/signer/signer-state.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LEASE_MILLISECONDS, Pair } from './pair.ts'
import type { AppendRequest, Peer } from './pair-calls.ts'

/** Two hosts with the same keys, a simulated network and clock, and journals on disk. */
const SILENT = pino({ level: 'silent' })
const hash = (n: number) => n.toString(16).padStart(64, '0')
const price = (n: number) => n.toString(16).padStart(32, '0')
const COIN = `${hash(1)}:0`
const SMALL = 2048
let folder: string
let now: number
let one: HostOf
let two: HostOf

/** Network faults between the hosts. */
interface Fault {
  /** Calls fail in both directions. */
  isCut?: boolean
  /** Calls arrive, but their responses are lost. */
  isDeaf?: boolean
}

class HostOf {
  readonly name: string
  readonly file: string
  fault: Fault = {}
  memory!: Memory
  pair!: Pair
  other!: HostOf

  constructor(name: string) {
    this.name = name
    mkdirSync(join(folder, name))
    this.file = join(folder, name, 'signer.journal')
  }

  /** Starts or restarts the host. A restart loses its memory. */
  start(keys = hash(7)): void {
    this.memory = memoryIn(this.file, 1_000_000, () => now, SMALL)
    const reach = async <T>(call: (pair: Pair) => Promise<T>) => {
      if (this.fault.isCut) throw new Error('EHOSTUNREACH')
      return this.other.answer(call)
    }
    const peer: Peer = {
      append: (request) => reach((pair) => pair.append(request)),
      release: (request) => reach((pair) => pair.release(request)),
    }
    const clock = () => ({ steady: now, wall: now })
    this.pair = new Pair(
      this.memory.journal,
      { name: this.name, keys, setting: 'SIGNER_FORCE_TERM' },
      peer,
      SILENT,
      clock,
    )
  }

  private async answer<T>(call: (pair: Pair) => Promise<T>): Promise<T> {
    if (this.fault.isCut) throw new Error('ECONNREFUSED')
    const answer = await call(this.pair)
    if (this.fault.isDeaf) throw new Error('ECONNRESET')
    return answer
  }

  /** Runs a call from the market like the transport does. */
  async call<T>(task: (memory: Memory) => Promise<T> | T): Promise<T> {
    this.pair.assertActive()
    const result = await task(this.memory)
    this.pair.assertActive()
    return result
  }

  raise = (floor: number) => this.call((memory) => memory.raise([{ outpoint: COIN, floor }]))
  sign = (generation: number) =>
    this.call((memory) => memory.claim([{ outpoint: COIN, generation, price: price(generation + 1) }], []))
  lines = () => readFileSync(this.file, 'latin1').trimEnd().split('\n')
}

/** Advances the clock in steps of 100 ms. In each step, both hosts check their leases and send heartbeats. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    now += 100
    for (const { pair } of [one, two]) {
      pair.tick()
      await pair.beat()
    }
  }
}

const copyJournal = (from: HostOf, to: HostOf) => copyFileSync(from.file, to.file)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-pair-'))
  now = 1_700_000_000_000
  one = new HostOf('one')
  two = new HostOf('two')
  one.other = two
  two.other = one
  makeJournal(one.file)
  copyJournal(one, two)
  for (const host of [one, two]) host.start()
  one.pair.beginAlone(0)
  await pass(1000)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('replicates each line before responding', async () => {
  await one.raise(1)
  await one.sign(1)
  await one.sign(1)
  expect(two.lines()).toEqual([
    expect.stringMatching(/^ordbook journal /),
    'term 1 one alone',
    'term 1 one paired',
    `floor ${COIN} 1`,
    `leg ${COIN} 1 ${price(2)}`,
  ])
  expect(one.lines()).toEqual(two.lines())
  await expect(two.sign(1)).rejects.toThrow(StandbyError)
})

it('rejects revoked generations after a takeover', async () => {
  await one.sign(0)
  await one.raise(1)
  one.fault.isCut = true
  await pass(LEASE_MILLISECONDS + 200)
  await expect(two.sign(0)).rejects.toThrow(RevokedRefusal)
  await two.sign(1)
  expect(two.lines()).toContain('term 2 two alone')
})

it('signs on only one host after a pause', async () => {
  await one.raise(1)
  // The first host is paused, so its lease expires before the second host begins a term.
  one.fault.isCut = true
  const states: boolean[][] = []
  for (let passed = 0; passed <= LEASE_MILLISECONDS + 500; passed += 100) {
    now += 100
    two.pair.tick()
    const signs = ({ pair }: HostOf) => {
      try {
        pair.assertActive()
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(StandbyError)
        return false
      }
    }
    states.push([signs(one), signs(two)])
  }
  expect(states.some(([first, second]) => first && second)).toBe(false)
  expect(states.some(([first, second]) => !first && !second)).toBe(true)
  expect(states.at(-1)).toEqual([false, true])
  await two.raise(2)
  // After the pause, the first host catches up and becomes the standby.
  one.fault.isCut = false
  await expect(one.sign(1)).rejects.toThrow(StandbyError)
  await pass(600)
  expect(one.lines()).toEqual(two.lines())
  expect(one.lines().at(-1)).toBe('term 2 two paired')
  await two.sign(2)
  await expect(one.sign(2)).rejects.toThrow(StandbyError)
})

it('signs nothing without the other host', async () => {
  await one.raise(1)
  two.fault.isCut = true
  await expect(one.sign(1)).rejects.toThrow(StandbyError)
  now += LEASE_MILLISECONDS
  await expect(one.sign(1)).rejects.toThrow('start this host once with SIGNER_FORCE_TERM=1')
  one.start()
  await one.pair.beat()
  await expect(one.sign(1)).rejects.toThrow(StandbyError)
  one.pair.beginAlone(7)
  await expect(one.sign(1)).rejects.toThrow(StandbyError)
  one.pair.beginAlone(1)
  await one.sign(1)
  // The setting has no effect on later starts.
  one.start()
  one.pair.beginAlone(1)
  expect(one.lines().at(-2)).toBe('term 2 one alone')
  await one.sign(1)
  // The second host restarts with an old journal and must catch up before a takeover.
  two.start()
  one.fault.isCut = true
  await pass(2 * LEASE_MILLISECONDS)
  await expect(two.sign(1)).rejects.toThrow(StandbyError)
  for (const host of [one, two]) host.fault.isCut = false
  await pass(600)
  expect(two.lines()).toEqual(one.lines())
  expect(two.lines().at(-1)).toBe('term 2 one paired')
})

it('does not take over after a restart of the standby', async () => {
  await one.sign(0)
  two.start()
  one.fault.isCut = true
  now += 100_000
  two.pair.tick()
  await expect(two.sign(0)).rejects.toThrow(StandbyError)
  one.fault.isCut = false
  await pass(200)
  one.fault.isCut = true
  await pass(LEASE_MILLISECONDS + 200)
  await two.sign(0)
})

it('recovers a line after a crash of the active host', async () => {
  two.fault.isDeaf = true
  await expect(one.raise(3)).rejects.toThrow(StandbyError)
  expect(one.lines()).not.toContain(`floor ${COIN} 3`)
  expect(two.lines()).toContain(`floor ${COIN} 3`)
  one.start()
  two.fault = {}
  await pass(200)
  expect(one.lines()).toEqual(two.lines())
  await expect(one.sign(2)).rejects.toThrow(RevokedRefusal)
  await one.sign(3)
})

it('recovers a line after a failed write', async () => {
  const bytes = readFileSync(one.file)
  const { journal } = one.memory
  const write = journal.log.write.bind(journal.log)
  journal.log.write = () => {
    throw new Error('ENOSPC')
  }
  await expect(one.raise(2)).rejects.toThrow('ENOSPC')
  expect(readFileSync(one.file)).toEqual(bytes)
  journal.log.write = write
  await pass(200)
  expect(one.lines()).toEqual(two.lines())
  await expect(one.sign(1)).rejects.toThrow(RevokedRefusal)
})

it('hands over when a host stops', async () => {
  await one.raise(1)
  await one.pair.leave()
  await expect(one.sign(1)).rejects.toThrow(StandbyError)
  await two.sign(1)
  one.start()
  await pass(600)
  expect(one.lines().at(-1)).toBe('term 2 two paired')
  // When the standby stops, the active host continues alone and records it.
  await one.pair.leave()
  one.fault.isCut = true
  now += LEASE_MILLISECONDS
  await two.sign(2)
  expect(two.lines()).toContain('term 3 two alone')
  // The stopped host restarts with its old journal and begins no term.
  one.start()
  one.pair.tick()
  await expect(one.sign(2)).rejects.toThrow(StandbyError)
})

it('catches up across several files', async () => {
  two.fault.isCut = true
  one.start()
  one.pair.beginAlone(1)
  for (let floor = 1; floor <= 20; floor++) await one.raise(floor)
  two.fault.isCut = false
  await pass(300)
  for (let floor = 21; floor <= 60; floor++) await one.raise(floor)
  expect(two.memory.journal.log.position()).toEqual(one.memory.journal.log.position())
  two.start()
  expect(two.memory.journal.log.position()).toEqual(one.memory.journal.log.position())
  expect(two.memory.floorOf(COIN).floor).toBe(60)
})

it('removes a truncated line', async () => {
  await one.raise(1)
  for (const { file } of [one, two]) appendFileSync(file, `floor ${hash(9)}`)
  for (const host of [one, two]) host.start()
  await pass(200)
  await one.raise(2)
  expect(one.lines()).toEqual(two.lines())
  expect(one.lines().at(-1)).toBe(`floor ${COIN} 2`)
})

it('signs on neither host if the journals conflict', async () => {
  await one.raise(1)
  const text = readFileSync(two.file, 'latin1')
  writeFileSync(two.file, text.replace(`floor ${COIN} 1`, `floor ${COIN} 2`))
  for (const host of [one, two]) host.start()
  await pass(LEASE_MILLISECONDS * 2)
  await expect(one.sign(2)).rejects.toThrow(JournalError)
  await expect(two.sign(2)).rejects.toThrow(StandbyError)
  // The operator forced the same term on both hosts.
  copyJournal(one, two)
  for (const host of [one, two]) {
    host.start()
    host.pair.beginAlone(1)
  }
  await pass(200)
  for (const host of [one, two]) await expect(host.sign(2)).rejects.toThrow(/alone in term 2, so neither/)
})

it('rejects a host with other keys', async () => {
  const before = two.memory.journal.log.position()
  const request: AppendRequest = { host: 'one', keys: hash(7), term: 1, before, lines: [], end: before.lines }
  const append = (change: Partial<AppendRequest>) => two.pair.append({ ...request, ...change })
  expect(await append({})).toMatchObject({ isTaken: true, isGranted: true })
  await expect(append({ host: 'two' })).rejects.toThrow('both hosts have the name two')
  await expect(append({ keys: hash(8) })).rejects.toThrow('different keys')
  await expect(append({ before: { ...before, journal: hash(8) } })).rejects.toThrow('different journals')
  await expect(append({ host: 'three' })).rejects.toThrow(JournalError)
  // An old term, a forged head, a gap, and fewer lines than announced.
  expect(await append({ term: 0 })).toMatchObject({ isTaken: false, isGranted: false })
  expect(await append({ before: { ...before, head: hash(8) }, lines: [`floor ${COIN} 9`] })).toMatchObject({
    isTaken: false,
  })
  expect(await append({ before: { ...before, lines: before.lines + 1 } })).toMatchObject({ isTaken: false })
  expect(await append({ end: before.lines + 1 })).toMatchObject({ isTaken: true, isGranted: false })
  expect(two.memory.journal.log.position()).toEqual(before)
  const release = { host: 'one', keys: hash(7), term: 1, before: { ...before, head: hash(8) } }
  expect(await two.pair.release(release)).toBe(false)
})
