import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { expect, it, onTestFinished, vi } from 'vitest'
import { rateJob } from './fiat.ts'

/** Returns a job that polls `listener`, and a function that runs it until it has stored a response or throws. */
async function jobOf(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const begin = vi.fn(async (work: (tx: unknown) => unknown) => work(async () => []))
  const { port } = server.address() as AddressInfo
  const config = { fiatPerBtc: `http://127.0.0.1:${port}/`, fiatCurrency: 'USD' } as Config
  const run = rateJob({ begin } as unknown as Sql, { config, clock: () => new Date() })
  const runUntilPolled = async () => {
    while (begin.mock.calls.length === 0) {
      await run()
      await sleep(10)
    }
  }
  return { begin, run, runUntilPolled }
}

it('rateJob throws the error of a failed request until the next request', async () => {
  let requests = 0
  const { run, runUntilPolled } = await jobOf((_, reply) => {
    requests++
    reply.writeHead(500).end()
  })
  await expect(runUntilPolled()).rejects.toThrow('status 500')
  await expect(run()).rejects.toThrow('status 500')
  expect(requests, 'one poll a minute').toBe(1)
})

it('rateJob stores a rate again after a failed write', async () => {
  const { begin, run, runUntilPolled } = await jobOf((_, reply) => reply.end('{"USD": 90000}'))
  begin.mockRejectedValueOnce(new Error('no space left'))
  await expect(runUntilPolled()).rejects.toThrow('no space left')
  await run()
  expect(begin).toHaveBeenCalledTimes(2)
  await run()
  expect(begin).toHaveBeenCalledTimes(2)
})
