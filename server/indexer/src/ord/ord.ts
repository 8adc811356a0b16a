import { formatOutpoint, type Outpoint, UNBOUND } from '@ordbook/bitcoin/outpoint.ts'
import { assertNoTransaction } from '@ordbook/db/driver/transaction-scope.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import { bytesOf, fetchRaw, TooLarge } from '@ordbook/process/http.ts'
import type { Reader } from '../node/answers.ts'
import { type Limits, withinLimits } from '../node/limits.ts'
import { mapParallel } from './map-parallel.ts'
import type { OrdInscription, OrdNumbering, OrdOutput, OrdStatus } from './ord-answers.ts'
import * as answers from './ord-answers.ts'

/** Default timeout in milliseconds. Short, because users wait for ord. */
const DEFAULT_TIMEOUT_MS = 5000

/** Ids or outpoints per request. `ord` can be configured for fewer. */
const BATCH = 100
/** Concurrent batches. */
const PARALLEL = 4
/** Maximum response size. A gallery can have tens of thousands of items. */
const MAX_BYTES = 32 * 2 ** 20
/** Maximum pages of parents or children, of 100 each. */
const MAX_PAGES = 10_000

/** Client of `ord`'s JSON API (0.24 or later). Throws `unavailable` if ord fails or times out. */
export class Ord {
  private readonly url: string
  private readonly limits: Limits = {}

