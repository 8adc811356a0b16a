import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@ordbook/sdk/index.ts'
import { rateJob } from '@ordbook/site/fiat/fiat.ts'
import { findRate, saveRate } from '@ordbook/site/fiat/rate-queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startMarket, type TestMarket, until } from '../../../e2e/support/market.ts'

let perBtc = 90_000
let requests = 0
const source = createServer((_, reply) => {
  requests++
  reply.end(JSON.stringify({ USD: perBtc }))
})
let market: TestMarket
beforeAll(async () => {
  await new Promise<void>((done) => source.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`
  market = await startMarket({ FIAT_PER_BTC: url })
})
afterAll(async () => {
  await market?.stop()
  source.close()
})

const fiat = async () => {
  const { fiat } = await new Client(`${market.server.url}/web/v1`).call('getMarket')
  return fiat
}

it('pages show the rate of the source', async () => {
  await until('the rate', async () => (await fiat()) !== null, 50)
  expect(await fiat()).toEqual({ currency: 'USD', perBtc: 90_000, at: expect.any(String) })
  expect(requests, 'one poll a minute').toBe(1)
})

it('the job stores what it polled in its next run', async () => {
  const { context } = market.server
  const run = rateJob(market.sql, context)
  const stored = async () => (await findRate(market.sql))?.perBtc
  perBtc = 95_000
  await run()
  expect(await stored()).toBe(90_000)
  await until('the response', async () => {
    await run()
    return (await stored()) === 95_000
  })
})

it('hides a rate that is older than a day', async () => {
  const known = (await findRate(market.sql))!
  await saveRate(market.sql, { ...known, at: new Date(Date.now() - 86_400_001) })
  await until('no rate', async () => (await fiat()) === null, 30)
})
