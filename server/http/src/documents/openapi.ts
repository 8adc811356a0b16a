import { docsPathOf, ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { exampleOf } from '@ordbook/contract/example.ts'
import { type Operations, operations } from '@ordbook/contract/index.ts'
import { isKeyed, KeyHeader } from '@ordbook/contract/keyed.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { ErrorResponse } from '@ordbook/contract/scalars.ts'
import { sharedOperations, visitorReads, webOperations } from '@ordbook/contract/web.ts'
import type { TSchema } from 'typebox'
import packageOfServer from '../../package.json' with { type: 'json' }
import { sessionCookieOf } from '../operations/session-cookie.ts'

export const REASONS: Record<number, string> = {
  206: 'Partial content: the requested range.',
  304: 'Not modified.',
  400: 'Invalid request.',
  401: 'Missing, invalid or expired session token, or invalid challenge signature.',
  403: 'Not allowed for this wallet or caller.',
  404: 'Not found.',
  405: 'Method not allowed; see the Allow header.',
  406: 'The client accepts none of the available encodings.',
  408: 'The request was not received in time.',
  409: 'Conflict with the current state: read again and start a new preflight.',
  410: 'The challenge expired.',
  413: 'The body is too large.',
  415: 'The body has a Content-Encoding.',
  416: 'The range is outside the content.',
  429: 'Rate limited: wait for Retry-After.',
  431: 'The headers are too large.',
  500: 'Unexpected server error.',
  503: 'A required service is unavailable: wait for Retry-After.',
}

const RETRY_AFTER = {
  'Retry-After': { schema: { type: 'integer', format: 'int64' }, description: 'Seconds to wait.' },
}
/** Headers of error responses, by status. */
const HEADERS: Record<number, object> = {
  401: {
    'WWW-Authenticate': { schema: { type: 'string' }, description: 'Scheme of the missing credentials.' },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

export const codesOf = (status: number): ErrorCode[] =>
  (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === status)

/** Returns all statuses of an operation except 200. */
export const statusesOf = ({ statuses, body }: Operation) =>
  [...new Set([...statuses, ...(body ? [413, 415] : []), 400, 405, 408, 429, 431, 500, 503])].toSorted(
    (a, b) => a - b,
  )

/** Generates the OpenAPI 3.1 document of the API. */
export function openapiDocument(publicUrl: string, all: Partial<Operations> = operations): object {
  const published = Object.values<Operation>(all).filter(({ additive, root }) => !additive && !root)
  return print(publicUrl, published, {
    base: '/api/v1',
    title: 'ordbook',
    description:
      'API of a Bitcoin ordinals marketplace. Clients sign in with a wallet and trade with PSBTs. See /openapi-public.json for endpoints that require no token.',
    security: { bearer: { type: 'http', scheme: 'bearer' } },
  })
}

export function webOpenapiDocument(publicUrl: string): object {
  return print(publicUrl, [...Object.values<Operation>(webOperations), ...sharedOperations], {
    base: '/web/v1',
    title: 'ordbook storefront',
    description:
      'Endpoints for the storefront, with a session cookie. POST requests require the Origin of this server. Bots should use /api/v1 for the operations that it has.',
    security: { cookie: { type: 'apiKey', in: 'cookie', name: sessionCookieOf(publicUrl).name } },
    optional: visitorReads,
  })
}

/** Generates the OpenAPI document of the endpoints at the root and of the API's additive operations. */
export function publicOpenapiDocument(publicUrl: string): object {
  const record = Object.values<Operation>(operations).filter(({ root, additive }) => root || additive)
  return print(publicUrl, [...Object.values<Operation>(publicReads), ...record], {
    base: '',
    title: 'ordbook public',
    description:
      'Endpoints at the root of the server: inscription content, recursive endpoints, the public record, live events, health, metrics and documents. All except the metrics allow any origin. HEAD is supported wherever GET is.',
    security: { bearer: { type: 'http', scheme: 'bearer' } },
  })
}

interface Schema {
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

interface SurfaceDescription {
  base: string
  title: string
  description: string
  security: Record<string, object>
  /** Ids of the operations that need no credentials, but use them. */
  optional?: ReadonlySet<string>
}

function print(publicUrl: string, all: readonly Operation[], surface: SurfaceDescription): object {
  const schemas: Record<string, unknown> = {}
  /** Replaces titled schemas with references to components. */
  const refer = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const members = Object.fromEntries(
      Object.entries(schema).map(([name, member]) => [name, name === 'examples' ? member : refer(member)]),
    )
    // Some generators merge the objects of an anyOf into one.
    const { anyOf: oneOf, ...rest } = members
    const described = isExclusive((schema as Schema).anyOf) ? { oneOf, ...rest } : members
    if (typeof members.title !== 'string') return described
    schemas[members.title] ??= described
    return { $ref: `#/components/schemas/${members.title}` }
  }
  const content = (schema: TSchema, type = 'application/json') => ({
    [type]: { schema: refer(plain(schema)), example: exampleOf(schema) },
  })
  const errors = (status: number) => ({
    'application/json': { schema: refer(plain(ErrorResponse)), example: errorExampleOf(status, publicUrl) },
  })
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of all) {
    paths[operation.path] ??= serversOf(operation, publicUrl, surface)
    paths[operation.path]![operation.method.toLowerCase()] = {
      operationId: operation.id,
      tags: [operation.area],
      summary: operation.summary,
      ...(operation.description ? { description: operation.description } : {}),
      parameters: parametersOf(operation),
      ...(operation.body ? { requestBody: { required: true, content: content(operation.body) } } : {}),
      responses: {
        200: {
          description: 'Success',
          content: content(operation.answer, operation.type),
        },
        ...Object.fromEntries(
          statusesOf(operation).map((status) => [
            status,
            {
              description: REASONS[status],
              ...(HEADERS[status] ? { headers: HEADERS[status] } : {}),
              ...(status === 304
                ? {}
                : { content: status === 206 ? content(operation.answer, operation.type) : errors(status) }),
            },
          ]),
        ),
      },
      security: securityOf(operation, surface),
      'x-rate-limit-bucket': operation.bucket,
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: surface.title,
      version: packageOfServer.version,
      description: surface.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: {
      url: `${publicUrl}/llms.txt`,
      description: 'Index of all APIs and documents of this server.',
    },
    servers: [{ url: `${publicUrl}${surface.base}` || '/' }],
    tags: [...new Set(all.map((operation) => operation.area))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: surface.security },
  }
}

/** Returns the accepted credentials. An empty object means none. */
function securityOf(
  { id, token, operatorToken }: Operation,
  { security, optional }: SurfaceDescription,
): object[] {
  if (!token && !operatorToken) return []
  const schemes = Object.keys(security).map((name) => ({ [name]: [] }))
  return optional?.has(id) ? [{}, ...schemes] : schemes
}

/** Whether the members of a union differ in a constant, so that exactly one of them matches. */
const isExclusive = (union: readonly Schema[] = []) =>
  Object.keys(union[0]?.properties ?? {}).some((name) =>
    union.every(({ properties }) => properties?.[name]?.const !== undefined),
  )

function errorExampleOf(status: number, publicUrl: string): object {
  const [code] = codesOf(status)
  return {
    error: REASONS[status],
    code,
    retryable: ERRORS[code!].retryable,
    docsUrl: `${publicUrl}${docsPathOf(code!)}`,
  }
}

function serversOf(
  { root, additive }: Operation,
  publicUrl: string,
  { base }: SurfaceDescription,
): { servers?: object[] } {
  return additive && !root && base === '' ? { servers: [{ url: `${publicUrl}/api/v1` }] } : {}
}

const parametersOf = (operation: Operation): object[] => [
  ...parametersIn('path', operation.params),
  ...parametersIn('query', operation.query),
  ...(isKeyed(operation) ? parametersIn('header', KeyHeader) : []),
]

function parametersIn(location: 'path' | 'query' | 'header', schema: Operation['params']): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || ((schema?.required ?? []) as string[]).includes(name),
    schema: plain(property),
    example: exampleOf(property as TSchema, name),
  }))
}

/** Drops TypeBox metadata, which is stored in symbols and hidden properties. */
const plain = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (name, value) => (name === 'examples' ? value : sized(value)))

/** Adds number formats. Otherwise generators assume 32 bits, which overflows at 22 BTC in sats. */
function sized(value: any): unknown {
  if (value?.type === 'number') return { format: 'double', ...value }
  const largest = value?.enum ? Math.max(...value.enum) : value?.maximum
  const isLarge = value?.type === 'integer' && !(largest < 2 ** 31)
  return isLarge ? { format: 'int64', ...value } : value
}
