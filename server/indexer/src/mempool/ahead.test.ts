import { expect, it } from 'vitest'
import { ahead } from './mempool.ts'

it('requests the next value before it yields, and no more', async () => {
  const steps: string[] = []
  async function* values() {
    for (const n of [1, 2, 3]) {
      steps.push(`request ${n}`)
      yield n
    }
  }
  for await (const n of ahead(values())) steps.push(`read ${n}`)
  expect(steps).toEqual(['request 1', 'request 2', 'read 1', 'request 3', 'read 2', 'read 3'])
})

it('throws an error of the source after the values before it', async () => {
  const read: number[] = []
  async function* values() {
    yield 1
    throw new Error('the node is gone')
  }
  await expect(
    (async () => {
      for await (const n of ahead(values())) read.push(n)
    })(),
  ).rejects.toThrow('the node is gone')
  expect(read).toEqual([1])
})

it('closes the source if the reader ends early', async () => {
  let isClosed = false
  async function* values() {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      isClosed = true
    }
  }
  for await (const n of ahead(values())) if (n === 1) break
  expect(isClosed).toBe(true)
})
