import { isKeyed } from '@ordbook/contract/keyed.ts'
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '@ordbook/contract/operation.ts'
import { ErrorResponse } from '@ordbook/contract/scalars.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { clientKeyOf, clientOf } from '../limits/client-key.ts'
import { probeHalfClosed } from '../limits/connections.ts'
import { countRequest, type RateLimiter } from '../limits/rate-limit.ts'
import { type IdempotentCalls, idempotencyKeyOf } from './idempotency.ts'

export interface Session {
  profileId: string
  sessionId: string
  surface: 'api' | 'web'
  /** Set if this surface renews sessions. */
  token?: string
}

export interface Caller {
  key: string
  userAgent: string
}

export interface Call<O extends Operation> {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  session: O['token'] extends true ? Session : null
  caller: Caller
  /** Aborts if the client disconnects before the response is sent. */
  signal: AbortSignal
}

export type SessionCall<O extends Operation> = Pick<Call<O>, 'session' | 'params' | 'body'>

export interface Route {
  operation: Operation
  handle: (call: any) => Promise<unknown>
  /** Returns additional rate limit keys, each combined with the client key. */
  limitKeys?: (call: any) => Promise<string[]>
  headers?: (answer: any) => Record<string, string>
}

/** Creates a typed route. Handlers can return serialized JSON. */
export function route<const O extends Operation>(
  operation: O,
  handle: (call: Call<O>) => Promise<AnswerOf<O> | Buffer>,
  more: {
    limitKeys?: (call: Call<O>) => Promise<string[]>
    headers?: (answer: AnswerOf<O>) => Record<string, string>
  } = {},
): Route {
  return { operation, handle, ...more }
}

export interface Gate {
  /** Rejects requests that this surface does not accept. Throws `forbidden`. */
  refuse?: (request: FastifyRequest) => void
  /** Rejects operations that are currently unavailable. Throws `unavailable`. */
  admit?: (operation: Operation) => Promise<void>
  /** Returns the session of a request. Throws `unauthenticated` or `forbidden`. */
  authenticate: (request: FastifyRequest) => Promise<Session>
  limiter: RateLimiter | null
  /** Counts a request against further limits. Throws `throttled`. */
  countMore?: (operation: Operation, session: Session) => Promise<void>
  /** Runs writes with an idempotency key once. If unset, keys are ignored. */
  calls?: IdempotentCalls
  /** Operations that run as `VISITOR` without a session. */
  visitorReads?: ReadonlySet<string>
}

/** Session of a visitor, who has no profile. */
export const VISITOR: Session = {
  profileId: '00000000-0000-0000-0000-000000000000',
  sessionId: '00000000-0000-0000-0000-000000000000',
  surface: 'web',
}

export const FORMATS = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  'date-time': (text: string) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
  // Numeric formats are used only by client generators.
  int64: true,
  double: true,
} as const

/** `text` is for path and query parameters, whose strings `readTexts` converts. `strict` validates bodies. */
export function validators() {
  // Without strictNumbers, an integer too large for a number is reported as above its maximum.
  const text = new Ajv2020({ verbose: true, useDefaults: true, strictNumbers: false, formats: FORMATS })
  const strict = new Ajv2020({ verbose: true, formats: FORMATS })
  return { text, strict }
}

const INTEGER = /^-?(0|[1-9]\d*)$/

/**
 * Converts the strings of a path or query to the integers and booleans of its schema. Leaves other strings,
 * such as `1e1` and ` 1`, for the validator to reject.
 */
function readTexts({ properties = {} }: Partial<TObject>, values: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries<{ type?: string }>(properties)) {
    const text = values[name]
    if (typeof text !== 'string') continue
    if (type === 'integer' && INTEGER.test(text)) values[name] = Number(text)
    if (type === 'boolean' && (text === 'true' || text === 'false')) values[name] = text === 'true'
  }
}

/** Schemas are compiled on first use, because compiling all of them delays the start. */
const compiled = validators()
const serializers = new WeakMap<object, (answer: unknown) => string>()

export function validatorOf(schema: object, kind: keyof typeof compiled) {
  let check: ReturnType<typeof compiled.text.compile> | undefined
  const validate = (value: unknown): boolean => {
    // Ajv caches validators by schema.
    check ??= compiled[kind].compile(schema)
    if (kind === 'text') readTexts(schema, value as Record<string, unknown>)
    const isValid = check(value)
    validate.errors = check.errors
    return isValid as boolean
  }
  validate.errors = null as ReturnType<typeof compiled.text.compile>['errors']
  return validate
}

