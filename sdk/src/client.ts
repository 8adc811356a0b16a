import { ApiError, CheckFailed, ConnectionFailed } from './errors.ts'
import { type Answer, type Input, type OperationId, operations, ROOT } from './operations.ts'
import { repeating } from './repeat.ts'

const MAX_BYTES = 32_000_000

const TIMEOUT_MILLISECONDS = 120_000

/** Sign-in calls. They are retried only after a 429, and a 401 does not start another sign-in. */
const SIGN_IN: ReadonlySet<OperationId> = new Set([
  'createAuthChallenge',
  'verifyAuthChallenge',
  'beginWebSignIn',
  'openWebSession',
])

export interface ClientOptions {
  /** Timeout of a request in milliseconds; default 120,000. */
  deadlineMilliseconds?: number
  /** Maximum number of retries (see `repeating`); default 0. */
  repeats?: number
  /** Aborts calls and retries. An aborted write may still have taken effect. */
  signal?: AbortSignal | null
}

export interface CallOptions extends ClientOptions {
  /**
   * Idempotency key of a write. The market returns the same response to repeated requests for a day. Default: a new key per call, shared by
   * its retries.
   */
  idempotencyKey?: string
}

/** Client of one market. `signIn` sets `token`. */
export class Client {
  token: string | null = null
  headers: Record<string, string> = {}
  /** Signs in again after a 401, before the call is retried. Set by `enter`. */
  signInAgain: ((client: Client) => Promise<unknown>) | null = null
  /** Validates each response; `enter` sets it to `assertAnswerSchema`. Null keeps the schemas out of bundles that only read. */
  checkAnswer: ((id: OperationId, answer: object) => void) | null = null
  private signingIn: Promise<void> | null = null
  deadlineMilliseconds: number
  repeats: number
  signal: AbortSignal | null
  private readonly base: string
  private readonly root: string

  /**
   * `base` is the market's address (`https://market.example`), or ends in `/web/v1` for the storefront API, whose session is a cookie.
   * Outside a browser, the cookie is in `headers`.
   */
  constructor(base: string, options: ClientOptions = {}) {
    this.base = base.replace(/\/+$/, '')
    if (/^https?:\/\/[^/]+$/.test(this.base)) this.base += '/api/v1'
    this.root = this.base.replace(/\/(api|web)\/v1$/, '')
    // The storefront API requires an Origin header for writes. Browsers ignore this one and set their own.
    if (this.isStorefront) this.headers.origin = new URL(this.base).origin
    this.deadlineMilliseconds = options.deadlineMilliseconds ?? TIMEOUT_MILLISECONDS
    this.repeats = options.repeats ?? 0
    this.signal = options.signal ?? null
  }

  /** Returns a client of the same session with other options: `buy({ ...trader, client: client.with({ signal }) }, …)`. */
  with(options: ClientOptions): Client {
    const { deadlineMilliseconds, repeats, signal, token, headers, signInAgain, checkAnswer } = this
    const client = new Client(this.base, { deadlineMilliseconds, repeats, signal, ...options })
    return Object.assign(client, { token, headers: { ...headers }, signInAgain, checkAnswer })
  }

  /**
   * Calls an operation. Throws ApiError for any status but 200, CheckFailed for a malformed response, a TimeoutError after the deadline,
   * and the reason of the signal.
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
    // Idempotent writes are as safe to retry as reads.
    const key = SIGN_IN.has(id) || operations[id].startsWith('GET ') ? null : idempotencyKey
    return repeating(
      () =>
        this.inSession(id, () =>
          withinDeadline(deadlineMilliseconds, signal, (limit) => this.attempt(id, input, key, limit)),
        ),
      { repeats, isSafe: !SIGN_IN.has(id), signal },
    )
  }

  private async inSession<T>(id: OperationId, attempt: () => Promise<T>): Promise<T> {
    const { signInAgain } = this
    const session = this.session()
    try {
      return await attempt()
    } catch (error) {
      const isExpired = error instanceof ApiError && error.status === 401
      if (!isExpired || !signInAgain || SIGN_IN.has(id)) throw error
      if (this.signingIn || this.session() === session) {
        this.signingIn ??= this.beginSession(signInAgain)
        await this.signingIn
      }
      return attempt()
    }
  }

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
      // A redirect could send a signed body to another server.
      redirect: 'manual',
      signal,
    })
    const [cookie] = this.isStorefront ? response.headers.getSetCookie() : []
    if (cookie) this.headers.cookie = cookie.split(';')[0]!
    const answer = jsonOf(await textOf(response).catch(asConnectionFailed))
    assertNotRedirected(response)
    if (response.status !== 200) throw ApiError.of(response, answer)
    if (typeof answer !== 'object' || answer === null)
      throw new CheckFailed("the market's response is not a JSON object")
    this.checkAnswer?.(id, answer)
    return answer as Answer<Id>
  }

  /** Host of the market, for `signIn`. */
  get host(): string {
    return new URL(this.root).host
  }

  private get isStorefront(): boolean {
    return this.base.endsWith('/web/v1')
  }

  /** Iterates over the items of a collection, page by page. */
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

/** Like `fetch`, but throws ConnectionFailed for network errors. */
export const connected: typeof fetch = (url, init) => fetch(url, init).catch(asConnectionFailed)
export function asConnectionFailed(error: unknown): never {
  throw error instanceof TypeError ? new ConnectionFailed(error) : error
}

/** Throws ApiError for a redirect. In browsers, its status is 0 and its address is hidden. */
function assertNotRedirected({ type, status, headers }: Response): void {
  const location = headers.get('location')
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && location))
    throw new ApiError(status, `the market redirects to ${location ?? 'another address'}`)
}

/** Creates an idempotency key. `randomUUID` does not exist on pages without TLS. */
export const freshKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** A longer timer would fire immediately. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1

/**
 * Runs a call with a signal that aborts with a TimeoutError after the deadline, and with `signal`. Not `AbortSignal.any`: in Node 20, the
 * garbage collector removes a timeout that only such a signal uses.
 */
export async function withinDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | null,
  call: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const limit = new AbortController()
  const stop = () => limit.abort(signal!.reason)
  const onTimeout = () => limit.abort(new DOMException('the request timed out', 'TimeoutError'))
  const timer = setTimeout(onTimeout, Math.min(milliseconds, MAX_TIMER_MILLISECONDS))
  signal?.addEventListener('abort', stop)
  // Reading the body of a response may not notice the signal.
  const aborted = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason))
  })
  try {
    return await Promise.race([call(limit.signal), aborted])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

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
