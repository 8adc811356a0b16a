import { expect, it } from 'vitest'
import { Gate } from './gate.ts'

it('Gate rejects tasks when its queue is full', async () => {
  const gate = new Gate({ running: 2, waiting: 1 })
  let running = 0
  let highest = 0
  const ends: (() => void)[] = []
  const work = async () => {
    highest = Math.max(highest, ++running)
    await new Promise<void>((done) => ends.push(done))
    running--
    throw new Error('broken')
  }
  const all = Promise.allSettled([1, 2, 3].map(() => gate.run(work)))
  await expect(gate.run(work)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 })
  while (ends.length > 0 || running > 0) {
    ends.shift()?.()
    await new Promise((done) => setImmediate(done))
  }
  expect((await all).map((result) => result.status)).toEqual(Array(3).fill('rejected'))
  expect(highest).toBe(2)
  await expect(gate.run(async () => 'done')).resolves.toBe('done')
})
