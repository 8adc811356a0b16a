import { expect, it } from 'vitest'
import { type Part, supervise } from './supervise.ts'

/** A supervision, and the parts that it starts; `begin` holds each start until it resolves. */
function prepare(begin: (signal: AbortSignal) => Promise<void> = async () => {}) {
  const stopping = new AbortController()
  const parts: (Part & { end(): void; isStopped: boolean })[] = []
  const said: string[] = []
  const problems: string[] = []
  const start = async (signal: AbortSignal) => {
    await begin(signal)
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    const part = {
      ended,
      isStopped: false,
      end: () => resolve('code 1'),
      async stop() {
        part.isStopped = true
        resolve('stopped')
      },
    }
    parts.push(part)
    return part
  }
  const supervised = supervise('the part', start, {
    say: (text) => said.push(text),
    giveUp: (problem) => problems.push(problem),
    stopping: stopping.signal,
    firstPause: 1,
  })
  return { supervised, parts, said, problems, stopping }
}

it('restarts a part when it ends, and stops it', async () => {
  const { supervised, parts, said, stopping } = prepare()
  await supervised.started
  parts[0]!.end()
  await expect.poll(() => parts.length).toBe(2)
  stopping.abort()
  await supervised.stop()
  expect(parts.map(({ isStopped }) => isStopped)).toEqual([false, true])
  expect(said).toEqual(['the part ended (code 1): starting it again in 0.001 s', 'the part runs again'])
})

it('gives up on a part that keeps ending', async () => {
  const { supervised, parts, problems } = prepare()
  await supervised.started
  for (let n = 0; problems.length === 0; n++) {
    await expect.poll(() => parts.length > n || problems.length > 0).toBe(true)
    parts[n]?.end()
  }
  expect(problems).toEqual(['the part ended 9 times in a row (code 1): giving up'])
  expect(parts).toHaveLength(9)
})

it('aborts a start on shutdown', async () => {
  const { supervised, parts, stopping } = prepare(
    (signal) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('ended')))),
  )
  stopping.abort()
  await supervised.stop()
  await expect(supervised.started).rejects.toThrow('ended')
  expect(parts).toEqual([])
})

it('stops a part that ignores the signal during its start', async () => {
  let release = () => {}
  const { supervised, parts, stopping } = prepare(() => new Promise((done) => (release = done)))
  stopping.abort()
  const stopped = supervised.stop()
  release()
  await stopped
  expect(parts.map(({ isStopped }) => isStopped)).toEqual([true])
})
