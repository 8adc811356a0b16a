import Fastify, { type FastifyReply } from 'fastify'
import { expect, it } from 'vitest'
import { answerUnknown } from '../src/operations/unknown.ts'

it.each([
  ['a page', '/collections', 200],
  ['no page', '/nothing', 404],
  ['another method', '/v1/listings', 405],
])('answers once and logs no warning: %s', async (_, url, status) => {
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void logged.push(line) } } })
  app.setErrorHandler((error: { kind: string }, _request, reply) =>
    reply.status(error.kind === 'missing' ? 404 : 405).send('refused'),
  )
  const page = async (reply: FastifyReply) => reply.type('text/html').send('<h1>Collections</h1>')
  answerUnknown(app, { base: '/v1', webBase: '/web/v1' }, (request, reply) =>
    request.url === '/collections' ? page(reply) : null,
  )
  const answer = await app.inject({ method: status === 405 ? 'PUT' : 'GET', url })
  expect(answer.statusCode).toBe(status)
  // A second reply would be logged after the first.
  await new Promise((done) => setTimeout(done, 20))
  expect(logged).toEqual([])
  await app.close()
})
