import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connect } from '@ordbook/db/driver/connect.ts'
import { LogThrottle } from '@ordbook/db/lease/loop.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { followChain, NO_CONSUMERS } from '@ordbook/indexer/follow.ts'
import { readNotifications } from '@ordbook/indexer/node/notifications.ts'
import type { Notifications } from '@ordbook/indexer/node/source.ts'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase, testConfig, until } from '../../../e2e/support/market.ts'
import { startNode } from '../../../e2e/support/node.ts'

const frame = (flags: number, body: Buffer | string) => {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from([flags, bytes.length]), bytes])
}
const greetingOf = (mechanism: string) =>
  Buffer.concat([
    Buffer.from('ff00000000000000007f0301', 'hex'),
    Buffer.from(mechanism.padEnd(20, '\0')),
    Buffer.alloc(32),
  ])
const GREETING = greetingOf('NULL')
const READY = frame(4, '\x05READY\x0bSocket-Type\0\0\0\x03PUB')
const HASH = Buffer.alloc(32, 7)
const message = (topic: string, body: Buffer) =>
  Buffer.concat([frame(1, topic), frame(1, body), frame(0, Buffer.alloc(4))])
const BLOCK = message('hashblock', HASH)
const sequence = (label: string) =>
  message('sequence', Buffer.concat([HASH, Buffer.from(label), Buffer.alloc(8)]))

const log = pino({ level: 'silent' })
const SOON = { retryMilliseconds: 5 }

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Starts a publisher. Returns its port, the number of connections, and what the last received. */
async function publish(start: (socket: Socket) => void) {
  const found = { port: 0, connections: 0, received: Buffer.alloc(0) }
  const server = createServer((socket) => {
    found.connections++
    found.received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      found.received = Buffer.concat([found.received, bytes])
    })
    start(socket)
  })
  found.port = await listen(server)
  return found
}

/** Reads what a node announces. Returns the changes that it was told of. */
function read(announced: (() => Notifications[]) | Notifications[], limits = {}) {
  const changes: string[] = []
  const stopping = new AbortController()
  const node = {
    host: '127.0.0.1:18443',
    notifications: async () => (typeof announced === 'function' ? announced() : announced),
  }
  const reading = readNotifications(
    {
      node,
      onChange: (what) => changes.push(what),
      log,
      throttle: new LogThrottle(log),
      limits: { ...SOON, ...limits },
    },
    stopping.signal,
  )
  onTestFinished(async () => {
    stopping.abort()
    await reading
  })
  return changes
}

const at = (port: number, ...topics: string[]): Notifications[] =>
  topics.map((topic) => ({ topic, address: `tcp://127.0.0.1:${port}` }))

it('subscribes to blocks and transactions and reports both', async () => {
  const publisher = await publish((socket) => {
    socket.write(GREETING)
    socket.write(READY)
    // One byte at a time, then all together.
    for (const byte of Buffer.concat([BLOCK, sequence('A')])) socket.write(Buffer.from([byte]))
    socket.write(
      Buffer.concat([sequence('R'), sequence('C'), message('other', HASH), message('hashtx', HASH)]),
    )
  })
  const changes = read(at(publisher.port, 'rawblock', 'hashblock', 'hashtx', 'sequence'))
  await until('all changes', async () => changes.length >= 5)
  expect(changes).toEqual(['block', 'transaction', 'transaction', 'block', 'transaction'])
  await until('the subscriptions', async () =>
    /READY.*Socket-Type.*SUB.*hashblock.*sequence$/s.test(publisher.received.toString('latin1')),
  )
})

it('reads each topic where it is published, at the host of the node', async () => {
  const blocks = await publish((socket) => void socket.write(Buffer.concat([GREETING, READY, BLOCK])))
  const transactions = await publish(
    (socket) => void socket.write(Buffer.concat([GREETING, READY, message('hashtx', HASH)])),
  )
  const changes = read([
    { topic: 'hashblock', address: `tcp://0.0.0.0:${blocks.port}` },
    { topic: 'hashtx', address: `tcp://*:${transactions.port}` },
  ])
  await until('both changes', async () => changes.length >= 2)
  expect(changes.toSorted()).toEqual(['block', 'transaction'])
})

it('ignores a node that publishes nothing, and addresses that are not TCP', async () => {
  let asked = 0
  const changes = read(() => {
    asked++
    return asked % 2 === 0 ? [] : [{ topic: 'hashblock', address: 'ipc:///tmp/node.sock' }]
  })
  await until('several questions', async () => asked > 3)
  expect(changes).toEqual([])
})

it('reconnects after the publisher closed, and asks the node again', async () => {
  const publisher = await publish((socket) => socket.end(Buffer.concat([GREETING, READY, BLOCK])))
  let asked = 0
  const changes = read(() => {
    asked++
    return at(publisher.port, 'hashblock')
  })
  await until('three connections', async () => changes.length >= 3)
  expect(publisher.connections).toBeGreaterThanOrEqual(3)
  expect(asked).toBeGreaterThanOrEqual(3)
})

it('reconnects to a publisher that is silent', async () => {
  const publisher = await publish((socket) => void socket.write(Buffer.concat([GREETING, READY])))
  const changes = read(at(publisher.port, 'hashblock'), { silentMilliseconds: 20 })
  await until('a second connection', async () => publisher.connections >= 2)
  expect(changes).toEqual([])
})

