import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export class TooLarge extends Error {}

/** Splits the user and password from a URL. `authorization` is null without a user. */
export function splitCredentials(url: string): { url: URL; authorization: string | null } {
  const bare = new URL(url)
  const { username, password } = bare
  bare.username = bare.password = ''
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = username === '' ? null : `Basic ${Buffer.from(login).toString('base64')}`
  return { url: bare, authorization }
}

const KEEPALIVE_MS = 30_000

/** Like `fetch`, but leaves the body encoded and has no time limit: `fetch` fails if no response begins within five minutes. */
export function fetchRaw(
  url: string | URL,
  {
    body,
    ...options
  }: { method?: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
): Promise<{ status: number; headers: IncomingHttpHeaders; body: IncomingMessage }> {
  const begin = new URL(url).protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = begin(url, { ...options, agent: false }, (response) =>
      resolve({ status: response.statusCode!, headers: response.headers, body: response }),
    )
    request.on('error', reject)
    request.setSocketKeepAlive(true, KEEPALIVE_MS)
    request.end(body)
  })
}

/** Returns the body of a response. Throws TooLarge, and then closes it. */
export async function bytesOf(body: AsyncIterable<Uint8Array> | null, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new TooLarge(`the response has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns the body of a response as text. Throws TooLarge. */
export const textOf = async (
  { body }: { body: AsyncIterable<Uint8Array> | null },
  mostBytes: number,
): Promise<string> => (await bytesOf(body, mostBytes)).toString()
