import { expect, it } from 'vitest'
import { Pace } from './pace.ts'

const HOUR = 3_600_000
const never = new AbortController().signal

it('pauses briefly until nothing has changed for a while', async () => {
  const pace = new Pace({ active: 5, quiet: HOUR, quietAfter: HOUR })
  await pace.pause(never)
})

it('wake ends a quiet pause and shortens the next ones', async () => {
  const pace = new Pace({ active: 5, quiet: HOUR, quietAfter: 200 })
  const isOver = async () => {
    let over = false
    const paused = pace.pause(never).then(() => (over = true))
    await new Promise((done) => setTimeout(done, 100))
    return { over, paused }
  }
  await new Promise((done) => setTimeout(done, 300))
  const quiet = await isOver()
  expect(quiet.over).toBe(false)
  pace.wake()
  await quiet.paused
  expect((await isOver()).over).toBe(true)
})

it('a signal ends the pause', async () => {
  const pace = new Pace({ active: HOUR, quiet: HOUR, quietAfter: 0 })
  const stopping = new AbortController()
  const paused = pace.pause(stopping.signal)
  stopping.abort()
  await paused
})
