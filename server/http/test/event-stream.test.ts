import { deleteOldEvents } from '@ordbook/http/events/event-queries.ts'
import { bid, buy } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'

/** The stream of live events: in order, once each, and from where a client left it. */
const market = setUpMarket()
let seller: TestTrader
let buyer: TestTrader
let origin: string
beforeAll(async () => {
  origin = market.server.url
  seller = await market.trader()
  buyer = await market.trader()
})

describe('live events', () => {
  /** Reads a stream until it has seen enough; gives its events. */
  async function listen(
    path: string,
    enough: (events: Heard[]) => boolean,
    headers: Record<string, string> = {},
  ) {
    const stop = new AbortController()
    const response = await fetch(`${origin}${path}`, { headers, signal: stop.signal })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const events: Heard[] = []
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
          if (enough(events)) return stop.abort()
        }
      }
    })().catch((error: Error) => {
      if (error.name !== 'AbortError') throw error
    })
    await until('the stream to begin', async () => events.length > 0)
    return { events, done }
  }
  interface Heard {
    id: string
    kind: string
    data: any
  }

  it('arrive once, in order, and resume after the last received event', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    // Sales of before may be told of still.
    const sold = (events: Heard[]) =>
      events.some(({ kind, data }) => kind === 'sale' && data.inscriptionId === ids[0])
    const stream = await listen('/events', sold)
    await listAll(market, seller, slug, [ids[0]!], 25_000)
    await bid(buyer, slug, {
      target: { kind: 'all' },
      priceSats: 10_000,
      coins: await coinsOf(market, buyer),
    })
    await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
    await market.mine()
    await stream.done
    const heard = stream.events.filter(({ data }) => data.collections?.includes(slug))
    expect(heard.map(({ kind, data }) => `${kind} ${data.state ?? ''}`.trim())).toEqual(
      expect.arrayContaining([
        'listing buyable',
        'floor',
        'collection_offer active',
        'listing hidden_locked',
        'listing sold',
        'sale',
      ]),
    )
    expect(new Set(stream.events.map((each) => each.id)).size).toBe(stream.events.length)
    expect(heard.find((each) => each.kind === 'sale')!.data).toMatchObject({
      inscriptionId: ids[0],
      priceSats: 25_000,
    })
    // A client cut off after the first of them gets the same rest.
    const [first, ...rest] = stream.events.slice(1)
    const again = await listen('/events', sold, { 'last-event-id': first!.id })
    await again.done
    expect(again.events[0]!.kind).toBe('hello')
    expect(again.events.slice(1)).toEqual(rest)
    // Only a collection's, by `collections`; from an unknown position, `reset` says to read all again.
    const other = await listen(`/events?collections=none&since=${first!.id}`, (events) => events.length > 0)
    await other.done
    await new Promise((done) => setTimeout(done, 600))
    expect(other.events.map((each) => each.kind)).toEqual(['hello'])
    await market.sql`update live_events set occurred_at = now() - interval '25 hours'`
    await deleteOldEvents(market.sql, new Date(), 5000)
    const lost = await listen('/events?since=1-1', (events) => events.length > 0)
    expect(lost.events[0]!.kind).toBe('reset')
    for (const bad of ['since=x', 'since=1', 'collections=A%20B', `since=${'9'.repeat(30)}-1`])
      expect((await fetch(`${origin}/events?${bad}`)).status, bad).toBe(400)
  })

  it('include a transaction that commits late', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const stream = await listen('/events', (events) => events.some(({ data }) => data.late))
    const isOurs = ({ data }: Heard) => data.late || data.collections?.includes(slug)
    // A writer began first and commits last: later events wait, and then all of them come.
    const told = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const late = market.sql.begin(async (tx) => {
      await tx`select publish('floor', '{"late": true}')`
      told.resolve()
      await held.promise
    })
    await told.promise
    await listAll(market, seller, slug, ids, 25_000)
    await new Promise((done) => setTimeout(done, 1000))
    expect(stream.events.filter(isOurs)).toEqual([])
    held.resolve()
    await late
    await stream.done
    const after = await listen(`/events?since=${stream.events[0]!.id}`, (events) =>
      events.some(({ kind, data }) => kind === 'listing' && data.collections.includes(slug)),
    )
    await after.done
    expect(after.events.find(isOurs)!.data.late).toBe(true)
  })
})
