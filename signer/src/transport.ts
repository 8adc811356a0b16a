import { type Agent, type RequestOptions, request, type Server } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { type CallSchema, Exactly, ParseError, parse } from '@ordbook/process/parse.ts'
import type { Logger } from 'pino'
import { type Static, type TSchema, Type } from 'typebox'
import { type Link, TIMEOUT_MILLISECONDS } from './link.ts'
import { assertMark, JournalError, Mark, StandbyError } from './mark.ts'
import { RevokedRefusal, SignerRefusal, SpentRefusal } from './requests.ts'
import { decode, encode } from './wire.ts'

/**
 * The calls between the server and a process that holds a key, by name, over a link (link.ts). Every message is parsed by its
 * schema, on both sides, and carries the mark of the holder's journal, so that a holder whose journal was lost or is an
 * older copy signs nothing.
 */
const MOST_BYTES = 4 << 20

const Request = Exactly({ request: Type.Unknown(), seen: Type.Union([Mark, Type.Null()]) })
/** The kinds of refusal that a caller tells apart. */
const KINDS = { spent: SpentRefusal, revoked: RevokedRefusal }
const Refusal = Exactly({
  refusal: Type.String({ maxLength: 2000 }),
  kind: Type.Optional(Type.Union([Type.Literal('spent'), Type.Literal('revoked'), Type.Literal('standby')])),
})
const answerOf = <S extends TSchema>(result: S) =>
  Exactly({ result, mark: Mark, isPaired: Type.Optional(Type.Boolean()) })

/** The calls that a link serves, and their implementation. */
export interface Served {
  calls: Record<string, CallSchema>
  /** By name of a call: a function of the request, or a value. Functions parse what they are given themselves. */
  api: object
  mark: () => Mark
  /** The pair of hosts to which this one belongs. */
  pair?: {
    /** Throws where this host may not answer now: StandbyError where another one may. */
    assertActive(): void
    isPaired(): boolean
  }
  /** Hears of each answer. */
  onAnswer?(call: string, status: number): void
}

/** Serves calls. Refusals answer 403 with their reason, a journal that is not the right one and a host that stands by 503. */
export function serveCalls(link: Link, served: Served, log: Logger): Promise<Server> {
  return link.listen((incoming, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_BYTES) incoming.destroy()
    })
    incoming.once('error', () => response.destroy())
    incoming.once('end', async () => {
      const call = incoming.url!.slice(1)
      const [status, answer] = await answerTo(served, call, Buffer.concat(chunks).toString()).catch(
        (error: unknown) => {
          log.error({ err: error, call }, 'a call failed')
          return [500, { refusal: 'the signer failed; its log says why' }] as const
        },
      )
      served.onAnswer?.(Object.hasOwn(served.calls, call) ? call : 'unknown', status)
      if ('refusal' in answer && !isOfStandby(answer)) log.warn({ call, status, ...answer }, 'refused')
      response.writeHead(status, { 'content-type': 'application/json' }).end(encode(answer))
    })
  }, log)
}

const isOfStandby = (answer: object) => 'kind' in answer && answer.kind === 'standby'

type Answer = { result: unknown; mark: Mark; isPaired?: boolean } | Static<typeof Refusal>

async function answerTo(
  { calls, api, mark, pair }: Served,
  call: string,
  body: string,
): Promise<readonly [number, Answer]> {
  if (!Object.hasOwn(calls, call)) return [404, { refusal: `nothing here answers to ${call}`.slice(0, 200) }]
  try {
    const { request, seen } = parse(Request, decode(body), 'the message')
    pair?.assertActive()
    if (seen) assertMark(mark(), seen)
    const asked = (api as Record<string, unknown>)[call]
    if (typeof asked !== 'function') parse(calls[call]!.request, request, 'the request')
    const result: unknown = typeof asked === 'function' ? await asked(request) : asked
    // The lease may have run out meanwhile: a signature that was made without one stays here.
    pair?.assertActive()
    return [200, { result: result ?? null, mark: mark(), ...(pair && { isPaired: pair.isPaired() }) }]
  } catch (error) {
    const refusal = error instanceof Error ? error.message.slice(0, 2000) : ''
    if (error instanceof SpentRefusal) return [403, { refusal, kind: 'spent' }]
    if (error instanceof RevokedRefusal) return [403, { refusal, kind: 'revoked' }]
    if (error instanceof SignerRefusal) return [403, { refusal }]
    if (error instanceof StandbyError) return [503, { refusal, kind: 'standby' }]
    if (error instanceof JournalError) return [503, { refusal }]
    // Not a request, or terms that the kernel breaks on: nothing was signed.
    if (isNonsense(error)) return [403, { refusal: `the request makes no sense: ${refusal}`.slice(0, 2000) }]
    throw error
  }
}

const isNonsense = (error: unknown) =>
  [TypeError, SyntaxError, RangeError, ParseError].some((kind) => error instanceof kind)

/** Makes the error that a call throws when the other process does not answer or does not hold the secret. */
export type Unreachable = (message: string, cause: unknown) => Error

/** Calls what is served on a link. */
export interface Calls {
  /** Throws SignerRefusal when the other side refuses. */
  ask<T>(call: string, request: unknown): Promise<T>
  mark(): Mark | null
  /** Whether another host stands by, as of the last answer; null where there is no pair. */
  isPaired(): boolean | null
}

