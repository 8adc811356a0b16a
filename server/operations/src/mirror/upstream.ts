import { get as getByHttp, type IncomingMessage } from 'node:http'
import { get as getByHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { withinLimits } from '@ordbook/indexer/node/limits.ts'
import { Exactly, parse } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { SignedHead } from '../order-log/copy.ts'
import { MAX_LINE_BYTES } from '../order-log/line.ts'

/** Maximum bytes of a page, compressed or not. The longest page is one line. */
const MAX_PAGE_BYTES = MAX_LINE_BYTES + 1
const MAX_HEAD_BYTES = 4096
/** Request timeout, in milliseconds. */
const TIMEOUT_MS = 30_000
/** Maximum accepted Retry-After, in seconds. */
const MAX_RETRY_SECONDS = 300

const HeadAnswer = Exactly({
  network: Type.String({ pattern: '^[a-z0-9]{1,20}$' }),
  market: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  head: Type.Union([SignedHead, Type.Null()]),
})
export type HeadAnswer = Static<typeof HeadAnswer>

/** Why a mirror rejected a response. */
export type Reason =
  | 'redirect'
  | 'encoding'
  | 'too-large'
  | 'head'
  | 'signature'
  | 'market'
  | 'older'
  | 'empty'
  | 'line'
  | 'history'

/** The market returned an invalid response. Nothing was stored. */
export class Refused extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** The market is unavailable. */
export class Away extends Error {
  /** From Retry-After, or null. */
  readonly retrySeconds: number | null

  constructor(message: string, options: { cause?: unknown; retrySeconds?: number } = {}) {
    super(message, { cause: options.cause })
    this.retrySeconds = options.retrySeconds ?? null
  }
}

export interface Upstream {
  /** Throws Refused, Away. */
  head(): Promise<HeadAnswer>
  /** Returns the lines after a position. Throws Refused, Away. */
  page(after: number): Promise<Buffer>
}

/**
 * Reads the order log of a market or mirror. Limits the size and duration of responses, and does not follow
 * redirects.
 */
export function upstreamOf(base: string, signal: AbortSignal, patience = TIMEOUT_MS): Upstream {
  const at = (path: string) => new URL(`${base.replace(/\/+$/, '')}${path}`)
  const read = (url: URL, most: number) => get(url, { most, signal, patience })
  return {
    async head() {
      const body = await read(at('/order-log/head'), MAX_HEAD_BYTES)
      try {
        return parse(HeadAnswer, JSON.parse(body.toString()), 'the head')
      } catch (cause) {
        throw new Refused('head', `Invalid head: ${(cause as Error).message}`, cause)
      }
    },
    page: (after) => read(at(`/order-log?after=${after}`), MAX_PAGE_BYTES),
  }
}

interface Bounds {
  most: number
  signal: AbortSignal
  patience: number
}

async function get(url: URL, { most, signal, patience }: Bounds): Promise<Buffer> {
  try {
    return await withinLimits({ signal }, patience, async (limit) => {
      const response = await request(url, limit)
      assertSuccess(response)
      const encoding = response.headers['content-encoding'] ?? 'identity'
      if (encoding !== 'gzip' && encoding !== 'identity') {
        response.destroy()
        throw new Refused('encoding', `Unsupported content encoding: ${encoding.slice(0, 40)}`)
      }
      return collect(response, encoding === 'gzip', most)
    })
  } catch (error) {
    if (error instanceof Refused || error instanceof Away) throw error
    const { code = '', name, message } = error as NodeJS.ErrnoException
    if (code.startsWith('Z_'))
      throw new Refused('encoding', `Cannot decompress the response: ${message}`, error)
    throw new Away(signal.aborted || name === 'TimeoutError' ? 'Timeout' : message, { cause: error })
  }
}

function request(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { signal, headers: { 'accept-encoding': 'gzip', 'user-agent': 'ordbook-mirror' } }
    const sent = (url.protocol === 'https:' ? getByHttps : getByHttp)(url, options, resolve)
    sent.once('error', reject)
  })
}

function assertSuccess(response: IncomingMessage): void {
  const { statusCode = 0, headers } = response
  if (statusCode === 200) return
  response.destroy()
  if (statusCode >= 300 && statusCode < 400)
    throw new Refused('redirect', `HTTP status ${statusCode}: mirrors do not follow redirects`)
  const wait = Number(headers['retry-after'])
  throw new Away(
    `HTTP status ${statusCode}`,
    wait > 0 ? { retrySeconds: Math.min(wait, MAX_RETRY_SECONDS) } : {},
  )
}

/** Limits both the compressed and the decompressed body, against decompression bombs. */
async function collect(response: IncomingMessage, isPacked: boolean, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  const bounded = async function* (source: AsyncIterable<Buffer>) {
    let bytes = 0
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > most) throw new Refused('too-large', `The response is larger than ${most} bytes.`)
      yield chunk
    }
  }
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of bounded(source)) chunks.push(chunk)
  }
  if (isPacked) await pipeline(response, bounded, createGunzip(), keep)
  else await pipeline(response, keep)
  return Buffer.concat(chunks)
}
