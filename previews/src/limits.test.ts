import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { type Limits, limitsOf, type Passed, watchUsage } from './limits.ts'
import { processors } from './machine.ts'
import { usageOf, usageOfGroup } from './usage.ts'

const AMPLE: Limits = {
  milliseconds: 60_000,
  idleMilliseconds: 60_000,
  clockMilliseconds: 60_000,
  bytes: 2 ** 40,
}
const children: ReturnType<typeof spawn>[] = []
afterEach(() => {
  for (const child of children.splice(0)) process.kill(-child.pid!, 'SIGKILL')
})

/** Starts a script as the leader of a new process group. */
function running(script: string): number {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true })
  children.push(child)
  return child.pid!
}

/** Returns the first limit that a process group exceeds. */
async function passedBy(group: number, limits: Partial<Limits>): Promise<Passed> {
  const { promise, resolve } = Promise.withResolvers<Passed>()
  const end = watchUsage('the item', () => usageOfGroup(group), {
    limits: { ...AMPLE, ...limits },
    end: resolve,
  })
  return promise.finally(end)
}

it('watchUsage limits the total CPU time of a process group', async () => {
  const group = running('while :; do :; done & while :; do :; done & wait')
  expect(await passedBy(group, { milliseconds: 700 })).toEqual({
    reason: 'the item used more than 0.7 s of processor time',
    isByClock: false,
  })
})

it('watchUsage counts the CPU time of exited processes', async () => {
  const group = running('while :; do sh -c "n=0; while [ \\$n -lt 20000 ]; do n=\\$((n + 1)); done"; done')
  expect(await passedBy(group, { milliseconds: 700 })).toMatchObject({ isByClock: false })
})

it('watchUsage limits wall-clock time', async () => {
  const group = running('while :; do :; done')
  process.kill(group, 'SIGSTOP')
  expect(await passedBy(group, { milliseconds: 200, clockMilliseconds: 600 })).toEqual({
    reason: 'the item used more than 0.6 s',
    isByClock: true,
  })
})

it('watchUsage limits the time without waiting for a processor', async () => {
  const group = running('sleep 60')
  expect(await passedBy(group, { idleMilliseconds: 300 })).toEqual({
    reason: 'the item used more than 0.3 s without waiting for a processor',
    isByClock: true,
  })
})

it('watchUsage allows more time while processes wait for a processor', () => {
  const used = { bytes: 0, milliseconds: 0, waitingMilliseconds: 0 }
  const found: Passed[] = []
  vi.useFakeTimers()
  try {
    const end = watchUsage('the item', () => ({ ...used }), {
      limits: { ...AMPLE, idleMilliseconds: 1000, clockMilliseconds: 10_000 },
      end: (passed) => found.push(passed),
    })
    used.waitingMilliseconds = 8000
    vi.advanceTimersByTime(8900)
    expect(found).toEqual([])
    vi.advanceTimersByTime(200)
    expect(found[0]!.reason).toBe('the item used more than 1 s without waiting for a processor')
    found.length = 0
    used.waitingMilliseconds = 60_000
    vi.advanceTimersByTime(800)
    expect(found).toEqual([])
    vi.advanceTimersByTime(200)
    expect(found[0]).toEqual({ reason: 'the item used more than 10 s', isByClock: true })
    end()
  } finally {
    vi.useRealTimers()
  }
})

it('usageOf returns the time that a process waited for a processor', async () => {
  const busy = () => running(`exec taskset --cpu-list ${processors()[0]} sh -c 'while :; do :; done'`)
  const groups = [busy(), busy()]
  await vi.waitFor(
    () => {
      for (const group of groups) expect(usageOfGroup(group).waitingMilliseconds).toBeGreaterThan(100)
    },
    { timeout: 20_000 },
  )
})

it('limitsOf derives the wall-clock limits from the CPU limit', () => {
  expect(limitsOf(20, 900)).toEqual({
    milliseconds: 20_000,
    idleMilliseconds: 60_000,
    clockMilliseconds: 300_000,
    bytes: 943_718_400,
  })
})

it('watchUsage limits memory', async () => {
  const group = running('sleep 60')
  expect(await passedBy(group, { bytes: 1 })).toEqual({
    reason: 'the item used more than 0 MB of memory',
    isByClock: false,
  })
})

it('watchUsage checks the limits when the watch ends', () => {
  const used = { bytes: 0, milliseconds: 0, waitingMilliseconds: 0 }
  const found: Passed[] = []
  const end = watchUsage('the item', () => ({ ...used }), {
    limits: { ...AMPLE, milliseconds: 100 },
    end: (passed) => found.push(passed),
  })
  used.milliseconds = 101
  end()
  expect(found).toEqual([{ reason: 'the item used more than 0.1 s of processor time', isByClock: false }])
})

it('watchUsage ignores usage before its start', async () => {
  const own = usageOf([process.pid])
  expect(own.milliseconds).toBeGreaterThan(100)
  expect(own.bytes).toBeGreaterThan(2 ** 20)
  let ended = 0
  const end = watchUsage('the item', () => own, {
    limits: { ...AMPLE, milliseconds: 100 },
    end: () => ended++,
  })
  await new Promise((done) => setTimeout(done, 250))
  end()
  expect(ended).toBe(0)
  const gone = spawn('true')
  await once(gone, 'exit')
  expect(usageOf([gone.pid!])).toEqual({ bytes: 0, milliseconds: 0, waitingMilliseconds: 0 })
})
