import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { invalid, throttled, unavailable } from '../errors.ts'
import { clientKeyOf } from './client-key.ts'
import {
  findLatestPosition,
  isKept,
  type LiveEvent,
  listEventsAfter,
  type Position,
} from './event-queries.ts'

/**
 * `GET /events`: live events as server-sent events, without a sign-in. Each has an id. A client that comes back with the last
 * one it saw (`Last-Event-ID`, or `since`) gets every event after it, or `reset` where some of these are deleted already. One
 * reader a process asks the database, and only while there are subscribers.
 */
const POLL_MILLISECONDS = 400
const HEARTBEAT_MILLISECONDS = 20_000
const MOST_SUBSCRIBERS = 5000
const MOST_PER_CLIENT = 20
const ROWS = 1000
/** Bytes that one subscriber, and all together, may leave unread: a disconnected client comes back for the rest. */
const MOST_UNREAD = { ofOne: 1_000_000, inAll: 64_000_000 }

interface Subscriber {
  out: ServerResponse
  /** The client, as limits count it. */
  client: string
  /** Only events of one of these collections; null: all. */
  slugs: ReadonlySet<string> | null
  /** Events that were published while it catches up; null once it has caught up. */
  waiting: LiveEvent[] | null
  /** Up to here it needs no event again. */
  sent: Position
}

export function registerEvents(
  app: FastifyInstance,
  { reads, log }: Pick<Context, 'reads' | 'log'>,
  mostUnread = MOST_UNREAD,
): void {
  const subscribers = new Set<Subscriber>()
  let position: Position | null = null
  let isPolling = false
  let heartbeat: NodeJS.Timeout | undefined
  /** Bytes written since the subscribers were last checked. */
  let written = 0

  const disconnect = (subscriber: Subscriber) => {
    subscribers.delete(subscriber)
    // An end would wait for a client that does not read, and keep what it leaves unread.
    if (subscriber.out.writableLength > 0) subscriber.out.destroy()
    else subscriber.out.end()
    if (subscribers.size > 0) return
    clearInterval(heartbeat)
    heartbeat = undefined
  }
  const send = (subscriber: Subscriber, text: string) => {
    if (subscriber.out.writableLength > mostUnread.ofOne) return disconnect(subscriber)
    written += text.length
    subscriber.out.write(text)
  }
  const deliver = (subscriber: Subscriber, event: LiveEvent, text = textOf(event)) => {
    if (isAfter(event, subscriber.sent) && isFor(subscriber, event)) send(subscriber, text)
  }
  /** Disconnects the subscribers with the most unread bytes when all together have too many. */
  const shed = () => {
    let unread = 0
    for (const { out } of subscribers) unread += out.writableLength
    if (unread <= mostUnread.inAll) return
    log.warn(
      { unread, subscribers: subscribers.size },
      'clients of /events do not read: disconnecting the slowest',
    )
    for (const subscriber of [...subscribers].toSorted(
      (a, b) => b.out.writableLength - a.out.writableLength,
    )) {
      if (unread <= mostUnread.inAll / 2) return
      unread -= subscriber.out.writableLength
      disconnect(subscriber)
    }
  }
  /** After many bytes, lets the connections send them, and disconnects the subscribers that do not read. */
  const makeRoom = async () => {
    if (written < Math.min(mostUnread.inAll, mostUnread.ofOne * subscribers.size) / 4) return
    written = 0
    await new Promise((done) => setImmediate(done))
    shed()
  }
  /** Polls while there are subscribers; one loop a process. */
  const poll = async () => {
    if (isPolling) return
    isPolling = true
    for (; subscribers.size > 0; await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS)))
      try {
        const events: LiveEvent[] = await listEventsAfter(reads, position!, ROWS)
        position = events.at(-1) ?? position
        for (const event of events) {
          const text = textOf(event)
          for (const subscriber of subscribers)
            if (subscriber.waiting) subscriber.waiting.push(event)
            else deliver(subscriber, event, text)
          await makeRoom()
        }
      } catch (error) {
        log.warn({ err: error }, 'live events cannot be read now')
      }
    // The next loop begins at the latest event of its time.
    position = null
    isPolling = false
  }

  app.get<{ Querystring: { collections?: string; since?: string } }>('/events', async (request, reply) => {
    const { query } = request
    const client = clientKeyOf(request)
    if (subscribers.size >= MOST_SUBSCRIBERS)
      throw unavailable('server-busy', 'Too many clients subscribe to /events already: try again later')
    if ([...subscribers].filter((each) => each.client === client).length >= MOST_PER_CLIENT)
      throw throttled('too-many-streams', `At most ${MOST_PER_CLIENT} connections for one address`, 60)
    const since = positionOf(String(request.headers['last-event-id'] ?? query.since ?? ''))
    const slugs = slugsOf(query.collections)
    const known = since === null || (await isKept(reads, since))
    const latest = position ?? (await findLatestPosition(reads))
    // Nothing is awaited from here until it subscribes, so it misses no event.
    position ??= latest
    const resumes = known && since !== null
    const from = resumes ? since : position
    const subscriber: Subscriber = { out: reply.raw, client, slugs, waiting: resumes ? [] : null, sent: from }
    reply.hijack()
    subscriber.out.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-accel-buffering': 'no',
    })
    subscriber.out.write(`retry: 2000\nid: ${idOf(from)}\nevent: ${known ? 'hello' : 'reset'}\ndata: {}\n\n`)
    request.raw.once('close', () => disconnect(subscriber))
    // It subscribes before it catches up, so that no event falls between.
    subscribers.add(subscriber)
    void poll()
    heartbeat ??= setInterval(() => {
      for (const each of subscribers) send(each, ': here\n\n')
    }, HEARTBEAT_MILLISECONDS)
    if (subscriber.out.destroyed) return disconnect(subscriber)
    if (!resumes) return
    try {
      await catchUp(subscriber)
      for (const event of subscriber.waiting ?? []) deliver(subscriber, event)
      subscriber.waiting = null
    } catch (error) {
      // The client connects again and catches up then.
      log.warn({ err: error }, 'a subscriber of /events cannot catch up now')
      disconnect(subscriber)
    }
  })

  const catchUp = async (subscriber: Subscriber): Promise<void> => {
    for (;;) {
      const missed = await listEventsAfter(reads, subscriber.sent, ROWS)
      for (const event of missed) deliver(subscriber, event)
      subscriber.sent = missed.at(-1) ?? subscriber.sent
      if (missed.length < ROWS || !subscribers.has(subscriber)) return
      await makeRoom()
    }
  }
  app.addHook('preClose', async () => {
    for (const subscriber of subscribers) disconnect(subscriber)
  })
}

