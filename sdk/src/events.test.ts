import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { events } from './events.ts'

const block = (id: number, data = '{}') => `id: ${id}\nevent: sale\ndata: ${data}\n\n`

/** A server that answers each connection with the next of these texts, and ends it. Gives what it was asked. */
async function streaming(
  ...answers: { status?: number; headers?: Record<string, string>; parts: string[] }[]
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const answer = answers.shift()
    // The last connection stays open.
    if (!answer) return void response.writeHead(200).flushHeaders()
    response.writeHead(answer.status ?? 200, answer.headers)
    for (const part of answer.parts) response.write(part)
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { market: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Reads so many events, and leaves the stream. */
async function take(count: number, ...of: Parameters<typeof events>) {
  const taken = []
  for await (const { id, kind, data } of events(...of)) {
    taken.push([id, kind, data])
    if (taken.length === count) break
  }
  return taken
}

it('parses events split over chunks, and skips comments', async () => {
  const { market, asked } = await streaming({
    parts: [': here\n\nid: 1\nev', 'ent: floor\ndata: {"floorSats"', ':7}\n', '\n', block(2)],
  })
  expect(await take(2, market, { collections: ['lamps', 'knots'] })).toEqual([
    ['1', 'floor', { floorSats: 7 }],
    ['2', 'sale', {}],
  ])
  expect(asked).toEqual(['/events?collections=lamps%2Cknots'])
})

it('resumes after the last event when the stream ends or the market is busy', async () => {
  const { market, asked } = await streaming(
    { parts: [block(1), block(2)] },
    { status: 503, parts: ['{"error":"Busy","retryable":true}'] },
    { parts: [block(3)] },
  )
  expect((await take(3, market, { since: '0' })).map(([id]) => id)).toEqual(['1', '2', '3'])
  expect(asked).toEqual(['/events?since=0', '/events?since=2', '/events?since=2'])
})

it('throws an error that is not retryable', async () => {
  const { market } = await streaming({ status: 400, parts: ['{"error":"Wrong","retryable":false}'] })
  await expect(take(1, market)).rejects.toMatchObject({ status: 400, message: 'Wrong' })
})

it.each(['[]', 'null', '7', '{'])('rejects an event with the data %s', async (data) => {
  const { market } = await streaming({ parts: [block(1, data)] })
  await expect(take(1, market)).rejects.toThrow('other data than an object')
})

it('rejects an event without an end', async () => {
  const { market } = await streaming({ parts: ['id: 1\ndata: ', 'x'.repeat(1_000_001)] })
  await expect(take(1, market)).rejects.toThrow('an event without an end')
})

it('ends with its signal, also while waiting for an event', async () => {
  const { market } = await streaming({ parts: [block(1)] })
  const stop = new AbortController()
  const seen = []
  for await (const { id } of events(market, { signal: stop.signal })) {
    seen.push(id)
    setTimeout(() => stop.abort(), 1200)
  }
  expect(seen).toEqual(['1'])
})
