import { assertNoTransaction } from '@ordbook/db/driver/transaction-scope.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import { fetchRaw, splitCredentials, TooLarge, textOf } from '@ordbook/process/http.ts'
import type { Reader } from './answers.ts'
import { envelope, list } from './core-answers.ts'
import { type Limits, withinLimits } from './limits.ts'
import { SourceFault } from './source.ts'

/** An error response of the node. `code` is Core's error code. */
export class RpcFault extends SourceFault {
  readonly code: number
  constructor(code: number, message: string) {
    super(message.includes('-txindex') ? 'unindexed' : UNKNOWN.has(code) ? 'unknown' : 'refused', message)
    this.code = code
  }
}

/**
 * RPC_IN_WARMUP; RPC_INVALID_ADDRESS_OR_KEY (no such transaction) and RPC_INVALID_PARAMETER (no such
 * height).
 */
const IN_WARMUP = -28
const UNKNOWN = new Set([-5, -8])

const BATCH = 500
/** `fetch` fails if a response does not begin within this time. */
const FETCH_TIMEOUT_MS = 300_000

/** Client of Bitcoin Core's JSON-RPC and REST. Throws `unavailable` if the node fails or times out. */
export class Rpc {
  readonly host: string
  private readonly url: string
  private readonly authorization: string | null
  private readonly limits: Limits = {}

  constructor(url: string) {
    const bare = splitCredentials(url)
    this.authorization = bare.authorization
    this.url = bare.url.href
    this.host = bare.url.host
  }

  within(limits: Limits): Rpc {
    return Object.assign(Object.create(this) as Rpc, { limits: { ...this.limits, ...limits } })
  }

  get signal(): AbortSignal | undefined {
    return this.limits.signal
  }

  /** Sends one call with a default timeout in milliseconds. Throws RpcFault if the node returns an error. */
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
   * Calls a method once per item. Returns results in order, null for unknown items. Throws RpcFault for other errors, and TooLarge if
   * `BATCH` results exceed `mostBytes`.
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
      const batch = calls.slice(at, at + BATCH)
      const posted = await inSpan(`node ${method}`, { 'rpc.calls': batch.length }, () =>
        this.post(
          batch.map((params, id) => ({ jsonrpc: '1.0', id, method, params })),
          milliseconds,
          mostBytes,
        ),
      )
      for (const response of list(posted, method)) {
        const { id, result, error } = envelope(response, method)
        if (typeof id !== 'number' || id < 0 || id >= batch.length)
          throw unavailable(
            'node-unavailable',
            `Unexpected response from the Bitcoin node in a batch of ${method}.`,
          )
        // Other errors, such as a starting node, affect every call.
        if (error && !UNKNOWN.has(error.code)) throw faultOf(error)
        results[at + id] = error || result === null ? null : read(result, method)
      }
      for (let n = 0; n < batch.length; n++)
        if (results[at + n] === undefined)
          throw unavailable(
            'node-unavailable',
            `The Bitcoin node sent an incomplete response to a batch of ${method}.`,
          )
    }
    return results
  }

  /** Fetches binary data by REST. Returns null if REST is disabled or the data is unknown. */
  async rest(path: string, milliseconds: number): Promise<Uint8Array | null> {
    assertNoTransaction('node')
    try {
      return await withinLimits(this.limits, milliseconds, async (signal) => {
        const response = await fetch(new URL(`/rest/${path}`, this.url), { signal })
        const body = new Uint8Array(await response.arrayBuffer())
        if (response.ok) return body
        // A 404 can mean that REST is disabled or that the block is unknown.
        if (response.status >= 500) throw new Error(`the node returned status ${response.status}`)
        return null
      })
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  private async post(calls: object, milliseconds: number, mostBytes = Infinity): Promise<unknown> {
    assertNoTransaction('node')
    try {
      return await withinLimits(this.limits, milliseconds, async (signal) => {
        const send = milliseconds > FETCH_TIMEOUT_MS ? fetchRaw : fetch
        const response = await send(this.url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(this.authorization ? { authorization: this.authorization } : {}),
          },
          body: JSON.stringify(calls),
          signal,
        })
        if (response.status === 401 || response.status === 403)
          throw new Error('the node rejected the user or password')
        return JSON.parse(await textOf(response, mostBytes))
      })
    } catch (cause) {
      throw cause instanceof TooLarge ? cause : unreachable(cause)
    }
  }
}

const unreachable = (cause: unknown) =>
  unavailable('node-unavailable', 'The Bitcoin node is unavailable. Try again shortly.', cause)

const faultOf = ({ code, message }: { code: number; message: string }) =>
  code === IN_WARMUP
    ? unavailable('node-unavailable', `The Bitcoin node is starting: ${message}`)
    : new RpcFault(code, message)
