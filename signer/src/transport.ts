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
 * Calls between the server and a process that holds a key, by name, over a link (link.ts). Both sides parse every message with its schema.
 * Each message carries the mark of the key holder's journal, so a holder whose journal was lost or replaced by an older copy signs nothing.
 */
const MAX_BYTES = 4 << 20

const Request = Exactly({ request: Type.Unknown(), seen: Type.Union([Mark, Type.Null()]) })
/** Refusals that the caller handles separately. */
const KINDS = { spent: SpentRefusal, revoked: RevokedRefusal }
const Refusal = Exactly({
  refusal: Type.String({ maxLength: 2000 }),
  kind: Type.Optional(Type.Union([Type.Literal('spent'), Type.Literal('revoked'), Type.Literal('standby')])),
})
const answerOf = <S extends TSchema>(result: S) =>
  Exactly({ result, mark: Mark, isPaired: Type.Optional(Type.Boolean()) })

/** The calls that a link serves, with their implementation. */
export interface Served {
  calls: Record<string, CallSchema>
  /** Implementation of each call by name: a function of the request, or a value. Functions validate their own argument. */
  api: object
  mark: () => Mark
  /** Set if this host belongs to a pair. */
  pair?: {
    /** Throws if this host may not sign now: StandbyError if the other host may. */
    assertActive(): void
    isPaired(): boolean
  }
  /** Called for each response. */
  onAnswer?(call: string, status: number): void
}

/** Serves calls. Returns 403 with the reason for a refusal, and 503 for a wrong journal or a standby host. */
export function serveCalls(link: Link, served: Served, log: Logger): Promise<Server> {
  return link.listen((incoming, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_BYTES) incoming.destroy()
    })
    incoming.once('error', () => response.destroy())
    incoming.once('end', async () => {
      const call = incoming.url!.slice(1)
      const [status, answer] = await answerTo(served, call, Buffer.concat(chunks).toString()).catch(
        (error: unknown) => {
          log.error({ err: error, call }, 'a call failed')
          return [500, { refusal: 'the signer failed; see its log' }] as const
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
  if (!Object.hasOwn(calls, call)) return [404, { refusal: `unknown call ${call}`.slice(0, 200) }]
  try {
    const { request, seen } = parse(Request, decode(body), 'the message')
    pair?.assertActive()
    if (seen) assertMark(mark(), seen)
    const asked = (api as Record<string, unknown>)[call]
    if (typeof asked !== 'function') parse(calls[call]!.request, request, 'the request')
    const result: unknown = typeof asked === 'function' ? await asked(request) : asked
    // The lease may have expired during the call. Without a lease, the signature must not leave this host.
    pair?.assertActive()
    return [200, { result: result ?? null, mark: mark(), ...(pair && { isPaired: pair.isPaired() }) }]
  } catch (error) {
    const refusal = error instanceof Error ? error.message.slice(0, 2000) : ''
    if (error instanceof SpentRefusal) return [403, { refusal, kind: 'spent' }]
    if (error instanceof RevokedRefusal) return [403, { refusal, kind: 'revoked' }]
    if (error instanceof SignerRefusal) return [403, { refusal }]
    if (error instanceof StandbyError) return [503, { refusal, kind: 'standby' }]
    if (error instanceof JournalError) return [503, { refusal }]
    // A malformed request, or terms that the kernel rejects: nothing was signed.
    if (isNonsense(error)) return [403, { refusal: `the request makes no sense: ${refusal}`.slice(0, 2000) }]
    throw error
  }
}

const isNonsense = (error: unknown) =>
  [TypeError, SyntaxError, RangeError, ParseError].some((kind) => error instanceof kind)

/** Builds the error that a call throws if the other process is unreachable or fails. */
export type Unreachable = (message: string, cause: unknown) => Error

/** Client of a link. */
export interface Calls {
  /** Throws SignerRefusal if the other side refuses. */
  ask<T>(call: string, request: unknown): Promise<T>
  mark(): Mark | null
  /** Whether the standby host has the whole journal, as of the last response; null without a pair. */
  isPaired(): boolean | null
}

/** `seen` is the last known mark of the other side's journal. */
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
        throw unreachable(`The ${who} returned an unexpected response`, cause)
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
 * Sends one call to a host with the same keys, without a retry, and returns the result. Throws JournalError if the two journals do not
 * belong together, other errors if the host does not respond.
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
 * Longest that a call waits for a restarting process. It must be shorter than the idle limit of a request's transaction. If the process was
 * away for longer already, calls fail after one attempt.
 */
const RESTART_MILLISECONDS = 7000
const PAUSE_MILLISECONDS = 100

/** Nothing listens, or the listening process ended. */
const AWAY = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']
/** The host hangs or is unreachable: try the other host, if there is one. */
const HANGS = ['ABORT_ERR', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']
/** Response timeout per host if there are several. */
const HOST_MILLISECONDS = 4000

/**
 * Retries while a process restarts, and switches to the next host if one is away or on standby. Retrying is safe: signing and revoking are
 * idempotent.
 */
function patientPost(link: Link): (call: string, message: string) => ReturnType<typeof post> {
  const links = [link, ...(link.others ?? [])]
  const away = links.length > 1 ? [...AWAY, ...HANGS] : AWAY
  const milliseconds = links.length > 1 ? HOST_MILLISECONDS : TIMEOUT_MILLISECONDS
  let awaySince: number | null = null
  /** Index of the link that responded last. */
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

/** Throws StandbyError if the response comes from a standby host. */
function assertSigns({ status, body }: { status: number; body: string }): void {
  if (status !== 503) return
  const { refusal, kind } = parse(Refusal, decode(body), 'the refusal')
  if (kind === 'standby') throw new StandbyError(refusal)
}

/** Posts a message and returns the response, whatever its status. */
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
        if (bytes > 4 * MAX_BYTES) sent.destroy(new Error('the answer is too large'))
      })
      response
        .once('end', () => done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
        .once('error', fail)
    })
    sent.once('error', fail)
    sent.end(payload)
  })
}