/** `seen` is how far the journal of the other side was before. */
export function callsTo(
  link: Link,
  {
    who,
    calls,
    unreachable,
    seen: before,
  }: { who: string; calls: Record<string, CallSchema>; unreachable: Unreachable; seen: Mark | null },
): Calls {
  let seen = before
  let lastPaired: boolean | null = null
  const send = patientPost(link)
  const ask = async <T>(call: string, payload: unknown): Promise<T> => {
    const schemas = calls[call]!
    const message = encode({ request: payload, seen })
    const { status, body } = await send(call, message).catch((cause) => {
      throw unreachable(`The ${who} does not answer right now; try again shortly`, cause)
    })
    const read = <S extends TSchema>(schema: S, what: string) => {
      try {
        return parse(schema, decode(body), what)
      } catch (cause) {
        throw unreachable(`The ${who} answers in a way that this server does not understand`, cause)
      }
    }
    if (status === 200) {
      const { result, mark, isPaired = null } = read(answerOf(schemas.answer), `the answer to ${call}`)
      if (!seen || mark.lines > seen.lines) seen = mark
      lastPaired = isPaired
      return result as T
    }
    const { refusal, kind } = read(Refusal, 'the refusal')
    if (status === 403 && kind !== 'standby') throw new (kind ? KINDS[kind] : SignerRefusal)(refusal)
    const cause = status === 503 ? new JournalError(refusal) : new Error(refusal)
    throw unreachable(`The ${who} does not sign right now; try again shortly`, cause)
  }
  return { ask, mark: () => seen, isPaired: () => lastPaired }
}

/**
 * Asks once, of a host of the same keys; gives the result. Throws JournalError where the journals of the two do not belong together, other
 * errors where it does not answer.
 */
export async function askOnce(
  link: Link,
  asked: { call: string; schemas: CallSchema; request: unknown; milliseconds: number },
): Promise<unknown> {
  const { call, schemas, request, milliseconds } = asked
  const { status, body } = await post(link, call, encode({ request, seen: null }), { milliseconds })
  if (status === 200) return parse(answerOf(schemas.answer), decode(body), `the answer to ${call}`).result
  const { refusal, kind } = parse(Refusal, decode(body), 'the refusal')
  throw status === 503 && kind !== 'standby' ? new JournalError(refusal) : new StandbyError(refusal)
}

/**
 * Longest that calls wait for a process that restarts: less than the transaction of a request may rest. One that is away for longer is
 * not waited for.
 */
const RESTART_MILLISECONDS = 7000
const PAUSE_MILLISECONDS = 100

/** Nothing listens, or what listened has ended. */
const AWAY = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']
/** A host that hangs, or to which there is no way: another one is asked, if there is one. */
const HANGS = ['ABORT_ERR', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']
/** Longest that one of several hosts may take to answer, before another one is asked. */
const HOST_MILLISECONDS = 4000

/**
 * Sends messages again while a process restarts, and to the next host where one is away or stands by: to ask twice for a signature or a
 * revocation does what asking once does.
 */
function patientPost(link: Link): (call: string, message: string) => ReturnType<typeof post> {
  const links = [link, ...(link.others ?? [])]
  const away = links.length > 1 ? [...AWAY, ...HANGS] : AWAY
  const milliseconds = links.length > 1 ? HOST_MILLISECONDS : TIMEOUT_MILLISECONDS
  let awaySince: number | null = null
  /** The link that answered last. */
  let at = 0
  return async (call, message) => {
    for (let tries = 1; ; tries++) {
      const asked = at
      const since = performance.now()
      try {
        const answer = await post(links[asked]!, call, message, { milliseconds })
        assertSigns(answer)
        awaySince = null
        return answer
      } catch (error) {
        awaySince ??= since
        const isAway =
          error instanceof StandbyError || away.includes((error as NodeJS.ErrnoException).code ?? '')
        if (!isAway || performance.now() - awaySince > RESTART_MILLISECONDS) throw error
        if (at === asked) at = (asked + 1) % links.length
        if (tries % links.length === 0) await setTimeout(PAUSE_MILLISECONDS)
      }
    }
  }
}

/** Throws StandbyError where the answer comes from a host that stands by. */
function assertSigns({ status, body }: { status: number; body: string }): void {
  if (status !== 503) return
  const { refusal, kind } = parse(Refusal, decode(body), 'the refusal')
  if (kind === 'standby') throw new StandbyError(refusal)
}

/** Sends the text of a message as it is; gives what the other side answers. */
export function post(
  link: Link,
  call: string,
  payload: string,
  {
    agent = false,
    milliseconds = TIMEOUT_MILLISECONDS,
  }: { agent?: Agent | false; milliseconds?: number } = {},
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const options: RequestOptions = {
      ...link.toReach(),
      path: `/${call}`,
      method: 'POST',
      agent,
      signal: AbortSignal.timeout(milliseconds),
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
    }
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > 4 * MOST_BYTES) sent.destroy(new Error('the answer is too large'))
      })
      response
        .once('end', () => done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
        .once('error', fail)
    })
    sent.once('error', fail)
    sent.end(payload)
  })
}
