import { deleteOldEvents } from '@ordbook/http/events/event-queries.ts'
import { bid, buy } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'

/** Order, delivery and resumption of live events. */
const market = setUpMarket()
let seller: TestTrader
let buyer: TestTrader
let origin: string
beforeAll(async () => {
  origin = market.server.url
  seller = await market.trader()
  buyer = await market.trader()
})

describe('GET /events', () => {
  /** Reads a stream until `isDone` returns true for its events. */
  async function listen(
    path: string,
    isDone: (events: StreamEvent[]) => boolean,
    headers: Record<string, string> = {},
  ) {
    const stop = new AbortController()
    const response = await fetch(`${origin}${path}`, { headers, signal: stop.signal })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const events: StreamEvent[] = []
    const done = (async () => {
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const fields = Object.fromEntries(
            text
              .slice(0, end)
              .split('\n')
              .filter((line) => /^\w/.test(line))
              .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
          )
          text = text.slice(end + 2)
          if (fields.event)
            events.push({ id: fields.id!, kind: fields.event, data: JSON.parse(fields.data!) })
          if (isDone(events)) return stop.abort()
        }
      }
    })().catch((error: Error) => {
      if (error.name !== 'AbortError') throw error
    })
    await until('the stream to begin', async () => events.length > 0)
    return { events, done }
  }
  interface StreamEvent {
    id: string
    kind: string
    data: any
  }

  it('resumes after Last-Event-ID', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    // The stream can include earlier sales, so look for this one.
    const hasSale = (events: StreamEvent[]) =>
      events.some(({ kind, data }) => kind === 'sale' && data.inscriptionId === ids[0])
    const stream = await listen('/events', hasSale)
    await listAll(market, seller, slug, [ids[0]!], 25_000)
    await bid(buyer, slug, {
      target: { kind: 'all' },
      priceSats: 10_000,
      coins: await coinsOf(market, buyer),
    })
    await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
    await market.mine()
    await stream.done
    const ofCollection = stream.events.filter(({ data }) => data.collections?.includes(slug))
    expect(ofCollection.map(({ kind, data }) => `${kind} ${data.state ?? ''}`.trim())).toEqual(
      expect.arrayContaining([
        'listing buyable',
        'floor',
        'collection_offer active',
        'listing hidden_locked',
        'listing sold',
        'sale',
      ]),
    )
    expect(new Set(stream.events.map(({ id }) => id)).size).toBe(stream.events.length)
    expect(ofCollection.find(({ kind }) => kind === 'sale')!.data).toMatchObject({
      inscriptionId: ids[0],
      priceSats: 25_000,
    })
    // A client that reconnects after the first event gets the same remaining events.
    const [first, ...remaining] = stream.events.slice(1)
    const resumed = await listen('/events', hasSale, { 'last-event-id': first!.id })
    await resumed.done
    expect(resumed.events[0]!.kind).toBe('hello')
    expect(resumed.events.slice(1)).toEqual(remaining)
    // `collections` filters events. For an unknown position, the stream starts with `reset`.
    const other = await listen(`/events?collections=none&since=${first!.id}`, (events) => events.length > 0)
    await other.done
    await new Promise((done) => setTimeout(done, 600))
    expect(other.events.map(({ kind }) => kind)).toEqual(['hello'])
    await market.sql`update live_events set occurred_at = now() - interval '25 hours'`
    await deleteOldEvents(market.sql, new Date(), 5000)
    const reset = await listen('/events?since=1-1', (events) => events.length > 0)
    expect(reset.events[0]!.kind).toBe('reset')
    for (const bad of [
      'since=x',
      'since=1',
      'since=1-1&since=1-1',
      'collections=A%20B',
      'collections=A%20B&collections=x',
      `since=${'9'.repeat(30)}-1`,
    ])
      expect((await fetch(`${origin}/events?${bad}`)).status, bad).toBe(400)
  })

  it('sends events of concurrent transactions in order', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const stream = await listen('/events', (events) => events.some(({ data }) => data.late))
    const isFromTest = ({ data }: StreamEvent) => data.late || data.collections?.includes(slug)
    // The transaction that starts first commits last. Later events wait for it.
    const published = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const lateTransaction = market.sql.begin(async (tx) => {
      await tx`select publish('floor', '{"late": true}')`
      published.resolve()
      await commit.promise
    })
    await published.promise
    await listAll(market, seller, slug, ids, 25_000)
    await new Promise((done) => setTimeout(done, 1000))
    expect(stream.events.filter(isFromTest)).toEqual([])
    commit.resolve()
    await lateTransaction
    await stream.done
    const after = await listen(`/events?since=${stream.events[0]!.id}`, (events) =>
      events.some(({ kind, data }) => kind === 'listing' && data.collections.includes(slug)),
    )
    await after.done
    expect(after.events.find(isFromTest)!.data.late).toBe(true)
  })
})
