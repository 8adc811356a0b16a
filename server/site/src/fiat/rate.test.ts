import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { fetchRate } from './fetch-rate.ts'
import { afterPoll, isUsable, type KnownRate, rateIn } from './rate.ts'

const now = new Date('2026-11-28T12:00:00Z')
const HOUR = 3_600_000
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
const known = (perBtc: number, more: Partial<KnownRate> = {}): KnownRate => ({
  currency: 'USD',
  perBtc,
  at: ago(60_000),
  heldPerBtc: null,
  ...more,
})

it('rateIn reads the price and its time', () => {
  expect(rateIn('{"USD": 97000.5, "EUR": 1}', 'USD', now)).toEqual({ perBtc: 97000.5, at: now })
  const time = now.getTime() / 1000 - 60
  expect(rateIn(JSON.stringify({ time, USD: 1 }), 'USD', now).at).toEqual(ago(60_000))
  expect(rateIn(JSON.stringify({ time: time + 3600, USD: 1 }), 'USD', now).at).toEqual(now)
})

it.each([
  'oops',
  '',
  'null',
  '97000',
  '[97000]',
  '{}',
  '{"EUR": 97000}',
  '{"USD": "97000"}',
  '{"USD": 0}',
  '{"USD": -1}',
  '{"USD": 1e10}',
  '{"USD": 1e999}',
  '{"__proto__": {"USD": 97000}}',
  '{"USD": 97000, "time": "now"}',
  '{"USD": 97000, "time": -1}',
])('rateIn rejects %s', (text) => {
  expect(() => rateIn(text, 'USD', now)).toThrow('The rate source returned')
})

it('afterPoll holds a jump until a second poll confirms it', () => {
  const polled = (perBtc: number) => ({ perBtc, at: now })
  expect(afterPoll(null, 'USD', polled(90_000))).toMatchObject({ perBtc: 90_000, at: now, heldPerBtc: null })
  expect(afterPoll(known(100_000), 'USD', polled(81_000))).toMatchObject({ perBtc: 81_000, at: now })
  const held = afterPoll(known(100_000), 'USD', polled(79_000))
  expect(held).toEqual(known(100_000, { heldPerBtc: 79_000 }))
  expect(afterPoll(held, 'USD', polled(80_000))).toMatchObject({ perBtc: 80_000, at: now, heldPerBtc: null })
  expect(afterPoll(held, 'USD', polled(30_000))).toEqual(known(100_000, { heldPerBtc: 30_000 }))
  expect(afterPoll(held, 'USD', polled(99_000))).toMatchObject({ perBtc: 99_000, heldPerBtc: null })
})

it('afterPoll ignores a rate that is hidden or in another currency', () => {
  const polled = { perBtc: 10_000, at: now }
  const day = known(100_000, { at: ago(24 * HOUR + 1) })
  expect(isUsable(day, 'USD', now)).toBe(false)
  expect(afterPoll(day, 'USD', polled)).toMatchObject({ perBtc: 10_000 })
  expect(isUsable(known(100_000), 'EUR', now)).toBe(false)
  expect(afterPoll(known(100_000), 'EUR', polled)).toMatchObject({ perBtc: 10_000, currency: 'EUR' })
  expect(isUsable(known(100_000), 'USD', now)).toBe(true)
})

async function polledFrom(listener: RequestListener, deadline?: number) {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  try {
    return await fetchRate(`http://reader:secret@127.0.0.1:${port}/prices`, 'USD', () => now, deadline)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('fetchRate sends the password of the URL', async () => {
  const rate = await polledFrom((request, reply) =>
    reply.end(
      JSON.stringify({ USD: request.headers.authorization === 'Basic cmVhZGVyOnNlY3JldA==' ? 7 : 8 }),
    ),
  )
  expect(rate).toEqual({ perBtc: 7, at: now })
})

it.each<[string, RequestListener, RegExp]>([
  ['a redirect', (_, reply) => reply.writeHead(302, { location: '/prices' }).end(), /redirect|fetch failed/],
  ['an error', (_, reply) => reply.writeHead(500).end(), /status 500/],
  [
    'a large response',
    (_, reply) => reply.end(`{"USD": 1, "x": "${'x'.repeat(20_000)}"}`),
    /more than 16384/,
  ],
  ['no JSON', (_, reply) => reply.end('<html>'), /returned no JSON/],
])('fetchRate rejects %s, without the password', async (_, listener, reason) => {
  const error = await polledFrom(listener).then(
    () => null,
    (thrown: Error) => thrown,
  )
  expect(error?.message).toMatch(reason)
  expect(error?.message).toMatch(/^FIAT_PER_BTC: no rate from http:\/\/127\.0\.0\.1/)
  expect(error?.message).not.toContain('secret')
})

it('fetchRate has a deadline', async () => {
  await expect(polledFrom((_, reply) => void reply.write('{'), 100)).rejects.toThrow(/timeout|aborted/)
})
