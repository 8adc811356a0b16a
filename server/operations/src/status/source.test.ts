import { expect, it } from 'vitest'
import { Source } from './source.ts'

it('returns the last value while a source hangs, with one request until a timeout', async () => {
  let asked = 0
  let hangs = false
  const source = new Source(() => {
    asked++
    return hangs ? new Promise<number>(() => {}) : Promise.resolve(asked)
  })
  expect(await source.read()).toMatchObject({ value: 1, isUp: true })
  hangs = true
  // A single timeout is not an outage.
  expect(await source.read()).toMatchObject({ value: 1, isUp: true })
  for (let n = 0; n < 5; n++) await source.read()
  const reading = await source.read()
  expect(reading).toMatchObject({ value: 1, isUp: false })
  expect(reading.ageSeconds).toBeGreaterThan(3)
  // A read does not start another request while previous ones are pending.
  expect(asked).toBeLessThan(5)
  hangs = false
  while (!(await source.read()).isUp) expect(asked).toBeLessThan(6)
})

it('is down on the first failure, and up on the next response', async () => {
  let fails = false
  const source = new Source(() => (fails ? Promise.reject(new Error('gone')) : Promise.resolve('well')))
  await source.read()
  fails = true
  expect(await source.read()).toMatchObject({ value: 'well', isUp: false })
  fails = false
  expect(await source.read()).toMatchObject({ value: 'well', isUp: true })
})

it('has no value for a source that never responded', async () => {
  const source = new Source(() => Promise.reject(new Error('gone')))
  expect(await source.read()).toEqual({ value: null, ageSeconds: null, isUp: false })
})

it('waits longer for the first response', async () => {
  const source = new Source(() => new Promise((done) => setTimeout(() => done('late'), 1200)))
  expect(await source.read()).toMatchObject({ value: null, isUp: false })
  await source.settle()
  expect(await source.read()).toMatchObject({ value: 'late', isUp: true })
})

it('stops waiting for the first response of a hanging source', async () => {
  const source = new Source(() => new Promise(() => {}))
  await source.settle()
  expect(await source.read()).toMatchObject({ value: null, isUp: false })
})
