import { ApiError, CheckFailed, ConnectionFailed } from './errors.ts'
import { type Answer, type Input, type OperationId, operations, ROOT } from './operations.ts'
import { repeating } from './repeat.ts'

/** Far above the size of any response; larger ones are not read to the end. */
const MAX_BYTES = 32_000_000

/** Maximum wait for a market that does not respond. */
const MAX_MILLISECONDS = 120_000

/** The calls that begin a session: a refusal of theirs is final. */
const SIGN_IN: ReadonlySet<OperationId> = new Set([
  'createAuthChallenge',
  'verifyAuthChallenge',
  'beginWebSignIn',
  'openWebSession',
])

/** Options of a client. */
export interface ClientOptions {
  /** Maximum duration of a response, in milliseconds; default 120,000. */
  deadlineMilliseconds?: number
  /** Maximum number of retries of a retryable call (see `repeating`); default 0. */
  repeats?: number
  /** Ends calls and the waits between repetitions. The market may have done a write that it ends: repeat the write, or read. */
  signal?: AbortSignal | null
}

/** Options of a single call. */
export interface CallOptions extends ClientOptions {
  /**
   * The idempotency key of a write: the market runs writes of a profile with the same key and input once, and returns the same response for
   * a day. Default: a new key per call, shared by its retries.
   */
  idempotencyKey?: string
}

/** Speaks to one market. `token` is set by `signIn`. */
export class Client {
  token: string | null = null
  /** Sent with every request. */
  headers: Record<string, string> = {}
  /** Signs this client in again when its session has expired; set by `enter`. The failed call is repeated. */
  signInAgain: ((client: Client) => Promise<unknown>) | null = null
  /**
   * Validates each response against the contract; `enter` sets it to `demandForm`. Null: responses are not validated, and a bundle that
   * only reads does not include the schemas.
   */
  checkAnswer: ((id: OperationId, answer: object) => void) | null = null
  private signingIn: Promise<void> | null = null
  deadlineMilliseconds: number
  repeats: number
  signal: AbortSignal | null
  private readonly base: string
  private readonly root: string

  /**
   * `base` ends in `/api/v1`, or in `/web/v1`, the storefront's surface: its session is a cookie, which browsers keep by themselves, and
   * elsewhere this client in its `headers`.
   */
  constructor(base: string, options: ClientOptions = {}) {
    this.base = base.replace(/\/+$/, '')
    this.root = this.base.replace(/\/(api|web)\/v1$/, '')
    // Writes of that surface name their origin. Browsers do it, and ignore a header that does.
    if (this.isStorefront) this.headers.origin = new URL(this.base).origin
    this.deadlineMilliseconds = options.deadlineMilliseconds ?? MAX_MILLISECONDS
    this.repeats = options.repeats ?? 0
    this.signal = options.signal ?? null
  }

  /** The same client and session with other options, for one trade: `buy({ ...trader, client: client.with({ signal }) }, …)`. */
  with(options: ClientOptions): Client {
    const { deadlineMilliseconds, repeats, signal, token, headers, signInAgain, checkAnswer } = this
    const client = new Client(this.base, { deadlineMilliseconds, repeats, signal, ...options })
    return Object.assign(client, { token, headers: { ...headers }, signInAgain, checkAnswer })
  }

  /**
   * Calls an operation. Throws ApiError for any status but 200, CheckFailed for a response that is too large, not JSON, or rejected by
   * `checkAnswer`, a TimeoutError after the deadline, and the reason of the signal.
   */
  async call<Id extends OperationId>(
    id: Id,
    input: Input<Id> = {},
    {
      deadlineMilliseconds = this.deadlineMilliseconds,
      repeats = this.repeats,
      signal = this.signal,
      idempotencyKey = freshKey(),
    }: CallOptions = {},
  ): Promise<Answer<Id>> {
    // The market runs writes with the same key once, so they are as safe to retry as reads.
    const key = SIGN_IN.has(id) || operations[id].startsWith('GET ') ? null : idempotencyKey
    return repeating(
      () => this.inSession(id, () => this.attempt(id, input, key, deadlineOf(deadlineMilliseconds, signal))),
      { repeats, isSafe: !SIGN_IN.has(id), signal },
    )
  }

