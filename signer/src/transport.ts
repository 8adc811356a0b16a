import { chmodSync, rmSync } from 'node:fs'
import { type Agent, createServer, type RequestOptions, request, type Server } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import type { Logger } from 'pino'
import { type Static, type TSchema, Type } from 'typebox'
import { assertMark, JournalError, Mark } from './mark.ts'
import { type CallSchema, Exactly, ParseError, parse } from './parse.ts'
import { RevokedRefusal, SignerRefusal, SpentRefusal } from './requests.ts'
import { decode, encode } from './wire.ts'

/**
 * The way between the server and a process that holds a key: calls by name over a local socket. Both sides prove themselves by
 * TLS with a shared key, and talk to no other. Every message is parsed by its
 * schema, on both sides, and carries the mark of the holder's journal, so that a holder whose journal was lost or is an
 * older copy signs nothing.
 */
const PSK = {
  identity: 'ordbook',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-CHACHA20-POLY1305',
  // Pre-shared keys are a matter of TLS 1.2 in Node.
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

/** Longest that a signature may take. */
const TIMEOUT_MILLISECONDS = 15_000
const MOST_BYTES = 4 << 20

const Request = Exactly({ request: Type.Unknown(), seen: Type.Union([Mark, Type.Null()]) })
/** The kinds of refusal that a caller tells apart. */
const KINDS = { spent: SpentRefusal, revoked: RevokedRefusal }
const Refusal = Exactly({
  refusal: Type.String({ maxLength: 2000 }),
  kind: Type.Optional(Type.Union([Type.Literal('spent'), Type.Literal('revoked')])),
})
const answerOf = <S extends TSchema>(result: S) => Exactly({ result, mark: Mark })

/** The calls that a socket serves, and their implementation. */
export interface Served {
  calls: Record<string, CallSchema>
  /** By name of a call: a function of the request, or a value. Functions parse what they are given themselves. */
  api: object
  mark: () => Mark
}

/** Serves calls. Refusals answer 403 with their reason, a journal that is not the right one 503. */
export async function serveCalls(
  socket: string,
  secret: Uint8Array,
  served: Served,
  log: Logger,
): Promise<Server> {
  const server = createServer(
    {
      ...PSK,
      handshakeTimeout: TIMEOUT_MILLISECONDS,
      requestTimeout: TIMEOUT_MILLISECONDS,
      pskCallback: (_socket: unknown, identity: string) => (identity === PSK.identity ? secret : null),
    },
    (incoming, response) => {
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
        if ('refusal' in answer) log.warn({ call, status, ...answer }, 'refused')
        response.writeHead(status, { 'content-type': 'application/json' }).end(encode(answer))
      })
    },
  )
  rmSync(socket, { force: true })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(socket, done))
  chmodSync(socket, 0o660)
  return server
}

type Answer = { result: unknown; mark: Mark } | Static<typeof Refusal>

async function answerTo(
  { calls, api, mark }: Served,
  call: string,
  body: string,
): Promise<readonly [number, Answer]> {
  if (!Object.hasOwn(calls, call)) return [404, { refusal: `nothing here answers to ${call}`.slice(0, 200) }]
  try {
    const { request, seen } = parse(Request, decode(body), 'the message')
    if (seen) assertMark(mark(), seen)
    const asked = (api as Record<string, unknown>)[call]
    if (typeof asked !== 'function') parse(calls[call]!.request, request, 'the request')
    const result: unknown = typeof asked === 'function' ? await asked(request) : asked
    return [200, { result: result ?? null, mark: mark() }]
  } catch (error) {
    const refusal = error instanceof Error ? error.message.slice(0, 2000) : ''
    if (error instanceof SpentRefusal) return [403, { refusal, kind: 'spent' }]
    if (error instanceof RevokedRefusal) return [403, { refusal, kind: 'revoked' }]
    if (error instanceof SignerRefusal) return [403, { refusal }]
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

/** Calls what is served on a socket. */
export interface Calls {
  /** Throws SignerRefusal when the other side refuses. */
  ask<T>(call: string, request: unknown): Promise<T>
  mark(): Mark | null
}

/** `seen` is how far the journal of the other side was before. */
export function callsTo(
  socket: string,
  secret: Uint8Array,
  {
    who,
    calls,
    unreachable,
    seen: before,
  }: { who: string; calls: Record<string, CallSchema>; unreachable: Unreachable; seen: Mark | null },
): Calls {
  let seen = before
  const ask = async <T>(call: string, payload: unknown): Promise<T> => {
    const schemas = calls[call]!
    const message = encode({ request: payload, seen })
    const { status, body } = await post(socket, secret, call, message).catch((cause) => {
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
      const { result, mark } = read(answerOf(schemas.answer), `the answer to ${call}`)
      if (!seen || mark.lines > seen.lines) seen = mark
      return result as T
    }
    const { refusal, kind } = read(Refusal, 'the refusal')
    if (status === 403) throw new (kind ? KINDS[kind] : SignerRefusal)(refusal)
    const cause = status === 503 ? new JournalError(refusal) : new Error(refusal)
    throw unreachable(`The ${who} does not sign right now; try again shortly`, cause)
  }
  return { ask, mark: () => seen }
}

/** Sends the text of a message as it is; gives what the other side answers. */
export function post(
  socketPath: string,
  secret: Uint8Array,
  call: string,
  payload: string,
  agent: Agent | false = false,
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const options: RequestOptions & ConnectionOptions = {
      ...PSK,
      socketPath,
      path: `/${call}`,
      method: 'POST',
      agent,
      timeout: TIMEOUT_MILLISECONDS,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      pskCallback: () => ({ psk: secret, identity: PSK.identity }),
      // The holder of the key is the peer that we mean: there is no certificate to look at.
      checkServerIdentity: () => undefined,
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
    sent.once('timeout', () => sent.destroy(new Error('timed out'))).once('error', fail)
    sent.end(payload)
  })
}
