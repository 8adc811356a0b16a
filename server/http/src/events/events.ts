import type { ServerResponse } from 'node:http'
import type { BaseContext } from '@ordbook/db/context.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { invalid, throttled, unavailable } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientKeyOf } from '../limits/client-key.ts'
import { probeHalfClosed } from '../limits/connections.ts'
import {
  findLatestPosition,
  isKept,
  type LiveEvent,
  listEventsAfter,
  type Position,
} from './event-queries.ts'

const POLL_MILLISECONDS = 400
const HEARTBEAT = ': here\n\n'
const HEARTBEAT_MILLISECONDS = 20_000
const MAX_SUBSCRIBERS = 5000
const MAX_PER_CLIENT = 20
const ROWS = 1000
/** Maximum unread bytes per subscriber and in total. Disconnected clients can resume. */
const MAX_UNREAD = { ofOne: 1_000_000, inAll: 64_000_000 }

interface Subscriber {
  out: ServerResponse
  client: string
  /** Also receives this profile's private events. */
  profileId: string | null
  /** Collections to filter by; null for all. */
  slugs: ReadonlySet<string> | null
  /** Events queued while the subscriber catches up; null afterwards. */
  waiting: LiveEvent[] | null
  /** Position of the last sent event. */
  sent: Position
}

/**
 * Registers `GET /events`, a stream of server-sent events. Clients resume with `Last-Event-ID` or `since`,
 * and get `reset` if events were deleted in the meantime. The process polls the database once for all
 * subscribers. Private events are sent to streams of `profileOf`. Returns a function that reads the latest event id.
 */
export function registerEvents(
  app: FastifyInstance,
  { sql, log }: Pick<BaseContext, 'sql' | 'log'>,
  profileOf: (request: FastifyRequest) => Promise<string | null>,
  mostUnread = MAX_UNREAD,
): () => Promise<string> {
  const subscribers = new Subscribers(sql, log, mostUnread)
  app.get<{ Querystring: { collections?: unknown; since?: unknown } }>('/events', async (request, reply) => {
    const { query } = request
    const client = clientKeyOf(request)
    subscribers.refuseMore(client)
    const since = positionOf(String(request.headers['last-event-id'] ?? query.since ?? ''))
    const slugs = slugsOf(query.collections)
    const profileId = await profileOf(request)
    const known = since === null || (await isKept(sql, since))
    const latest = await subscribers.latest()
    // Do not await before `add`, which would miss events. Other clients may have subscribed since the first
    // check.
    subscribers.refuseMore(client)
    const start = subscribers.begin(latest)
    const resumes = known && since !== null
    const from = resumes ? since : start
    const subscriber: Subscriber = {
      out: reply.raw,
      client,
      profileId,
      slugs,
      waiting: resumes ? [] : null,
      sent: from,
    }
    reply.hijack()
    subscriber.out.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-accel-buffering': 'no',
    })
    subscriber.out.write(`retry: 2000\nid: ${idOf(from)}\nevent: ${known ? 'hello' : 'reset'}\ndata: {}\n\n`)
    reply.raw.once('close', () => subscribers.disconnect(subscriber))
    probeHalfClosed(reply.raw, () => subscriber.out.write(HEARTBEAT))
    subscribers.add(subscriber)
    if (subscriber.out.destroyed) return subscribers.disconnect(subscriber)
    if (resumes) await subscribers.catchUp(subscriber)
  })
  app.addHook('preClose', async () => subscribers.close())
  return async () => idOf(await subscribers.latest())
}

class Subscribers {
  private readonly all = new Set<Subscriber>()
  private readonly sql: Queryable
  private readonly log: BaseContext['log']
  private readonly mostUnread: typeof MAX_UNREAD
  private position: Position | null = null
  private isPolling = false
  private heartbeat: NodeJS.Timeout | undefined
  /** Bytes written since unread bytes were last checked. */
  private written = 0

  constructor(sql: Queryable, log: BaseContext['log'], mostUnread: typeof MAX_UNREAD) {
    this.sql = sql
    this.log = log
    this.mostUnread = mostUnread
  }

  /** Throws `unavailable` or `throttled` if this client cannot subscribe. */
  refuseMore(client: string): void {
    if (this.all.size >= MAX_SUBSCRIBERS)
      throw unavailable('server-busy', '/events has too many subscribers. Retry later.')
    if ([...this.all].filter((subscriber) => subscriber.client === client).length >= MAX_PER_CLIENT)
      throw throttled('too-many-streams', `At most ${MAX_PER_CLIENT} connections per address`, 60)
  }

  /**
   * Returns the position of the polling loop, or of the latest event if the loop is stopped. Valid until the
   * caller's next await.
   */
  async latest(): Promise<Position> {
    return this.position ?? (await findLatestPosition(this.sql))
  }

  /** Sets the start of a stopped loop. Returns the loop's position. */
  begin(latest: Position): Position {
    this.position ??= latest
    return this.position
  }

