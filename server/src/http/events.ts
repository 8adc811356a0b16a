import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { invalid, throttled, unavailable } from '../errors.ts'
import { clientKeyOf } from './client-key.ts'
import { findLatestPlace, isKept, type LiveEvent, listEventsAfter, type Place } from './event-queries.ts'

/**
 * `GET /events`: what happens, as server-sent events, for anybody. Each has an id; who comes back with the last one it saw
 * (`Last-Event-ID`, or `since`) is told everything after it, or `reset` where that is not known any more. One reader a
 * process asks the database, and only while somebody listens.
 */
const LOOK_MILLISECONDS = 400
const HEARTBEAT_MILLISECONDS = 20_000
const MOST_LISTENERS = 5000
const MOST_PER_CLIENT = 20
const ROWS = 1000
/** Bytes that one listener, and all together, may leave unread: a client that is disconnected comes back for the rest. */
const MOST_UNREAD = { ofOne: 1_000_000, inAll: 64_000_000 }

interface Listener {
  out: ServerResponse
  /** The client, as limits count it. */
  client: string
  /** Only events of one of these collections; null: all. */
  slugs: ReadonlySet<string> | null
  /** Events that came while it catches up; null where it has caught up. */
  waiting: LiveEvent[] | null
  /** What it was told of by then: nothing of that again. */
  told: Place
}

export function registerEvents(
  app: FastifyInstance,
  { reads, log }: Pick<Context, 'reads' | 'log'>,
  mostUnread = MOST_UNREAD,
): void {
  const listeners = new Set<Listener>()
  let place: Place | null = null
  let isLooking = false
  let heartbeat: NodeJS.Timeout | undefined
  /** Bytes since listeners were last looked at. */
  let written = 0

  const hangUp = (listener: Listener) => {
    listeners.delete(listener)
    // An end would wait for a client that does not read, and keep what it leaves unread.
    if (listener.out.writableLength > 0) listener.out.destroy()
    else listener.out.end()
    if (listeners.size > 0) return
    clearInterval(heartbeat)
    heartbeat = undefined
  }
  const send = (listener: Listener, text: string) => {
    if (listener.out.writableLength > mostUnread.ofOne) return hangUp(listener)
    written += text.length
    listener.out.write(text)
  }
  const tell = (listener: Listener, event: LiveEvent, text = textOf(event)) => {
    if (isBehind(event, listener.told) && isFor(listener, event)) send(listener, text)
  }
  /** Disconnects those with the most unread, where all together have too much. */
  const shed = () => {
    let unread = 0
    for (const { out } of listeners) unread += out.writableLength
    if (unread <= mostUnread.inAll) return
    log.warn(
      { unread, listeners: listeners.size },
      'clients of /events do not read: disconnecting the slowest',
    )
    for (const listener of [...listeners].toSorted((a, b) => b.out.writableLength - a.out.writableLength)) {
      if (unread <= mostUnread.inAll / 2) return
      unread -= listener.out.writableLength
      hangUp(listener)
    }
  }
  /** After so many bytes, lets connections take them and looks who does not. */
  const makeRoom = async () => {
    if (written < Math.min(mostUnread.inAll, mostUnread.ofOne * listeners.size) / 4) return
    written = 0
    await new Promise((done) => setImmediate(done))
    shed()
  }
  /** Runs while somebody listens, once. */
  const look = async () => {
    if (isLooking) return
    isLooking = true
    for (; listeners.size > 0; await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS)))
      try {
        const events: LiveEvent[] = await listEventsAfter(reads, place!, ROWS)
        place = events.at(-1) ?? place
        for (const event of events) {
          const text = textOf(event)
          for (const listener of listeners)
            if (listener.waiting) listener.waiting.push(event)
            else tell(listener, event, text)
          await makeRoom()
        }
      } catch (error) {
        log.warn({ err: error }, 'live events cannot be read now')
      }
    // What happens from now on nobody is told of by this loop: the next begins where it is then.
    place = null
    isLooking = false
  }

  app.get<{ Querystring: { collections?: string; since?: string } }>('/events', async (request, reply) => {
    const { query } = request
    const client = clientKeyOf(request)
    if (listeners.size >= MOST_LISTENERS)
      throw unavailable('server-busy', 'Too many listen here already: try again later')
    if ([...listeners].filter((each) => each.client === client).length >= MOST_PER_CLIENT)
      throw throttled('too-many-streams', `At most ${MOST_PER_CLIENT} connections for one address`, 60)
    const since = placeOf(String(request.headers['last-event-id'] ?? query.since ?? ''))
    const slugs = slugsOf(query.collections)
    const known = since === null || (await isKept(reads, since))
    const latest = place ?? (await findLatestPlace(reads))
    // From here to where it listens nothing is awaited: one that begins now misses nothing.
    place ??= latest
    const resumes = known && since !== null
    const from = resumes ? since : place
    const listener: Listener = { out: reply.raw, client, slugs, waiting: resumes ? [] : null, told: from }
    reply.hijack()
    listener.out.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-accel-buffering': 'no',
    })
    listener.out.write(`retry: 2000\nid: ${idOf(from)}\nevent: ${known ? 'hello' : 'reset'}\ndata: {}\n\n`)
    request.raw.once('close', () => hangUp(listener))
    // It listens before it catches up, so that no event falls between.
    listeners.add(listener)
    void look()
    heartbeat ??= setInterval(() => {
      for (const each of listeners) send(each, ': here\n\n')
    }, HEARTBEAT_MILLISECONDS)
    if (listener.out.destroyed) return hangUp(listener)
    if (!resumes) return
    try {
      await tellMissed(listener)
      for (const event of listener.waiting ?? []) tell(listener, event)
      listener.waiting = null
    } catch (error) {
      // It comes back, and is told then.
      log.warn({ err: error }, 'a listener cannot be told now')
      hangUp(listener)
    }
  })

  const tellMissed = async (listener: Listener): Promise<void> => {
    for (;;) {
      const missed = await listEventsAfter(reads, listener.told, ROWS)
      for (const event of missed) tell(listener, event)
      listener.told = missed.at(-1) ?? listener.told
      if (missed.length < ROWS || !listeners.has(listener)) return
      await makeRoom()
    }
  }
  app.addHook('preClose', async () => {
    for (const listener of listeners) hangUp(listener)
  })
}

const idOf = ({ transactionId, eventId }: Place) => `${transactionId}-${eventId}`

const isBehind = (a: Place, b: Place) =>
  BigInt(a.transactionId) > BigInt(b.transactionId) ||
  (a.transactionId === b.transactionId && BigInt(a.eventId) > BigInt(b.eventId))

const textOf = (event: LiveEvent) =>
  `id: ${idOf(event)}\nevent: ${event.kind}\ndata: ${JSON.stringify({ ...event.data, at: event.occurredAt.toISOString() })}\n\n`

function isFor({ slugs }: Listener, { data }: LiveEvent): boolean {
  const { collections } = data as { collections?: string[] }
  return slugs === null || collections === undefined || collections.some((slug) => slugs.has(slug))
}

/** Throws invalid. */
function placeOf(text: string): Place | null {
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
