import { type Agent, type RequestOptions, request, type Server } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { type CallSchema, Exactly, ParseError, parse } from '@ordbook/process/parse.ts'
import type { Logger } from 'pino'
import { type Static, type TSchema, Type } from 'typebox'
import { assertCheckpoint, JournalError, Mark, StandbyError } from './checkpoint.ts'
import { type Link, TIMEOUT_MILLISECONDS } from './link.ts'
import { RevokedRefusal, SignerRefusal, SpentRefusal } from './requests.ts'
import { decode, encode } from './wire.ts'

/**
 * Calls between the server and a key process, over a link (link.ts). Both sides validate every message. Each message contains the
 * journal's mark (its name and number of lines), so a key process with a lost or old journal signs nothing.
 */
const MAX_BYTES = 4 << 20

const Request = Exactly({ request: Type.Unknown(), seen: Type.Union([Mark, Type.Null()]) })
/** Refusals that callers handle separately. */
const KINDS = { spent: SpentRefusal, revoked: RevokedRefusal }
const Refusal = Exactly({
  refusal: Type.String({ maxLength: 2000 }),
  kind: Type.Optional(Type.Union([Type.Literal('spent'), Type.Literal('revoked'), Type.Literal('standby')])),
})
const answerOf = <S extends TSchema>(result: S) =>
  Exactly({ result, mark: Mark, isPaired: Type.Optional(Type.Boolean()) })

export interface Served {
  calls: Record<string, CallSchema>
  /** Implementation of each call: a value, or a function that validates its argument. */
  api: object
  mark: () => Mark
  /** Set for a host of a pair. */
  pair?: {
    /** Throws if this host must not sign now; StandbyError if the other host can sign. */
    assertActive(): void
    isPaired(): boolean
  }
  onAnswer?(call: string, status: number): void
}

/** Serves calls. Returns 403 with the reason for a refusal, 503 for a wrong journal or a standby. */
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
          log.error({ err: error, call }, 'call failed')
          return [500, { refusal: 'The signer failed. See its log.' }] as const
        },
      )
      served.onAnswer?.(Object.hasOwn(served.calls, call) ? call : 'unknown', status)
      if ('refusal' in answer && !isOfStandby(answer)) log.warn({ call, status, ...answer }, 'rejected call')
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
    if (seen) assertCheckpoint(mark(), seen)
    const implementation = (api as Record<string, unknown>)[call]
    if (typeof implementation !== 'function') parse(calls[call]!.request, request, 'the request')
    const result: unknown =
      typeof implementation === 'function' ? await implementation(request) : implementation
    // If the lease expired during the call, the signature must not leave this host.
    pair?.assertActive()
    return [200, { result: result ?? null, mark: mark(), ...(pair && { isPaired: pair.isPaired() }) }]
  } catch (error) {
    const refusal = error instanceof Error ? error.message.slice(0, 2000) : ''
    if (error instanceof SpentRefusal) return [403, { refusal, kind: 'spent' }]
    if (error instanceof RevokedRefusal) return [403, { refusal, kind: 'revoked' }]
    if (error instanceof SignerRefusal) return [403, { refusal }]
    if (error instanceof StandbyError) return [503, { refusal, kind: 'standby' }]
    if (error instanceof JournalError) return [503, { refusal }]
    // Malformed request, or terms that the kernel rejects. Nothing was signed.
    if (isInvalidRequest(error)) return [403, { refusal: `invalid request: ${refusal}`.slice(0, 2000) }]
    throw error
  }
}

const isInvalidRequest = (error: unknown) =>
  [TypeError, SyntaxError, RangeError, ParseError].some((kind) => error instanceof kind)

export type Unreachable = (message: string, cause: unknown) => Error

export interface Calls {
  /** Sends a call. Throws SignerRefusal if the holder refuses. */
  ask<T>(call: string, request: unknown): Promise<T>
  mark(): Mark | null
  /** Whether the standby had the whole journal at the last response; null without a pair. */
  isPaired(): boolean | null
}