  constructor(url: string) {
    this.url = url.replace(/\/*$/, '/')
  }

  within(limits: Limits): Ord {
    return Object.assign(Object.create(this) as Ord, { limits: { ...this.limits, ...limits } })
  }

  async status(): Promise<OrdStatus> {
    return this.fetchRequired('status', answers.status)
  }

  async numbering(): Promise<OrdNumbering> {
    return this.fetchRequired('status', answers.numbering)
  }

  /** Returns the number of unbound inscriptions, which never leave their outpoint. */
  async unboundCount(): Promise<number> {
    const output = await this.fetchOptional(`r/utxo/${formatOutpoint(UNBOUND)}`, answers.recursiveOutput)
    return output?.inscriptions?.length ?? 0
  }

  /** Returns the block hash at a height; null above ord's tip. */
  async blockHash(height: number): Promise<string | null> {
    return this.fetchOptional(`r/blockhash/${height}`, answers.hash)
  }

  async height(): Promise<number> {
    return this.fetchRequired('r/blockheight', answers.height)
  }

  /** Returns inscriptions by id, without unknown ones. */
  async inscriptions(ids: readonly string[]): Promise<OrdInscription[]> {
    return this.all('inscriptions', ids, answers.inscriptions)
  }

  /** Returns an inscription without its parents, from a recursive endpoint; null if it is unknown. */
  async inscription(id: string): Promise<Omit<OrdInscription, 'parents'> | null> {
    return this.fetchOptional(`r/inscription/${id}`, answers.inscription)
  }

  /** Returns outputs in any order, without unknown ones. Lost and unbound sats have no output. */
  async outputs(outpoints: readonly Outpoint[]): Promise<OrdOutput[]> {
    return this.all('outputs', outpoints.map(formatOutpoint), answers.outputs)
  }

  /** Returns the confirmed unspent outputs of an address; null if ord has no address index (`--index-addresses`). */
  async outputsOf(address: string): Promise<OrdOutput[] | null> {
    const outputs = await this.fetchOptional(`outputs/${address}`, answers.outputs)
    return outputs?.filter(({ spent, confirmations }) => !spent && confirmations > 0) ?? null
  }

  /** Returns the ids of an inscription's children, oldest first. */
  async children(id: string): Promise<string[]> {
    return this.relatives('children', id)
  }

  /** Returns the ids of an inscription's parents. */
  async parents(id: string): Promise<string[]> {
    return this.relatives('parents', id)
  }

  /** Returns ids in ord's order. Throws `unavailable`, also for more than a million. */
  private async relatives(kind: 'parents' | 'children', id: string): Promise<string[]> {
    const ids: string[] = []
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.fetchOptional(`r/${kind}/${id}/${page}`, answers.relatives)
      ids.push(...(answer?.ids ?? []))
      if (!answer?.more) return ids
    }
    throw unavailable(
      'ord-unavailable',
      `The ord server has more than ${MAX_PAGES} pages of ${kind} of ${id}.`,
    )
  }

  /** Returns a transaction in hex; null if it is unknown. */
  async transactionHex(txid: string): Promise<string | null> {
    return this.fetchOptional(`r/tx/${txid}`, answers.hex)
  }

  /** Returns the JSON of a recursive endpoint; null for 404. */
  async recursive(path: string, mostBytes: number): Promise<unknown> {
    const response = await this.request(path, mostBytes)
    return response.status === 404 ? null : jsonOf(response, path)
  }

  /**
   * Returns content as inscribed: at `content/ID` of the inscription or its delegate, at `r/undelegated-content/ID` its own. Null if it is
   * missing, `unreadable` if ord refuses its encoding or it exceeds `mostBytes`.
   */
  async content(path: string, mostBytes: number): Promise<OrdContent | null | 'unreadable'> {
    const { status, ...content } = await this.call(path, async (url, signal) => {
      const sent = { 'accept-encoding': 'br, gzip' }
      const { status, headers, body } = await fetchRaw(url, { headers: sent, signal })
      const { 'content-type': contentType = null, 'content-encoding': encoding = null } = headers
      if (status === 200) return { status, contentType, encoding, body: await bodyOf(body, mostBytes) }
      body.destroy()
      return { status, contentType, encoding, body: null }
    })
    const { body } = content
    if (body) return { ...content, body }
    if (status === 404) return null
    if (status === 200 || status === 406) return 'unreadable'
    throw unavailable('ord-unavailable', `The ord server returned status ${status} for /${path}.`)
  }

  private async all<T>(path: string, keys: readonly string[], read: Reader<T[]>): Promise<T[]> {
    const batches: (readonly string[])[] = []
    for (let at = 0; at < keys.length; at += BATCH) batches.push(keys.slice(at, at + BATCH))
    return (await mapParallel(batches, PARALLEL, (batch) => this.some(path, batch, read))).flat()
  }

  /**
   * Fetches a batch. If `ord` returns 404 and names an unknown key, retries the keys before and after it. Otherwise, or if the response is
   * too large, retries each half.
   */
  private async some<T>(path: string, keys: readonly string[], read: Reader<T[]>): Promise<T[]> {
    if (keys.length === 0) return []
    const response = await this.send(path, keys, MAX_BYTES)
    if (response !== 'too large' && response.status !== 404) return read(jsonOf(response, path), `/${path}`)
    if (keys.length === 1) return []
    const named = response === 'too large' ? -1 : keys.findIndex((key) => response.text.includes(` ${key} `))
    const [end, next] = named === -1 ? [keys.length >> 1, keys.length >> 1] : [named, named + 1]
    return [
      ...(await this.some(path, keys.slice(0, end), read)),
      ...(await this.some(path, keys.slice(next), read)),
    ]
  }

  private async fetchRequired<T>(path: string, read: Reader<T>): Promise<T> {
    const found = await this.fetchOptional(path, read)
    if (found === null)
      throw unavailable(
        'ord-unavailable',
        `The ord server does not support /${path}. ORD_URL requires ord 0.24 or later.`,
      )
    return found
  }

  private async fetchOptional<T>(path: string, read: Reader<T>): Promise<T | null> {
    const response = await this.request(path, MAX_BYTES)
    return response.status === 404 ? null : read(jsonOf(response, path), `/${path}`)
  }

  private async request(path: string, mostBytes: number): Promise<OrdResponse> {
    const response = await this.send(path, null, mostBytes)
    if (response !== 'too large') return response
    throw unavailable('ord-unavailable', `The ord server's response to /${path} exceeds ${mostBytes} bytes.`)
  }

  private send(
    path: string,
    keys: readonly string[] | null,
    mostBytes: number,
  ): Promise<OrdResponse | 'too large'> {
    const headers = { accept: 'application/json' }
    const init = keys
      ? {
          method: 'POST',
          body: JSON.stringify(keys),
          headers: { ...headers, 'content-type': 'application/json' },
        }
      : { headers }
    return this.fetch(path, init, async (response) => {
      const bytes = await bodyOf(response.body, mostBytes)
      if (!bytes) return 'too large'
      return { status: response.status, ok: response.ok, text: bytes.toString() }
    })
  }

  /** Sends a request. The timeout includes `read`. */
  private fetch<T>(path: string, init: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    return this.call(path, async (url, signal) => read(await fetch(url, { ...init, signal })))
  }

  private async call<T>(path: string, work: (url: URL, signal: AbortSignal) => Promise<T>): Promise<T> {
    assertNoTransaction('ord')
    try {
      const [kind] = path.split('/', 1)
      return await withinLimits(this.limits, DEFAULT_TIMEOUT_MS, (signal) =>
        inSpan(`ord ${kind}`, {}, () => work(new URL(path, this.url), signal)),
      )
    } catch (cause) {
      throw unavailable('ord-unavailable', 'The ord server is unavailable. Try again shortly.', cause)
    }
  }
}

/** Content as inscribed, with its headers as Latin-1. */
export interface OrdContent {
  contentType: string | null
  encoding: string | null
  body: Buffer
}

interface OrdResponse {
  status: number
  ok: boolean
  text: string
}

/** Returns a body; null above `mostBytes`. */
async function bodyOf(body: AsyncIterable<Uint8Array> | null, mostBytes: number): Promise<Buffer | null> {
  try {
    return await bytesOf(body, mostBytes)
  } catch (error) {
    if (error instanceof TooLarge) return null
    throw error
  }
}

/** Parses JSON. Throws `unavailable` for an error status or invalid JSON. */
function jsonOf({ status, ok, text }: OrdResponse, path: string): unknown {
  if (!ok)
    throw unavailable(
      'ord-unavailable',
      `The ord server returned status ${status} for /${path}: ${text.slice(0, 200)}`,
    )
  try {
    // Without a reviver, parsing is ten times as fast, and few responses have large numbers.
    return LARGE.test(text) ? JSON.parse(text, keepLarge) : JSON.parse(text)
  } catch (cause) {
    throw unavailable('ord-unavailable', 'The ord server did not return JSON. Enable its JSON API.', cause)
  }
}

/** Matches integers that may exceed MAX_SAFE_INTEGER. False positives are harmless. */
const LARGE = /[:[,]\s*(?:9\d{15}|\d{17})/

/** JSON reviver that keeps unsafe integers as strings. Rune amounts have up to 128 bits. */
function keepLarge(_key: string, value: unknown, ...[context]: [{ source?: string }?]): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
    ? context!.source
    : value
}
