import { expect, it } from 'vitest'
import { type Part, supervise } from './supervise.ts'

/** Creates a supervision and a function that starts parts; `begin` delays each start until it resolves. */
function prepare(begin: (signal: AbortSignal) => Promise<void> = async () => {}) {
  const stopping = new AbortController()
  const parts: (Part & { end(): void; isStopped: boolean })[] = []
  const messages: string[] = []
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
    say: (text) => messages.push(text),
    giveUp: (problem) => problems.push(problem),
    stopping: stopping.signal,
    firstPause: 1,
  })
  return { supervised, parts, said: messages, problems, stopping }
}

it('supervise restarts a part that exits', async () => {
  const { supervised, parts, said, stopping } = prepare()
  await supervised.started
  parts[0]!.end()
  await expect.poll(() => parts.length).toBe(2)
  stopping.abort()
  await supervised.stop()
  expect(parts.map(({ isStopped }) => isStopped)).toEqual([false, true])
  expect(said).toEqual(['the part exited (code 1), restarting in 0.001 s', 'the part recovered'])
})

it('supervise gives up on a part that keeps exiting', async () => {
  const { supervised, parts, problems } = prepare()
  await supervised.started
  for (let n = 0; problems.length === 0; n++) {
    await expect.poll(() => parts.length > n || problems.length > 0).toBe(true)
    parts[n]?.end()
  }
  expect(problems).toEqual(['the part exited 9 times in a row (code 1), giving up'])
  expect(parts).toHaveLength(9)
})

it('supervise aborts a start on shutdown', async () => {
  const { supervised, parts, stopping } = prepare(
    (signal) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('ended')))),
  )
  stopping.abort()
  await supervised.stop()
  await expect(supervised.started).rejects.toThrow('ended')
  expect(parts).toEqual([])
})

it('supervise stops a part that ignores the abort signal', async () => {
  let release = () => {}
  const { supervised, parts, stopping } = prepare(() => new Promise((done) => (release = done)))
  stopping.abort()
  const stopped = supervised.stop()
  release()
  await stopped
  expect(parts.map(({ isStopped }) => isStopped)).toEqual([true])
})