  /** Makes a call, and repeats it in a new session if the market returns 401. */
  private async inSession<T>(id: OperationId, attempt: () => Promise<T>): Promise<T> {
    const { signInAgain } = this
    const session = this.session()
    try {
      return await attempt()
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401
      if (!isOver || !signInAgain || SIGN_IN.has(id)) throw error
      if (this.signingIn || this.session() === session) {
        this.signingIn ??= this.beginSession(signInAgain)
        await this.signingIn
      }
      return attempt()
    }
  }

  /** The session that a call is made in: a token, or the cookie of a client of `/web/v1` outside of browsers. */
  private session(): string | null {
    return this.token ?? this.headers.cookie ?? null
  }

  private async beginSession(signIn: (client: Client) => Promise<unknown>): Promise<void> {
    this.token = null
    delete this.headers.cookie
    try {
      await signIn(this)
    } finally {
      this.signingIn = null
    }
  }

  private async attempt<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    key: string | null,
    signal: AbortSignal,
  ): Promise<Answer<Id>> {
    const [method, template] = operations[id].split(' ') as [string, string]
    const params: Record<string, unknown> = input.params ?? {}
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.set(name, String(value))
    const search = query.size > 0 ? `?${query}` : ''
    const response = await connected(`${ROOT.has(id) ? this.root : this.base}${path}${search}`, {
      method,
      headers: {
        ...this.headers,
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        ...(input.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(input.body ? { body: JSON.stringify(input.body) } : {}),
      signal,
    })
    const [cookie] = this.isStorefront ? response.headers.getSetCookie() : []
    if (cookie) this.headers.cookie = cookie.split(';')[0]!
    const answer = jsonOf(await textOf(response).catch(asConnectionFailed))
    if (response.status !== 200) throw ApiError.of(response, answer)
    if (typeof answer !== 'object' || answer === null)
      throw new CheckFailed("the market's response is not a JSON object")
    this.checkAnswer?.(id, answer)
    return answer as Answer<Id>
  }

  private get isStorefront(): boolean {
    return this.base.endsWith('/web/v1')
  }

  /** Every item of a collection, page by page. */
  async *inscriptions(slug: string, query: { limit?: number; sort?: 'oldest' | 'newest' } = {}) {
    for (let cursor: string | undefined; ; ) {
      const page = await this.call('listCollectionInscriptions', {
        params: { slug },
        query: { ...query, ...(cursor ? { cursor } : {}) },
      })
      yield* page.items
      if (!page.pagination.nextCursor) return
      cursor = page.pagination.nextCursor
    }
  }
}

/** `fetch`, which throws TypeErrors for a market that it does not reach; others are faults of the code that throws them. */
export const connected: typeof fetch = (url, init) => fetch(url, init).catch(asConnectionFailed)
export function asConnectionFailed(error: unknown): never {
  throw error instanceof TypeError ? new ConnectionFailed(error) : error
}

/** The key of one write and its repetitions. (`randomUUID` is missing on pages without TLS.) */
const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** Fires at the deadline, and with the signal. */
export function deadlineOf(milliseconds: number, signal: AbortSignal | null): AbortSignal {
  const deadline = AbortSignal.timeout(milliseconds)
  return signal ? AbortSignal.any([deadline, signal]) : deadline
}

/** Parses JSON; returns null if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Reads the text of a response, up to the size limit. */
export async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || !value) return text + decoder.decode()
    length += value.length
    if (length > MAX_BYTES) {
      await reader!.cancel().catch(() => {})
      throw new CheckFailed("the market's response exceeds the size limit")
    }
    text += decoder.decode(value, { stream: true })
  }
}
