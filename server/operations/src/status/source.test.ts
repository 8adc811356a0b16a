import { expect, it } from 'vitest'
import { Source } from './source.ts'

it('Source returns the last value while a request hangs', async () => {
  let requests = 0
  let hangs = false
  const source = new Source(() => {
    requests++
    return hangs ? new Promise<number>(() => {}) : Promise.resolve(requests)
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
  expect(requests).toBeLessThan(5)
  hangs = false
  while (!(await source.read()).isUp) expect(requests).toBeLessThan(6)
})

it('Source is down after a failure', async () => {
  let fails = false
  const source = new Source(() => (fails ? Promise.reject(new Error('gone')) : Promise.resolve('well')))
  await source.read()
  fails = true
  expect(await source.read()).toMatchObject({ value: 'well', isUp: false })
  fails = false
  expect(await source.read()).toMatchObject({ value: 'well', isUp: true })
})

it('Source has no value before the first response', async () => {
  const source = new Source(() => Promise.reject(new Error('gone')))
  expect(await source.read()).toEqual({ value: null, ageSeconds: null, isUp: false })
})

it('settle() waits for the first response', async () => {
  const source = new Source(() => new Promise((done) => setTimeout(() => done('late'), 1200)))
  expect(await source.read()).toMatchObject({ value: null, isUp: false })
  await source.settle()
  expect(await source.read()).toMatchObject({ value: 'late', isUp: true })
})

it('settle() times out', async () => {
  const source = new Source(() => new Promise(() => {}))
  await source.settle()
  expect(await source.read()).toMatchObject({ value: null, isUp: false })
})