it('asks the node again if an address never answers', async () => {
  const port = await listenWithoutAnswer()
  let asked = 0
  read(
    () => {
      asked++
      return at(port, 'hashblock')
    },
    { silentMilliseconds: 20 },
  )
  await until('a third question', async () => asked >= 3)
})

/** Listens in a blocked thread, with a full backlog. The system ignores more connections, as a firewall does. */
async function listenWithoutAnswer(): Promise<number> {
  const blocked = new Worker(
    `const { createServer } = require('node:net')
    const { parentPort } = require('node:worker_threads')
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`,
    { eval: true },
  )
  onTestFinished(() => void blocked.terminate())
  const [port] = (await once(blocked, 'message')) as [number]
  for (let isFull = false; !isFull; ) {
    const socket = connectTo(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    isFull = await Promise.race([once(socket, 'connect').then(() => false), sleep(300, true)])
  }
  return port
}

const many = (bytes: Buffer, count: number) => Buffer.concat(Array<Buffer>(count).fill(bytes))

it.each<[string, (socket: Socket) => void]>([
  ['that speaks HTTP', (socket) => void socket.write(`HTTP/1.1 400 Bad Request\r\n\r\n${'x'.repeat(100)}`)],
  [
    'of an older version',
    (socket) =>
      void socket.write(Buffer.concat([Buffer.from('ff00000000000000007f01', 'hex'), Buffer.alloc(90)])),
  ],
  ['with authentication', (socket) => void socket.write(greetingOf('CURVE'))],
  [
    'that rejects the client',
    (socket) => void socket.write(Buffer.concat([GREETING, frame(4, '\x05ERROR\x02no')])),
  ],
  [
    'with a long frame',
    (socket) => void socket.write(Buffer.concat([GREETING, READY, Buffer.from([2, 0xff, 0xff, 0xff, 0xff])])),
  ],
  ['with unknown flags', (socket) => void socket.write(Buffer.concat([GREETING, READY, frame(8, 'x')]))],
  [
    'with an endless message',
    (socket) => void socket.write(Buffer.concat([GREETING, READY, many(frame(1, 'hashblock'), 99)])),
  ],
  [
    'with other topics',
    (socket) => socket.end(Buffer.concat([GREETING, READY, many(message('x', HASH), 99)])),
  ],
  ['with empty frames', (socket) => socket.end(Buffer.concat([GREETING, READY, many(frame(0, ''), 99)]))],
  [
    'that floods',
    (socket) => void socket.write(Buffer.concat([GREETING, READY, many(frame(4, 'x'.repeat(250)), 9)])),
  ],
])('disconnects from a publisher %s', async (_, start) => {
  let closed = 0
  const publisher = await publish((socket) => {
    socket.on('close', () => closed++)
    start(socket)
  })
  const changes = read(at(publisher.port, 'hashblock', 'sequence'), { bytesPerSecond: 2000 })
  await until('a second connection', async () => publisher.connections >= 2 && closed > 0)
  expect(changes).toEqual([])
})

it('a hostile publisher only causes polls', async () => {
  const node = await startNode('devnet')
  await node.regtest.mine(3)
  const calls: string[] = []
  const { origin, username, password } = new URL(node.url)
  let told = 0
  const publisher = await publish(async (socket) => {
    socket.write(Buffer.concat([GREETING, READY]))
    // Below the limit of bytes, so that the connection stays open.
    for (; told < 20_000 && !socket.destroyed; told += 2) {
      socket.write(Buffer.concat([BLOCK, sequence('A')]))
      if (told % 1000 === 0) await sleep(5)
    }
  })
  const proxy = createHttpServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request))
    calls.push(request.method === 'POST' ? body.toString() : request.url!)
    response.setHeader('content-type', 'application/json')
    if (body.includes('getzmqnotifications')) {
      const result = at(publisher.port, 'hashblock', 'sequence').map(({ topic, address }) => ({
        type: `pub${topic}`,
        address,
        hwm: 1,
      }))
      return response.end(JSON.stringify({ id: 0, result, error: null }))
    }
    const { method = 'GET', headers } = request
    const answer = await fetch(`${origin}${request.url}`, {
      method,
      headers: headers.authorization ? { authorization: headers.authorization } : {},
      ...(method === 'POST' ? { body } : {}),
    })
    response.statusCode = answer.status
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  const port = await listen(proxy)
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 1 })
  await migrate(sql)
  const config = testConfig({ tuning: { quietAfterMilliseconds: 0, quietPollMilliseconds: 3_600_000 } })
  const bitcoinRpcUrl = `http://${username}:${password}@127.0.0.1:${port}`
  const following = followChain(
    { config: { ...config, databaseUrl, bitcoinRpcUrl }, base: null },
    NO_CONSUMERS,
    () => {},
  )
  onTestFinished(async () => {
    await following.close()
    await sql.end()
    proxy.closeAllConnections()
    await node.stop()
  })
  await following.sync()
  await until('the whole flood', async () => told >= 20_000)
  const polls = calls.filter((call) => call.includes('getrawmempool')).length
  expect(polls).toBeGreaterThan(1)
  // Without a limit, nearly one per notification.
  expect(polls).toBeLessThan(told / 100)
  expect(calls.filter((call) => call.includes(HASH.toString('hex')))).toEqual([])
  const blocks = await sql`select height from blocks order by height`
  expect(blocks.map(({ height }) => height)).toEqual([0, 1, 2, 3])
})
