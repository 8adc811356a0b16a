import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { exampleOf } from '@ordbook/contract/example.ts'
import { GUIDE } from '@ordbook/contract/guide.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Area, Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import type { Context } from '../context.ts'
import { describeErrors } from './errors-reference.ts'
import { limitsOf } from './limits.ts'
import { REASONS, statusesOf } from './openapi.ts'
import { sessionCookieOf } from './session-cookie.ts'

/** The path of an operation, below the server's address. */
const pathOf = (operation: Operation, isWeb: boolean) =>
  `${operation.root ? '' : isWeb ? '/web/v1' : '/api/v1'}${operation.path}`

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  description?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
}

/** The areas, each with its page and its operations of both surfaces. */
export function listAreas(): {
  area: Area
  page: string
  entries: { operation: Operation; path: string }[]
}[] {
  const entries = [
    ...Object.values<Operation>({ ...operations, ...publicReads }).map((operation) => ({
      operation,
      path: pathOf(operation, false),
    })),
    ...Object.values<Operation>(webOperations).map((operation) => ({
      operation,
      path: pathOf(operation, true),
    })),
  ]
  return (Object.keys(GUIDE) as Area[]).map((area) => ({
    area,
    page: GUIDE[area].page,
    entries: entries.filter(({ operation }) => operation.area === area),
  }))
}

/** The names of the reference pages. */
export const listPages = (): string[] => Object.values(GUIDE).map(({ page }) => page)

/** The reference page of an area as Markdown, printed from the operations that serve; null where there is no such page. */
export function referencePage(
  page: string,
  { publicUrl, config }: Pick<Context, 'publicUrl' | 'config'>,
): string | null {
  const found = listAreas().find((each) => each.page === page)
  if (!found) return null
  const text = [
    `# ${found.area}`,
    '',
    GUIDE[found.area].text,
    '',
    ...(found.entries.length > 0
      ? [
          'The examples are made up, but for the slugs of the demo market; `$TOKEN` is your session token.',
          '',
        ]
      : [...describeErrors(), ...describeBuckets(config), ...describeHeaders()]),
    ...found.entries.flatMap(({ operation, path }) => describe(operation, path, publicUrl)),
  ].join('\n')
  // Addresses as this market writes them.
  return text.replace(
    /\bbc1[a-z0-9]{20,}/g,
    (address) => addressOfScript(scriptOfAddress(address, 'mainnet'), config.addressNetwork)!,
  )
}

/** The limits of this server, and the operations that count together. */
function describeBuckets(config: Context['config']): string[] {
  const all = listAreas().flatMap(({ entries }) => entries)
  const about = (bucket: string) => {
    const paths = all
      .filter(({ operation }) => operation.bucket === bucket)
      .map(({ operation }) => operation.id)
    return paths.length > 8
      ? `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`
      : paths.join(', ')
  }
  return [
    '## Rate limits',
    '',
    config.rateLimits === 'on'
      ? 'Requests a minute on this server. The page of each operation names its bucket.'
      : 'This server counts nothing at present. With its limits on, these are the requests a minute.',
    '',
    '| Bucket | A client | A profile, or an address that signs in | Operations |',
    '| --- | --- | --- | --- |',
    ...Object.entries(limitsOf(config)).map(
      ([bucket, { perIp, perKey }]) =>
        `| \`${bucket}\` | ${perIp} | ${perKey === perIp ? '' : perKey} | ${about(bucket)} |`,
    ),
    '',
    `At most ${config.contentClientAnswers} answers with content, and ${config.contentClientMegabytes} MB of them, are on their way to one client; at most 16 requests of a connection wait for their answers. A client that leaves an answer unread for 30 seconds is disconnected.`,
    '',
  ]
}

const describeHeaders = () => [
  '## Headers',
  '',
  '| Header | On | What it says |',
  '| --- | --- | --- |',
  '| `Retry-After` | 429, 503 | Seconds to wait before the request is sent again. |',
  '| `X-Request-Id` | every refusal | Names the request in the log of the server: send it along with a report. |',
  '| `Allow` | 405 | The methods that the path takes. |',
  '| `ETag` | public reads, content, documents | Send it as `If-None-Match`: 304 says that nothing changed. |',
  '| `Cache-Control` | everything | `private, no-store` for what is personal and for every refusal; content may be kept for two weeks. |',
  '| `Vary` | compressed answers | They differ by `Accept-Encoding`: brotli and gzip are taken. |',
  '',
]

