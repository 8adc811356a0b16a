import { exampleOf } from '@ordbook/contract/example.ts'
import { type Operations, operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { ErrorResponse } from '@ordbook/contract/scalars.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import type { TSchema } from 'typebox'
import { sessionCookieOf } from './session-cookie.ts'

/** When each status is answered. */
export const REASONS: Record<number, string> = {
  400: 'A path parameter, query parameter or the body is not valid.',
  401: 'The session token is missing, invalid or expired; in verify, a signature is.',
  403: 'Not allowed: wallet not eligible, or not the owner of the binding.',
  404: 'Unknown collection, listing, inscription or challenge.',
  409: 'The trading state moved: read again and start with a new preflight.',
  410: 'The challenge expired: start a new flow.',
  413: 'The body is too large.',
  429: 'Rate limited; Retry-After says how many seconds to wait.',
  500: 'Unexpected; retry once.',
  503: 'A backend that this needs is down for now; wait and retry.',
}

/** What an operation may answer beside 200: its own list, and what no operation can rule out. */
export const statusesOf = ({ statuses, body }: Operation) =>
  [...new Set([...statuses, ...(body ? [413] : []), 500])].toSorted((a, b) => a - b)

/** The OpenAPI 3.1 document, printed from the same operations that serve. */
export function openapiDocument(publicUrl: string, all: Partial<Operations> = operations): object {
  return print(publicUrl, Object.values<Operation>(all), {
    base: '/api/v1',
    title: 'ordbook',
    description:
      'A Bitcoin ordinals marketplace: read the book, list, buy and trade by PSBT, signed in by wallet.',
    security: { bearer: { type: 'http', scheme: 'bearer' } },
  })
}

/** The same for the storefront's surface. */
export function webOpenapiDocument(publicUrl: string): object {
  return print(publicUrl, [...Object.values<Operation>(webOperations), ...sharedOperations], {
    base: '/web/v1',
    title: 'ordbook storefront',
    description:
      'What the pages of this server use, with a cookie session. Requests that change something need the Origin of this server. Bots use /api/v1.',
    security: { cookie: { type: 'apiKey', in: 'cookie', name: sessionCookieOf(publicUrl).name } },
  })
}

interface SurfaceDescription {
  base: string
  title: string
  description: string
  /** The one security scheme, by its name. */
  security: Record<string, object>
}

function print(publicUrl: string, all: readonly Operation[], surface: SurfaceDescription): object {
  const schemas: Record<string, unknown> = { ErrorResponse: plain(ErrorResponse) }
  /** A schema with every titled one in it, and itself, replaced by a reference to its name. */
  const refer = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const members = Object.fromEntries(
      Object.entries(schema).map(([name, member]) => [name, name === 'examples' ? member : refer(member)]),
    )
    if (typeof members.title !== 'string') return members
    schemas[members.title] ??= members
    return { $ref: `#/components/schemas/${members.title}` }
  }
  const content = (schema: TSchema) => ({
    'application/json': { schema: refer(plain(schema)), example: exampleOf(schema) },
  })
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of all) {
    paths[operation.path] ??= operation.root ? { servers: [{ url: publicUrl || '/' }] } : {}
    paths[operation.path]![operation.method.toLowerCase()] = {
      operationId: operation.id,
      tags: [operation.area],
      summary: operation.summary,
      ...(operation.description ? { description: operation.description } : {}),
      parameters: [...parametersOf('path', operation.params), ...parametersOf('query', operation.query)],
      ...(operation.body ? { requestBody: { required: true, content: content(operation.body) } } : {}),
      responses: {
        200: {
          description: 'Success',
          content: content(operation.answer),
        },
        ...Object.fromEntries(
          statusesOf(operation).map((status) => [
            status,
            {
              description: REASONS[status],
              ...(status === 429
                ? {
                    headers: {
                      'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' },
                    },
                  }
                : {}),
              content: {
                'application/json': {
                  schema: { $ref: '#/components/schemas/ErrorResponse' },
                  example: { error: REASONS[status] },
                },
              },
            },
          ]),
        ),
      },
      security: operation.token ? Object.keys(surface.security).map((name) => ({ [name]: [] })) : [],
      'x-rate-limit-bucket': operation.bucket,
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: surface.title,
      version: '0.1.0',
      description: surface.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}${surface.base}` }],
    tags: [...new Set(all.map((operation) => operation.area))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: surface.security },
  }
}

function parametersOf(place: 'path' | 'query', schema: Operation['params']): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || ((schema?.required ?? []) as string[]).includes(name),
    schema: plain(property),
    example: exampleOf(property as TSchema, name),
  }))
}

/** Only what JSON holds: TypeBox keeps its own marks in symbols and hidden properties. */
const plain = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema))
