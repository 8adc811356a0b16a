import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { events } from './events.ts'

const block = (id: number, data = '{}') => `id: ${id}\nevent: sale\ndata: ${data}\n\n`

/** Serves the next response to each connection. Returns the requested paths. */
async function streaming(
  ...responses: { status?: number; headers?: Record<string, string>; parts: string[] }[]
) {
  const paths: string[] = []
  const market = await serving((request, response) => {
    paths.push(request.url!)
    const next = responses.shift()
    // The last connection stays open.
    if (!next) return void response.writeHead(200).flushHeaders()
    response.writeHead(next.status ?? 200, next.headers)
    for (const part of next.parts) response.write(part)
    response.end()
  })
  return { market, paths }
}

/** Starts a server and returns its address. Closes it after the test. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readEvents(count: number, ...of: Parameters<typeof events>) {
  const received = []
  for await (const { id, kind, data } of events(...of)) {
    received.push([id, kind, data])
    if (received.length === count) break
  }
  return received
}

it('parses events split over chunks', async () => {
  const { market, paths } = await streaming({
    parts: [': here\n\nid: 1\nev', 'ent: floor\ndata: {"floorSats"', ':7}\n', '\n', block(2)],
  })
  expect(await readEvents(2, market, { collections: ['lamps', 'knots'] })).toEqual([
    ['1', 'floor', { floorSats: 7 }],
    ['2', 'sale', {}],
  ])
  expect(paths).toEqual(['/events?collections=lamps%2Cknots'])
})

it('parses an event with other line separators in its data', async () => {
  const name = 'one\u2028two\u2029three'
  const { market } = await streaming({ parts: [block(1, JSON.stringify({ name }))] })
  expect(await readEvents(1, market, {})).toEqual([['1', 'sale', { name }]])
})

it('resumes after the last event', async () => {
  const { market, paths } = await streaming(
    { parts: [block(1), block(2)] },
    { status: 503, parts: ['{"error":"Busy","retryable":true}'] },
    { parts: [block(3)] },
  )
  expect((await readEvents(3, market, { since: '0' })).map(([id]) => id)).toEqual(['1', '2', '3'])
  expect(paths).toEqual(['/events?since=0', '/events?since=2', '/events?since=2'])
})

/** Advances the fake timers until a condition holds. Returns the elapsed milliseconds. */
async function advanceUntil(isDone: () => boolean): Promise<number> {
  for (let elapsed = 0; elapsed < 200_000; elapsed += 1000) {
    await new Promise((done) => setImmediate(done))
    if (isDone()) return elapsed
    await vi.advanceTimersByTimeAsync(1000)
  }
  return Infinity
}

it('waits at most a minute after a longer Retry-After', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { market, paths } = await streaming(
    { status: 503, headers: { 'retry-after': '9999999999' }, parts: ['{"retryable":true}'] },
    { parts: [block(1)] },
  )
  const received = readEvents(1, market)
  await vi.waitFor(() => expect(paths).toHaveLength(1), { interval: 5 })
  expect(await advanceUntil(() => paths.length > 1)).toBeGreaterThanOrEqual(59_000)
  expect(await received).toHaveLength(1)
})

it('reconnects if the market does not respond for a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let calls = 0
  const market = await serving((_request, response) => {
    if (++calls > 1) response.end(block(1))
  })
  const received = readEvents(1, market)
  await vi.waitFor(() => expect(calls).toBe(1), { interval: 5 })
  expect(await advanceUntil(() => calls > 1)).toBeGreaterThanOrEqual(59_000)
  expect(await received).toHaveLength(1)
})

it('ends an endless error response', { timeout: 10_000 }, async () => {
  const market = await serving((_request, response) => {
    response.writeHead(400)
    const write = (): void => {
      if (response.destroyed) return
      response.write('x'.repeat(1_000_000))
      setTimeout(write, 5)
    }
    write()
  })
  await expect(readEvents(1, market)).rejects.toMatchObject({ status: 400 })
})

it('throws an error that is not retryable', async () => {
  const { market } = await streaming({ status: 400, parts: ['{"error":"Wrong","retryable":false}'] })
  await expect(readEvents(1, market)).rejects.toMatchObject({ status: 400, message: 'Wrong' })
})

it.each(['[]', 'null', '7', '{'])('rejects an event with the data %s', async (data) => {
  const { market } = await streaming({ parts: [block(1, data)] })
  await expect(readEvents(1, market)).rejects.toThrow('data is not a JSON object')
})

it('rejects an oversized event', async () => {
  const { market } = await streaming({ parts: ['id: 1\ndata: ', 'x'.repeat(1_000_001)] })
  await expect(readEvents(1, market)).rejects.toThrow('exceeds the size limit')
})

it('ends when its signal aborts', async () => {
  const { market } = await streaming({ parts: [block(1)] })
  const stop = new AbortController()
  const seen = []
  for await (const { id } of events(market, { signal: stop.signal })) {
    seen.push(id)
    setTimeout(() => stop.abort(), 1200)
  }
  expect(seen).toEqual(['1'])
})
