import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import type { Reader } from '../node/answers.ts'
import { type Limits, withinLimits } from '../node/limits.ts'
import type { OrdInscription, OrdNumbering, OrdOutput, OrdStatus } from './ord-answers.ts'
import * as answers from './ord-answers.ts'

/** Default timeout in milliseconds. Short, because users' requests wait for it. */
const QUICK = 5000

/** Ids or outpoints per request; `ord` may be configured to accept fewer. */
const BATCH = 100
/** Maximum response size; a gallery may have tens of thousands of items. */
const MAX_BYTES = 32 * 2 ** 20

/** Client of the JSON API of an `ord` server (0.24 or later). Every call throws a Fault (unavailable) if ord fails or times out. */
export class Ord {
  private readonly url: string
  private readonly limits: Limits = {}

  constructor(url: string) {
    this.url = url.replace(/\/*$/, '/')
  }

  /** Returns a client of the same server with these limits. */
  within(limits: Limits): Ord {
    return Object.assign(Object.create(this) as Ord, { limits: { ...this.limits, ...limits } })
  }

  async status(): Promise<OrdStatus> {
    return this.known('status', answers.status)
  }

  /** The inscription counters at ord's tip. */
  async numbering(): Promise<OrdNumbering> {
    return this.known('status', answers.numbering)
  }

  /** Hash of the block at a height; null past ord's tip. */
  async blockHash(height: number): Promise<string | null> {
    return this.ask(`r/blockhash/${height}`, answers.hash)
  }

  /** Height of ord's tip. */
  async height(): Promise<number> {
    return this.known('r/blockheight', answers.height)
  }

  /** Returns inscriptions by id, without those that ord does not know. */
  async inscriptions(ids: readonly string[]): Promise<OrdInscription[]> {
    return this.all('inscriptions', ids, answers.inscriptions)
  }

  /** Returns outputs in no particular order, without those that ord does not know. Lost and unbound sats have no output. */
  async outputs(outpoints: readonly Outpoint[]): Promise<OrdOutput[]> {
    return this.all('outputs', outpoints.map(formatOutpoint), answers.outputs)
  }

  /** Returns the confirmed unspent outputs of an address; null if ord has no address index (`--index-addresses`). */
  async outputsOf(address: string): Promise<OrdOutput[] | null> {
    const outputs = await this.ask(`outputs/${address}`, answers.outputs)
    return outputs?.filter(({ spent, confirmations }) => !spent && confirmations > 0) ?? null
  }

  /** Ids of the children of an inscription, oldest first. */
  async children(parentId: string): Promise<string[]> {
    const ids: string[] = []
    for (let page = 0; ; page++) {
      const answer = await this.ask(`r/children/${parentId}/${page}`, answers.children)
      ids.push(...(answer?.ids ?? []))
      if (!answer?.more) return ids
    }
  }

  /** Returns the content of an inscription, through its delegate; null if there is none or it is larger than `mostBytes`. */
  async content(
    id: string,
    mostBytes: number,
  ): Promise<{ contentType: string | null; body: Uint8Array } | null> {
    return this.fetch(`content/${id}`, {}, async (response) => {
      if (!response.ok) {
        await response.body?.cancel()
        return null
      }
      const body = await bodyOf(response, mostBytes)
      return body && { contentType: response.headers.get('content-type'), body }
    })
  }

  /** Requests `keys` in batches. */
  private async all<T>(path: string, keys: readonly string[], read: Reader<T[]>): Promise<T[]> {
    const found: T[] = []
    for (let at = 0; at < keys.length; at += BATCH)
      found.push(...(await this.some(path, keys.slice(at, at + BATCH), read)))
    return found
  }

  /**
   * `ord` returns 404 for the whole batch if one key is unknown, and names the first such key: retry the keys before and after it. If the
   * error names no key, or the response is too large, retry each half.
   */
  private async some<T>(path: string, keys: readonly string[], read: Reader<T[]>): Promise<T[]> {
    if (keys.length === 0) return []
    const answer = await this.answerTo(path, keys)
    if (answer !== 'too large' && answer.status !== 404) return read(jsonOf(answer, path), `/${path}`)
    if (keys.length === 1) return []
    const named = answer === 'too large' ? -1 : keys.findIndex((key) => answer.text.includes(` ${key} `))
    const [end, next] = named === -1 ? [keys.length >> 1, keys.length >> 1] : [named, named + 1]
    return [
      ...(await this.some(path, keys.slice(0, end), read)),
      ...(await this.some(path, keys.slice(next), read)),
    ]
  }

  /** Requests a resource that every ord server has. */
  private async known<T>(path: string, read: Reader<T>): Promise<T> {
    const found = await this.ask(path, read)
    if (found === null)
      throw unavailable(
        'ord-unavailable',
        `The ord server does not support /${path}. ORD_URL requires ord 0.24 or later`,
      )
    return found
  }

  /** Null on a 404. */
  private async ask<T>(path: string, read: Reader<T>): Promise<T | null> {
    const answer = await this.answerTo(path)
    if (answer === 'too large')
      throw unavailable('ord-unavailable', `The ord server answers more than ${MAX_BYTES} bytes to /${path}`)
    return answer.status === 404 ? null : read(jsonOf(answer, path), `/${path}`)
  }

  /** Reads the whole response. Sends a POST if there are `keys`, otherwise a GET. */
  private answerTo(path: string, keys?: readonly string[]): Promise<Answer | 'too large'> {
    const headers = { accept: 'application/json' }
    const init = keys
      ? {
          method: 'POST',
          body: JSON.stringify(keys),
          headers: { ...headers, 'content-type': 'application/json' },
        }
      : { headers }
    return this.fetch(path, init, async (response) => {
      const bytes = await bodyOf(response, MAX_BYTES)
      if (!bytes) return 'too large'
      return { status: response.status, ok: response.ok, text: bytes.toString() }
    })
  }

  /** The timeout includes reading the body in `read`. */
  private async fetch<T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    try {
      const [kind] = path.split('/', 1)
      return await withinLimits(this.limits, QUICK, (signal) =>
        inSpan(`ord ${kind}`, {}, async () =>
          read(await fetch(new URL(path, this.url), { ...init, signal })),
        ),
      )
    } catch (cause) {
      throw unavailable(
        'ord-unavailable',
        'The ord server does not answer right now; try again shortly',
        cause,
      )
    }
  }
}

interface Answer {
  status: number
  ok: boolean
  text: string
}

/** The body of a response; null if it is larger than `mostBytes`. */
async function bodyOf(response: Response, mostBytes: number): Promise<Buffer | null> {
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes) {
    await response.body?.cancel()
    return null
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Compressed content may be larger than Content-Length.
    if (length > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses JSON. Throws a Fault (unavailable) for an error status or invalid JSON. */
function jsonOf({ status, ok, text }: Answer, path: string): unknown {
  if (!ok)
    throw unavailable(
      'ord-unavailable',
      `The ord server answers ${status} to /${path}: ${text.slice(0, 200)}`,
    )
  try {
    // Most responses have no large number; parsing without a reviver is ten times as fast.
    return LARGE.test(text) ? JSON.parse(text, keepLarge) : JSON.parse(text)
  } catch (cause) {
    throw unavailable('ord-unavailable', 'The ord server did not return JSON. Enable its JSON API', cause)
  }
}

/** Matches integers that may exceed MAX_SAFE_INTEGER. False positives only cost time. */
const LARGE = /[:[,]\s*(?:9\d{15}|\d{17})/

/** Keeps integers that a number cannot hold exactly as text: rune amounts have up to 128 bits. */
function keepLarge(_key: string, value: unknown, ...[context]: [{ source?: string }?]): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
    ? context!.source
    : value
}