const idOf = ({ transactionId, eventId }: Position) => `${transactionId}-${eventId}`

const isAfter = (a: Position, b: Position) =>
  BigInt(a.transactionId) > BigInt(b.transactionId) ||
  (a.transactionId === b.transactionId && BigInt(a.eventId) > BigInt(b.eventId))

const textOf = (event: LiveEvent) =>
  `id: ${idOf(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify({ ...event.data, at: event.occurredAt.toISOString() })}\n\n`

function isFor({ slugs }: Subscriber, { data }: LiveEvent): boolean {
  const { collections } = data as { collections?: string[] }
  return slugs === null || collections === undefined || collections.some((slug) => slugs.has(slug))
}

/** Throws invalid. */
function positionOf(text: string): Position | null {
  if (text === '') return null
  const [, transactionId, eventId] = /^(\d{1,19})-(\d{1,19})$/.exec(text) ?? []
  if (!transactionId || !eventId || BigInt(eventId) > 9223372036854775807n)
    throw invalid('request-invalid', 'Last-Event-ID, or since, must be the id of an event of this stream')
  return { transactionId, eventId }
}

/** Throws invalid. */
function slugsOf(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null
  const slugs = text.split(',').map((slug) => slug.trim().toLowerCase())
  if (slugs.length > 100 || slugs.some((slug) => !/^[a-z0-9_-]{1,200}$/.test(slug)))
    throw invalid('request-invalid', 'collections must be at most 100 slugs, separated by commas')
  return new Set(slugs)
}
