import { Gzip } from 'node:zlib'
import fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { compressAnswers } from './compress.ts'

it('compresses a body again after a failure', async () => {
  const app = fastify()
  const compress = vi.spyOn(Gzip.prototype, '_transform')
  onTestFinished(async () => {
    compress.mockRestore()
    await app.close()
  })
  compressAnswers(app)
  const body = Buffer.from('satoshi '.repeat(200))
  app.get('/', (_, reply) => reply.type('text/plain').send(body))
  const get = () => app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } })

  compress.mockImplementationOnce((_chunk, _encoding, done) => done(new Error('out of memory')))
  const [failed, compressed] = [await get(), await get()]
  expect([failed.statusCode, failed.headers['content-encoding']]).toEqual([500, undefined])
  expect([compressed.statusCode, compressed.headers['content-encoding']]).toEqual([200, 'gzip'])
})