/** Connects to a holder. `seen` is the last known mark of its journal. */
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
      throw unreachable(`The ${who} is unavailable. Try again shortly.`, cause)
    })
    const read = <S extends TSchema>(schema: S, what: string) => {
      try {
        return parse(schema, decode(body), what)
      } catch (cause) {
        throw unreachable(`The ${who} returned an unexpected response.`, cause)
      }
    }
    if (status === 200) {
      const { result, mark, isPaired = null } = read(answerOf(schemas.answer), `the response to ${call}`)
      if (!seen || mark.lines > seen.lines) seen = mark
      lastPaired = isPaired
      return result as T
    }
    const { refusal, kind } = read(Refusal, 'the refusal')
    if (status === 403 && kind !== 'standby') throw new (kind ? KINDS[kind] : SignerRefusal)(refusal)
    const cause = status === 503 ? new JournalError(refusal) : new Error(refusal)
    throw unreachable(`The ${who} is not signing. Try again shortly.`, cause)
  }
  return { ask, mark: () => seen, isPaired: () => lastPaired }
}

/** Sends a call to one host, without retries. Throws JournalError if the journals conflict, other errors if the host does not respond. */
export async function requestOnce(
  link: Link,
  options: { call: string; schemas: CallSchema; request: unknown; milliseconds: number },
): Promise<unknown> {
  const { call, schemas, request, milliseconds } = options
  const { status, body } = await post(link, call, encode({ request, seen: null }), { milliseconds })
  if (status === 200) return parse(answerOf(schemas.answer), decode(body), `the response to ${call}`).result
  const { refusal, kind } = parse(Refusal, decode(body), 'the refusal')
  throw status === 503 && kind !== 'standby' ? new JournalError(refusal) : new StandbyError(refusal)
}

/**
 * Maximum wait for a restarting process, shorter than the idle limit of a request's transaction. Afterwards, calls fail after one attempt.
 */
const RESTART_MILLISECONDS = 7000
const PAUSE_MILLISECONDS = 100

/** The process is not running, or ended during the call. */
const AWAY = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE']
/** The host hangs or is unreachable. Try the other host. */
const HANGS = ['ABORT_ERR', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']
/** Response timeout per host, if there are several. */
const HOST_MILLISECONDS = 4000

/**
 * Retries while a process restarts, and switches hosts if one is unavailable or on standby. Retries are safe, because signing and revoking
 * are idempotent.
 */
function patientPost(link: Link): (call: string, message: string) => ReturnType<typeof post> {
  const links = [link, ...(link.others ?? [])]
  const away = links.length > 1 ? [...AWAY, ...HANGS] : AWAY
  const milliseconds = links.length > 1 ? HOST_MILLISECONDS : TIMEOUT_MILLISECONDS
  let awaySince: number | null = null
  /** Index of the link that last responded. */
  let at = 0
  return async (call, message) => {
    for (let tries = 1; ; tries++) {
      const current = at
      const since = performance.now()
      try {
        const response = await post(links[current]!, call, message, { milliseconds })
        assertSigns(response)
        awaySince = null
        return response
      } catch (error) {
        awaySince ??= since
        const isAway =
          error instanceof StandbyError || away.includes((error as NodeJS.ErrnoException).code ?? '')
        if (!isAway || performance.now() - awaySince > RESTART_MILLISECONDS) throw error
        if (at === current) at = (current + 1) % links.length
        if (tries % links.length === 0) await setTimeout(PAUSE_MILLISECONDS)
      }
    }
  }
}

/** Throws StandbyError for a response of a standby host. */
function assertSigns({ status, body }: { status: number; body: string }): void {
  if (status !== 503) return
  const { refusal, kind } = parse(Refusal, decode(body), 'the refusal')
  if (kind === 'standby') throw new StandbyError(refusal)
}

/** Posts a message and returns the response of any status. */
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
        if (bytes > 4 * MAX_BYTES) sent.destroy(new Error('the response is too large'))
      })
      response
        .once('end', () => done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
        .once('error', fail)
    })
    sent.once('error', fail)
    sent.end(payload)
  })
}
