import { unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import type { Reader } from './answers.ts'
import { envelope, list } from './core-answers.ts'
import { type Limits, withinLimits } from './limits.ts'
import { SourceFault } from './source.ts'

/** An error response of the node; `code` is Core's. */
export class RpcFault extends SourceFault {
  readonly code: number
  constructor(code: number, message: string) {
    super(message.includes('-txindex') ? 'unindexed' : UNKNOWN.has(code) ? 'unknown' : 'refused', message)
    this.code = code
  }
}

/** The response exceeds the caller's limit. */
export class TooLarge extends Error {}

/** Core's codes: RPC_IN_WARMUP, RPC_INVALID_ADDRESS_OR_KEY (no such transaction), RPC_INVALID_PARAMETER (no such height). */
const STARTING = -28
const UNKNOWN = new Set([-5, -8])

/** Calls per request. */
const BATCH = 500

/** Client of a Bitcoin node: Core's JSON-RPC and REST interfaces. Calls throw a Fault (unavailable) if the node fails or times out. */
export class Rpc {
  /** Host and port of the node, without credentials. */
  readonly host: string
  private readonly url: string
  private readonly authorization: string | null
  private readonly limits: Limits = {}

  /** `url` contains user and password. */
  constructor(url: string) {
    const parsed = new URL(url)
    this.authorization =
      parsed.username === ''
        ? null
        : `Basic ${Buffer.from(`${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`).toString('base64')}`
    parsed.username = ''
    parsed.password = ''
    this.url = parsed.href
    this.host = parsed.host
  }

  /** Returns a client of the same node with these limits. */
  within(limits: Limits): Rpc {
    return Object.assign(Object.create(this) as Rpc, { limits: { ...this.limits, ...limits } })
  }

  /** The signal that cancels its calls, if any. */
  get signal(): AbortSignal | undefined {
    return this.limits.signal
  }

  /** Sends one call with a default timeout of `milliseconds`. Throws RpcFault if the node returns an error. */
  async call<T>(
    milliseconds: number,
    method: string,
    params: readonly unknown[],
    read: Reader<T>,
  ): Promise<T> {
    const posted = await inSpan(`node ${method}`, {}, () =>
      this.post({ jsonrpc: '1.0', id: 0, method, params }, milliseconds),
    )
    const { result, error } = envelope(posted, method)
    if (error) throw faultOf(error)
    return read(result, method)
  }

  /**
   * Calls one method many times and returns the results in order, null for unknown items. Throws RpcFault for other errors, and TooLarge if
   * the response to `BATCH` calls exceeds `mostBytes`.
   */
  async batch<T>(
    milliseconds: number,
    method: string,
    calls: readonly unknown[][],
    read: Reader<T>,
    mostBytes = Infinity,
  ): Promise<(T | null)[]> {
    const results: (T | null)[] = []
    for (let at = 0; at < calls.length; at += BATCH) {
      const some = calls.slice(at, at + BATCH)
      const posted = await inSpan(`node ${method}`, { 'rpc.calls': some.length }, () =>
        this.post(
          some.map((params, id) => ({ jsonrpc: '1.0', id, method, params })),
          milliseconds,
          mostBytes,
        ),
      )
      for (const each of list(posted, method)) {
        const { id, result, error } = envelope(each, method)
        if (typeof id !== 'number' || id < 0 || id >= some.length)
          throw unavailable(
            'node-unavailable',
            `Unexpected response from the Bitcoin node in a batch of ${method}`,
          )
        // Errors of a starting node concern every call, not this one.
        if (error && !UNKNOWN.has(error.code)) throw faultOf(error)
        results[at + id] = error || result === null ? null : read(result, method)
      }
      for (let n = 0; n < some.length; n++)
        if (results[at + n] === undefined)
          throw unavailable(
            'node-unavailable',
            `The Bitcoin node did not respond to every call in a batch of ${method}`,
          )
    }
    return results
  }

  /** Fetches binary data by REST; null if the node does not offer it. */
  async rest(path: string, milliseconds: number): Promise<Uint8Array | null> {
    try {
      return await withinLimits(this.limits, milliseconds, async (signal) => {
        const response = await fetch(new URL(`/rest/${path}`, this.url), { signal })
        const body = new Uint8Array(await response.arrayBuffer())
        if (response.ok) return body
        // The node may not have the block yet, so a 404 does not show whether REST is enabled.
        if (response.status >= 500) throw new Error(`the node answers ${response.status}`)
        return null
      })
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  private async post(calls: object, milliseconds: number, mostBytes = Infinity): Promise<unknown> {
    try {
      return await withinLimits(this.limits, milliseconds, async (signal) => {
        const response = await fetch(this.url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(this.authorization ? { authorization: this.authorization } : {}),
          },
          body: JSON.stringify(calls),
          signal,
        })
        if (response.status === 401 || response.status === 403)
          throw new Error('the node refuses our credentials')
        return JSON.parse(await textOf(response, mostBytes))
      })
    } catch (cause) {
      throw cause instanceof TooLarge ? cause : unreachable(cause)
    }
  }
}

const unreachable = (cause: unknown) =>
  unavailable('node-unavailable', 'The Bitcoin node does not answer right now; try again shortly', cause)

const faultOf = ({ code, message }: { code: number; message: string }) =>
  code === STARTING
    ? unavailable('node-unavailable', `The Bitcoin node is starting: ${message}`)
    : new RpcFault(code, message)

/** Reads the body. Throws TooLarge without reading the rest. */
async function textOf(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new TooLarge(`an answer of more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
