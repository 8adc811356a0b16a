import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import type { Reader } from '../node/answers.ts'
import { type Limits, withinLimits } from '../node/limits.ts'
import type { OrdInscription, OrdNumbering, OrdOutput, OrdStatus } from './ord-answers.ts'
import * as answers from './ord-answers.ts'

/** The longest wait for an answer, in milliseconds: requests wait for it. */
const QUICK = 5000

/** Ids or outpoints in one request; `ord` may be configured to take fewer. */
const BATCH = 100
/** The longest answer that is read; a gallery may have tens of thousands of items. */
const MOST_BYTES = 32 * 2 ** 20

/**
 * An `ord` server (0.24 or later), by its JSON API. Every call throws a Fault (unavailable) where it does not answer in
 * time.
 */
export class Ord {
  private readonly url: string
  private readonly limits: Limits = {}

  constructor(url: string) {
    this.url = url.replace(/\/*$/, '/')
  }

  /** The same server, whose calls keep to these limits. */
  within(limits: Limits): Ord {
    return Object.assign(Object.create(this) as Ord, { limits: { ...this.limits, ...limits } })
  }

  async status(): Promise<OrdStatus> {
    return this.known('status', answers.status)
  }

  /** The counters of its numbering at its tip. */
  async numbering(): Promise<OrdNumbering> {
    return this.known('status', answers.numbering)
  }

  /** Hash of its block at a height; null past its tip. */
  async blockHash(height: number): Promise<string | null> {
    return this.ask(`r/blockhash/${height}`, answers.hash)
  }

  /** Height of its tip. */
  async height(): Promise<number> {
    return this.known('r/blockheight', answers.height)
  }

  /** Inscriptions by id; those that it does not know are left out. */
  async inscriptions(ids: readonly string[]): Promise<OrdInscription[]> {
    return this.all('inscriptions', ids, answers.inscriptions)
  }

  /** Outputs, in no order; those that it does not know are left out. Lost and unbound sats are in none. */
  async outputs(outpoints: readonly Outpoint[]): Promise<OrdOutput[]> {
    return this.all('outputs', outpoints.map(formatOutpoint), answers.outputs)
  }

  /**
   * The confirmed unspent outputs of an address, as it writes them on its chain; null where it keeps no index of addresses
   * (`--index-addresses`).
   */
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

  /** The content of an inscription, through its delegate; null where there is none or it is larger than `mostBytes`. */
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

  /** Requests many. */
  private async all<T>(path: string, keys: readonly string[], read: Reader<T[]>): Promise<T[]> {
    const found: T[] = []
    for (let at = 0; at < keys.length; at += BATCH)
      found.push(...(await this.some(path, keys.slice(at, at + BATCH), read)))
    return found
  }

  /**
   * `ord` answers for all or none, and names the first that it misses: it is asked again for those before and behind that one.
   * Each half is requested again if it names none of them, or its answer is too large.
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

  /** Null where it answers 404. */
  private async ask<T>(path: string, read: Reader<T>): Promise<T | null> {
    const answer = await this.answerTo(path)
    if (answer === 'too large')
      throw unavailable('ord-unavailable', `The ord server answers more than ${MOST_BYTES} bytes to /${path}`)
    return answer.status === 404 ? null : read(jsonOf(answer, path), `/${path}`)
  }

  /** The whole answer to a request: to a POST where there are `keys`. */
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
      const bytes = await bodyOf(response, MOST_BYTES)
      if (!bytes) return 'too large'
      return { status: response.status, ok: response.ok, text: bytes.toString() }
    })
  }

  /** The deadline holds until `read` has the whole answer. */
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

/** The body of an answer; null where it is larger than `mostBytes`. */
async function bodyOf(response: Response, mostBytes: number): Promise<Buffer | null> {
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes) {
    await response.body?.cancel()
    return null
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Compressed content may be larger than the header says.
    if (length > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The JSON of an answer. Throws a Fault (unavailable) where there is none. */
function jsonOf({ status, ok, text }: Answer, path: string): unknown {
  if (!ok)
    throw unavailable(
      'ord-unavailable',
      `The ord server answers ${status} to /${path}: ${text.slice(0, 200)}`,
    )
  try {
    // Most answers have no large number, and are read ten times as fast.
    return LARGE.test(text) ? JSON.parse(text, keepLarge) : JSON.parse(text)
  } catch (cause) {
    throw unavailable('ord-unavailable', 'The ord server did not return JSON. Enable its JSON API', cause)
  }
}

/** Finds a whole number that a number of JavaScript may not hold; and some that it does. */
const LARGE = /[:[,]\s*(?:9\d{15}|\d{17})/

/** Amounts of runes have up to 128 bits: an amount that a number cannot hold exactly stays text. */
function keepLarge(_key: string, value: unknown, ...[context]: [{ source?: string }?]): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
    ? context!.source
    : value
}