  /** Adds a subscriber. Call it before `catchUp`, so that no event is missed. */
  add(subscriber: Subscriber): void {
    this.all.add(subscriber)
    void this.poll()
    this.heartbeat ??= setInterval(() => {
      for (const subscriber of this.all) this.send(subscriber, HEARTBEAT)
    }, HEARTBEAT_MILLISECONDS)
  }

  disconnect(subscriber: Subscriber): void {
    this.all.delete(subscriber)
    // end() would keep unread data in memory.
    if (subscriber.out.writableLength > 0) subscriber.out.destroy()
    else subscriber.out.end()
    if (this.all.size > 0) return
    clearInterval(this.heartbeat)
    this.heartbeat = undefined
  }

  /** Sends missed events, then the events queued in the meantime. */
  async catchUp(subscriber: Subscriber): Promise<void> {
    try {
      for (;;) {
        const missed = await listEventsAfter(this.sql, subscriber.sent, ROWS)
        for (const event of missed) this.deliver(subscriber, event)
        subscriber.sent = missed.at(-1) ?? subscriber.sent
        if (missed.length < ROWS || !this.all.has(subscriber)) break
        await this.makeRoom()
      }
      for (const event of subscriber.waiting ?? []) this.deliver(subscriber, event)
      subscriber.waiting = null
    } catch (error) {
      this.log.warn({ err: error }, 'failed to send missed events, disconnecting a subscriber of /events')
      this.disconnect(subscriber)
    }
  }

  close(): void {
    for (const subscriber of this.all) this.disconnect(subscriber)
  }

  private send(subscriber: Subscriber, text: string): void {
    if (subscriber.out.writableLength > this.mostUnread.ofOne) this.disconnect(subscriber)
    else {
      this.written += text.length
      subscriber.out.write(text)
    }
  }

  private deliver(subscriber: Subscriber, event: LiveEvent, text = textOf(event)): void {
    if (isAfter(event, subscriber.sent) && isFor(subscriber, event)) this.send(subscriber, text)
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return
    this.isPolling = true
    for (; this.all.size > 0; await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS)))
      try {
        const events: LiveEvent[] = await listEventsAfter(this.sql, this.position!, ROWS)
        this.position = events.at(-1) ?? this.position
        for (const event of events) {
          const text = textOf(event)
          for (const subscriber of this.all)
            if (subscriber.waiting) subscriber.waiting.push(event)
            else this.deliver(subscriber, event, text)
          await this.makeRoom()
        }
      } catch (error) {
        this.log.warn({ err: error }, 'failed to read live events, retrying')
      }
    this.position = null
    this.isPolling = false
  }

  /** After many writes, lets sockets flush and disconnects slow subscribers. */
  private async makeRoom(): Promise<void> {
    const { inAll, ofOne } = this.mostUnread
    if (this.written < Math.min(inAll, ofOne * this.all.size) / 4) return
    this.written = 0
    await new Promise((done) => setImmediate(done))
    this.shed()
  }

  private shed(): void {
    const { inAll } = this.mostUnread
    let unread = 0
    for (const { out } of this.all) unread += out.writableLength
    if (unread <= inAll) return
    this.log.warn(
      { unread, subscribers: this.all.size },
      'too much unread data, disconnecting the slowest clients of /events',
    )
    const slowest = [...this.all].toSorted((a, b) => b.out.writableLength - a.out.writableLength)
    for (const subscriber of slowest) {
      if (unread <= inAll / 2) return
      unread -= subscriber.out.writableLength
      this.disconnect(subscriber)
    }
  }
}

const idOf = ({ transactionId, eventId }: Position) => `${transactionId}-${eventId}`

const isAfter = (a: Position, b: Position) =>
  BigInt(a.transactionId) > BigInt(b.transactionId) ||
  (a.transactionId === b.transactionId && BigInt(a.eventId) > BigInt(b.eventId))

const textOf = (event: LiveEvent) =>
  `id: ${idOf(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify({ ...event.data, at: event.occurredAt.toISOString() })}\n\n`

function isFor({ slugs, profileId }: Subscriber, event: LiveEvent): boolean {
  if (event.profileId !== null) return event.profileId === profileId
  const { data } = event
  const { collections } = data as { collections?: string[] }
  return slugs === null || collections === undefined || collections.some((slug) => slugs.has(slug))
}

/** Throws `invalid`. */
function positionOf(text: string): Position | null {
  if (text === '') return null
  const [, transactionId, eventId] = /^(\d{1,19})-(\d{1,19})$/.exec(text) ?? []
  if (!transactionId || !eventId || BigInt(eventId) > 9223372036854775807n)
    throw invalid('request-invalid', 'Last-Event-ID or since must be the id of an event of this stream.')
  return { transactionId, eventId }
}

/** Throws `invalid`. */
function slugsOf(text: unknown): ReadonlySet<string> | null {
  if (text === undefined) return null
  // A repeated parameter is a list.
  const slugs = String(text)
    .split(',')
    .map((slug) => slug.trim().toLowerCase())
  if (slugs.length > 100 || slugs.some((slug) => !/^[a-z0-9_-]{1,200}$/.test(slug)))
    throw invalid('request-invalid', 'collections must be at most 100 slugs, separated by commas.')
  return new Set(slugs)
}
