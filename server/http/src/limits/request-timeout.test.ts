import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { beforeEach, expect, it } from 'vitest'
import { faultHandler } from '../operations/fault-handler.ts'
import { compressAnswers } from './compress.ts'
import { answerInTime } from './request-timeout.ts'

const TIMEOUT_MS = 50
const LATE_MS = 4 * TIMEOUT_MS
const LARGE = JSON.stringify({ text: 'a'.repeat(10_000) })

let lines: { msg: string; err?: { message: string } }[]
let app: ReturnType<typeof openApp>
const openApp = () => {
  const app = Fastify({
    loggerInstance: pino(
      { level: 'warn' },
      { write: (line: string) => lines.push(JSON.parse(line)) },
    ) as FastifyBaseLogger,
    disableRequestLogging: true,
  })
  app.setErrorHandler(faultHandler({ publicUrl: '' }))
  answerInTime(app, TIMEOUT_MS)
  compressAnswers(app)
  return app
}
beforeEach(() => {
  lines = []
  app = openApp()
  return () => app.close()
})

const get = async () => {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${url}/`, { headers: { 'accept-encoding': 'gzip' } })
  return { status: response.status, headers: response.headers, body: (await response.json()) as object }
}
const BUSY = { status: 503, body: { code: 'server-busy' } }

it('drops the result of a handler after the timeout', async () => {
  const handled = Promise.withResolvers<void>()
  app.get('/', async (_, reply) => {
    await sleep(LATE_MS)
    void reply.then(handled.resolve, handled.reject)
    return reply.type('application/json').send(LARGE)
  })
  expect(await get()).toMatchObject(BUSY)
  await handled.promise
  expect(lines.map(({ msg }) => msg)).toEqual(['request timed out'])
})

it('logs the error of a handler after the timeout', async () => {
  app.get('/', async () => {
    await sleep(LATE_MS)
    throw new Error('late')
  })
  expect(await get()).toMatchObject(BUSY)
  await expect
    .poll(() => lines.map(({ msg, err }) => [msg, err?.message]))
    .toEqual([
      ['request timed out', undefined],
      ['request failed after its timeout', 'late'],
    ])
})

it('sends a response that is compressed when the timeout ends', async () => {
  app.addHook('onSend', async () => {
    await sleep(LATE_MS)
  })
  app.get('/', async (_, reply) => reply.type('application/json').send(LARGE))
  const { status, headers, body } = await get()
  expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip'])
  expect(body).toEqual(JSON.parse(LARGE))
  expect(lines).toEqual([])
})

it('replaces a stream that has not started, without its headers', async () => {
  const stream = new Readable({ read() {} })
  app.get('/', (_, reply) => {
    reply.code(206).headers({
      'content-type': 'image/png',
      'content-encoding': 'gzip',
      'content-length': '10',
      'content-range': 'bytes 0-9/10',
      etag: '"a"',
    })
    return reply.send(stream)
  })
  const { headers, ...answer } = await get()
  expect(answer).toMatchObject(BUSY)
  for (const name of ['content-encoding', 'content-range', 'etag']) expect(headers.get(name)).toBeNull()
  await expect.poll(() => stream.destroyed).toBe(true)
})