function describe(operation: Operation, path: string, publicUrl: string): string[] {
  const { method, params, query, body, answer, bucket, token } = operation
  const access = path.startsWith('/web/')
    ? 'Needs the session cookie.'
    : 'Needs `Authorization: Bearer <sessionToken>`.'
  return [
    `## ${method} ${path}`,
    '',
    [operation.summary, operation.description, token ? access : 'Needs no token.'].filter(Boolean).join(' '),
    `Counts as \`${bucket}\` for the rate limits. Operation id: \`${operation.id}\`.`,
    '',
    ...table('Path', params),
    ...table('Query', query),
    ...table('Body', body),
    ...example(operation, path, publicUrl),
    ...table('Answer', answer),
    '| Status | When |',
    '| --- | --- |',
    ...statusesOf(operation).map((status) => `| ${status} | ${REASONS[status]} |`),
    '',
  ]
}

function table(title: string, schema: object | undefined): string[] {
  if (!schema) return []
  const rows = fieldsOf(schema as Schema, '')
  if (rows.length === 0) return []
  return [
    `**${title}**`,
    '',
    '| Field | Type | |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| \`${row.name}\` | ${row.type} | ${row.about} |`),
    '',
  ]
}

interface Field {
  name: string
  type: string
  about: string
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const { inner, nullable } = unwrap(member)
    const path = `${prefix}${name}${required.has(name) ? '' : '?'}`
    const rest = [
      inner.description,
      inner.default === undefined ? undefined : `Default ${JSON.stringify(inner.default)}.`,
    ]
    const own: Field = {
      name: path,
      type: `${typeOf(inner)}${nullable ? ' or null' : ''}`,
      about: rest.filter(Boolean).join(' ').replaceAll('|', '\\|'),
    }
    const nested = inner.type === 'array' ? unwrap(inner.items!).inner : inner
    return [own, ...fieldsOf(nested, `${path}${inner.type === 'array' ? '[]' : ''}.`)]
  })
}

function unwrap(schema: Schema): { inner: Schema; nullable: boolean } {
  const others = schema.anyOf?.filter((each) => each.type !== 'null')
  return others?.length === 1 && schema.anyOf!.length === 2
    ? { inner: others[0]!, nullable: true }
    : { inner: schema, nullable: false }
}

function typeOf(schema: Schema): string {
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return `one of ${schema.enum.map((each) => `\`${each}\``).join(', ')}`
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  const range = (low: number | undefined, high: number | undefined) =>
    low === undefined && high === undefined ? '' : `, ${low ?? 0}..${high ?? ''}`
  switch (schema.type) {
    case 'array': {
      const items = unwrap(schema.items!).inner
      return `array of ${typeOf(items)}${range(schema.minItems, schema.maxItems)}`
    }
    case 'object': {
      const kind = schema.properties?.kind
      return kind && 'const' in kind ? `object, kind ${typeOf(kind)}` : 'object'
    }
    case 'string':
      return `${schema.format ?? 'string'}${range(schema.minLength, schema.maxLength)}`
    default:
      return `${schema.type}${range(schema.minimum, schema.maximum)}`
  }
}

/** A request that can be pasted into a shell, where $TOKEN is a session token. */
function example(operation: Operation, path: string, publicUrl: string): string[] {
  const values = (schema: object | undefined) =>
    schema ? (exampleOf(schema as Operation['answer']) as Record<string, unknown>) : {}
  const params = values(operation.params)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
  const wanted = Object.entries(values(operation.query)).filter(
    ([name]) => name === 'limit' || operation.query?.required?.includes(name),
  )
  const search = wanted.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  const isWeb = path.startsWith('/web/')
  const lines = [
    `curl -s${operation.method === 'POST' ? ' -X POST' : ''} '${publicUrl}${filled}${search ? `?${search}` : ''}'`,
    ...(operation.token
      ? [isWeb ? `-b "${sessionCookieOf(publicUrl).name}=$SESSION"` : '-H "authorization: Bearer $TOKEN"']
      : []),
    ...(isWeb && operation.method === 'POST' ? [`-H 'origin: ${new URL(publicUrl).origin}'`] : []),
    ...(operation.body
      ? ["-H 'content-type: application/json'", `-d '${JSON.stringify(values(operation.body), null, 2)}'`]
      : []),
  ]
  return ['```sh', lines.join(' \\\n  '), '```', '']
}
