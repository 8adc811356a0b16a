import { expect, it } from 'vitest'
import { Flights } from './in-flight.ts'

const flights = () => new Flights({ answers: 20, bytes: 100 })

it('counts a response by its size once that is known', () => {
  const limit = flights()
  const begun = Array.from({ length: 20 }, () => limit.begin('client', 0))
  for (const flight of begun) flight.resize(5)
  expect(() => limit.begin('client', 0)).toThrow(/Too much content is in transit/)
  for (const { end } of begun) end()
  limit.begin('client', 100)
})

it('limits the bytes of a client, before and after loading', () => {
  const limit = flights()
  const first = limit.begin('client', 60)
  const second = limit.begin('client', 0)
  expect(() => second.resize(41)).toThrow(/Too much content is in transit/)
  expect(() => limit.begin('client', 41)).toThrow(/Too much content is in transit/)
  limit.begin('another client', 41)
  second.end()
  limit.begin('client', 40)
  first.end()
  limit.begin('client', 60)
})

it('allows any size for the only response of a client', () => {
  const limit = flights()
  const only = limit.begin('client', 0)
  only.resize(1000)
  expect(() => limit.begin('client', 1)).toThrow(/Too much content is in transit/)
  only.end()
  limit.begin('client', 1000)
})
