import { chmodSync, rmSync } from 'node:fs'
import { createServer, type RequestOptions, request, type Server } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import type { Logger } from 'pino'
import { SignerRefusal } from './requests.ts'
import { pack, unpack } from './wire.ts'

/**
 * How the server speaks with who holds a key in a process of its own: calls by name over a local socket. TLS with a
 * shared key is what both sides prove themselves with: neither talks to anybody who does not hold it.
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

/** Serves the functions and values of `api` on a socket. Refusals answer 403 with their reason. */
export async function serveCalls(
  socket: string,
  secret: Uint8Array,
  api: object,
  log: Logger,
): Promise<Server> {
  const server = createServer(
    {
      ...PSK,
      pskCallback: (_socket: unknown, identity: string) => (identity === PSK.identity ? secret : null),
    },
    (incoming, response) => {
      let body = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MOST_BYTES) incoming.destroy()
      })
      incoming.once('end', async () => {
        const call = incoming.url!.slice(1)
        const [status, answer] = await answerTo(api, call, body).catch((error: unknown) => {
          log.error({ err: error, call }, 'a call failed')
          return [500, { refusal: 'the signer failed; its log says why' }] as const
        })
        if (status === 403) log.warn({ call, ...answer }, 'refused')
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(pack(answer)))
      })
    },
  )
  rmSync(socket, { force: true })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(socket, done))
  chmodSync(socket, 0o660)
  return server
}

async function answerTo(
  api: object,
  call: string,
  body: string,
): Promise<readonly [number, { result: unknown } | { refusal: string }]> {
  if (!Object.hasOwn(api, call)) return [404, { refusal: `nothing here answers to ${call}` }]
  try {
    const payload = unpack<never>(JSON.parse(body))
    const asked: unknown = (api as Record<string, unknown>)[call]
    return [200, { result: (typeof asked === 'function' ? await asked(payload) : asked) ?? null }]
  } catch (error) {
    if (error instanceof SignerRefusal) return [403, { refusal: error.message }]
    // Terms that make no sense break somewhere in the kernel: nothing was signed.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return [403, { refusal: `the request makes no sense: ${error.message}` }]
    throw error
  }
}

/** Makes the error that a call throws when the other process does not answer or does not hold the secret. */
export type Unreachable = (message: string, cause: unknown) => Error

/** Calls what is served on a socket. The calls throw SignerRefusal when it refuses. */
export function callsTo<Api extends object>(
  socket: string,
  secret: Uint8Array,
  who: string,
  unreachable: Unreachable,
) {
  return async <T>(call: keyof Api & string, payload: object): Promise<T> => {
    const { status, body } = await post(socket, secret, call, JSON.stringify(pack(payload))).catch(
      (cause) => {
        throw unreachable(`The ${who} does not answer right now; try again shortly`, cause)
      },
    )
    const answer = unpack<{ result: T; refusal?: string }>(JSON.parse(body))
    if (status === 200) return answer.result
    throw new SignerRefusal(answer.refusal ?? `the ${who} answered ${status}`)
  }
}

function post(
  socketPath: string,
  secret: Uint8Array,
  call: string,
  payload: string,
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const options: RequestOptions & ConnectionOptions = {
      ...PSK,
      socketPath,
      path: `/${call}`,
      method: 'POST',
      agent: false,
      timeout: TIMEOUT_MILLISECONDS,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      pskCallback: () => ({ psk: secret, identity: PSK.identity }),
      // Who holds the key is who we mean: there is no certificate to look at.
      checkServerIdentity: () => undefined,
    }
    const sent = request(options, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.once('end', () => done({ status: response.statusCode ?? 0, body })).once('error', fail)
    })
    sent.once('timeout', () => sent.destroy(new Error('timed out'))).once('error', fail)
    sent.end(payload)
  })
}
