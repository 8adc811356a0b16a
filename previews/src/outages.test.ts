import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Outages } from './outages.ts'

it('Outages logs each failure reason once', () => {
  const lines: string[] = []
  const outages = new Outages(pino({}, { write: (line) => lines.push(JSON.parse(line).msg) }))
  const [first, second] = [{}, {}]
  outages.end(first)
  outages.begin(first, new Error('no room'))
  outages.begin(second, new Error('no room'))
  outages.begin(first, new Error('no room at 10:01'))
  expect(lines).toEqual(['a worker stopped, retrying: no room'])
  expect([outages.has(first), outages.has({})]).toEqual([true, false])
  outages.end(first)
  expect(lines).toHaveLength(1)
  outages.end(second)
  expect(lines.slice(1)).toEqual(['all workers recovered'])
  outages.begin(second, new Error('no room'))
  expect(lines).toHaveLength(3)
})