export function serialize(schema: object, answer: unknown): string {
  const serializer = serializers.get(schema) ?? fastJson(schema as Schema)
  serializers.set(schema, serializer)
  return serializer(answer)
}

/**
 * Aborts if the client disconnects before the response is sent. (The request itself closes when its body is
 * read.)
 */
function disconnectOf({ raw, request }: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  if (request.raw.httpVersionMinor === 1) probeHalfClosed(raw, () => raw.headersSent || raw.writeContinue())
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort()
  })
  return disconnected.signal
}

/** Runs a write once if it has an idempotency key. Returns null for other calls. Rethrows errors of `handle`. */
async function runOnce(
  calls: IdempotentCalls | undefined,
  operation: Operation,
  { headers, params, query, body }: FastifyRequest,
  reply: FastifyReply,
  session: Session | null,
  handle: () => Promise<unknown>,
): Promise<Buffer | null> {
  const key = idempotencyKeyOf(headers['idempotency-key'])
  if (!calls || !session || key === null) return null
  const request = [operation.id, params, query, body]
  const finished = await calls.run({ profileId: session.profileId, key, request }, async () => {
    const answer = await handle()
    return Buffer.isBuffer(answer) ? answer : Buffer.from(serialize(operation.answer, answer))
  })
  reply.code(finished.status).type('application/json; charset=utf-8')
  return finished.body
}

/** Registers operations. Requests pass rate limits, authentication and validation before the handler. */
export function registerOperations(scope: FastifyInstance, routes: readonly Route[], gate: Gate): void {
  const sessions = new WeakMap<FastifyRequest, Session>()
  const callOf = (request: FastifyRequest, reply: FastifyReply) => ({
    get signal() {
      return disconnectOf(reply)
    },
    params: request.params,
    query: request.query,
    body: request.body,
    session: sessions.get(request) ?? null,
    get caller() {
      return clientOf(request)
    },
  })
  scope.setValidatorCompiler(({ schema, httpPart }) =>
    validatorOf(schema as object, httpPart === 'body' ? 'strict' : 'text'),
  )
  scope.setSerializerCompiler(
    ({ schema }) =>
      (answer) =>
        serialize(schema as object, answer),
  )
  for (const { operation, handle, limitKeys, headers } of routes) {
    const { bucket } = operation
    const check = (kind: 'perIp' | 'perKey', key: string) => countRequest(gate.limiter, bucket, kind, key)
    const isForVisitors = gate.visitorReads?.has(operation.id) ?? false
    scope.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { isRaw: operation.secret ?? false },
      schema: {
        ...(operation.params ? { params: operation.params } : {}),
        ...(operation.query ? { querystring: operation.query } : {}),
        ...(operation.body ? { body: operation.body } : {}),
        response: { 200: operation.answer, '4xx': ErrorResponse, '5xx': ErrorResponse },
      },
      onRequest: async (request, reply) => {
        reply.header('cache-control', operation.sameForAll ? 'private, no-cache' : 'private, no-store')
        gate.refuse?.(request)
        await check('perIp', clientKeyOf(request))
        if (!operation.token) return
        const session = await gate.authenticate(request).catch((error: unknown) => {
          if (isForVisitors && error instanceof Fault && error.kind === 'unauthenticated') return VISITOR
          throw error
        })
        sessions.set(request, session)
        if (session !== VISITOR) {
          await check('perKey', session.profileId)
          await gate.countMore?.(operation, session)
        }
        await gate.admit?.(operation)
      },
      ...(limitKeys && gate.limiter
        ? {
            preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
              for (const key of await limitKeys(callOf(request, reply)))
                await check('perKey', `${clientKeyOf(request)} ${key}`)
            },
          }
        : {}),
      handler: async (request, reply) => {
        const call = callOf(request, reply)
        if (isKeyed(operation)) {
          const stored = await runOnce(gate.calls, operation, request, reply, call.session, () =>
            handle(call),
          )
          if (stored) return stored
        }
        const answer = await handle(call)
        if (headers) reply.headers(headers(answer))
        if (Buffer.isBuffer(answer)) reply.type('application/json; charset=utf-8')
        return answer
      },
    })
  }
}
