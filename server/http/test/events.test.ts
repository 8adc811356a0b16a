import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { registerEvents } from '@ordbook/http/events/events.ts'
import { faultHandler } from '@ordbook/http/operations/fault-handler.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { setUpMarket, until } from '../../../e2e/support/market.ts'

/** Live events with small buffer limits. */
const market = setUpMarket({ ROLES: 'api,follower,jobs' })

async function serve(mostUnread: { ofOne: number; inAll: number }) {
  const { sql, log } = market.server.context
  const app = Fastify()
  app.setErrorHandler(faultHandler({ publicUrl: '' }))
  registerEvents(app, { sql, log }, async () => null, mostUnread)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}
const portOf = (app: FastifyInstance) => (app.server.address() as { port: number }).port
const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>((done, fail) =>
    app.server.getConnections((error, count) => (error ? fail(error) : done(count))),
  )

/** Subscribes to events. If `reads` is false, reads only the first chunk. */
async function listen(
  app: FastifyInstance,
  reads: boolean,
  since = '',
): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(portOf(app), '127.0.0.1')
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
    if (!reads) socket.pause()
  })
  socket.write(`GET /events${since && `?since=${since}`} HTTP/1.1\r\nhost: test\r\n\r\n`)
  await once(socket, 'data')
  return { socket, text: () => text }
}

/** Writes events of 100 kB each, to fill the socket buffers. */
const write = (count: number, mark: string) => market.sql`
  insert into live_events (kind, data)
  select 'block', jsonb_build_object('mark', ${mark}::text, 'filler', repeat('x', 100000)) from generate_series(1, ${count}::int)`

describe('reconnecting to /events', () => {
  it('a client receives missed events after a restart', async () => {
    const app = await serve({ ofOne: 3_000_000, inAll: 64_000_000 })
    const first = await listen(app, true)
    const [, id] = /^id: (.*)$/m.exec(first.text())!
    first.socket.destroy()
    await app.close()
    await write(1, 'missed')
    const restarted = await serve({ ofOne: 3_000_000, inAll: 64_000_000 })
    const resumed = await listen(restarted, true, id)
    await until('the missed event', async () => resumed.text().includes('"missed"'))
    await write(1, 'later')
    await until('the later event', async () => resumed.text().includes('"later"'))
    resumed.socket.destroy()
    await restarted.close()
  })
})

describe('subscribing to /events', () => {
  it('a client can open at most 20 streams', async () => {
    const app = await serve({ ofOne: 3_000_000, inAll: 64_000_000 })
    const streams = await Promise.all(Array.from({ length: 60 }, () => listen(app, false)))
    const statuses = streams.map(({ text }) => text().split(' ')[1])
    expect(statuses.filter((status) => status === '200')).toHaveLength(20)
    expect(statuses.filter((status) => status === '429')).toHaveLength(40)
    for (const { socket } of streams) socket.destroy()
    await app.close()
  })
})

describe('slow clients of /events', () => {
  it('a slow client does not delay other clients', async () => {
    const app = await serve({ ofOne: 3_000_000, inAll: 64_000_000 })
    const reader = await listen(app, true)
    const silent = [await listen(app, false), await listen(app, false)]
    expect(await connectionsOf(app)).toBe(3)
    // Two megabytes at a time, until the socket buffers are full.
    for (let n = 1; (await connectionsOf(app)) > 1; n++) {
      expect(n).toBeLessThan(30)
      await write(20, 'first')
      await until('all events', async () => reader.text().split('"first"').length === 20 * n + 1)
    }
    await write(1, 'last')
    await until('the last event', async () => reader.text().includes('"last"'))
    for (const { socket } of [...silent, reader]) socket.destroy()
    await app.close()
  })

  it('the slowest client is disconnected first', async () => {
    const app = await serve({ ofOne: 1_000_000_000, inAll: 4_000_000 })
    const silent = []
    for (let n = 0; n < 4; n++) silent.push(await listen(app, false))
    await write(150, 'second')
    await until('room', async () => (await connectionsOf(app)) < 4)
    for (const { socket } of silent) socket.destroy()
    await app.close()
  })
})
