import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { type Limits, limitsOf, type Passed, watchUsage } from './limits.ts'
import { usageOf, usageOfGroup } from './usage.ts'

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
    limits: { milliseconds: 60_000, clockMilliseconds: 60_000, bytes: 2 ** 40, ...limits },
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

it('limitsOf derives the wall-clock limit from the CPU limit', () => {
  expect(limitsOf(20, 900)).toEqual({ milliseconds: 20_000, clockMilliseconds: 60_000, bytes: 943_718_400 })
  expect(limitsOf(100, 900)).toMatchObject({ milliseconds: 100_000, clockMilliseconds: 110_000 })
})

it('watchUsage limits memory', async () => {
  const group = running('sleep 60')
  expect(await passedBy(group, { bytes: 1 })).toEqual({
    reason: 'the item used more than 0 MB of memory',
    isByClock: false,
  })
})

it('watchUsage checks the limits when the watch ends', () => {
  const used = { bytes: 0, milliseconds: 0 }
  const found: Passed[] = []
  const end = watchUsage('the item', () => ({ ...used }), {
    limits: { milliseconds: 100, clockMilliseconds: 60_000, bytes: 2 ** 40 },
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
    limits: { milliseconds: 100, clockMilliseconds: 60_000, bytes: 2 ** 40 },
    end: () => ended++,
  })
  await new Promise((done) => setTimeout(done, 250))
  end()
  expect(ended).toBe(0)
  const gone = spawn('true')
  await once(gone, 'exit')
  expect(usageOf([gone.pid!])).toEqual({ bytes: 0, milliseconds: 0 })
})
