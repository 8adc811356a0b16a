import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { exampleOf } from '@ordbook/contract/example.ts'
import { GUIDE } from '@ordbook/contract/guide.ts'
import { operations } from '@ordbook/contract/index.ts'
import { isKeyed, KeyHeader } from '@ordbook/contract/keyed.ts'
import type { Area, Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { visitorReads, webOperations } from '@ordbook/contract/web.ts'
import type { BaseContext } from '@ordbook/db/context.ts'
import { limitsOf } from '../limits/limits.ts'
import { sessionCookieOf } from '../operations/session-cookie.ts'
import { describeErrors, statusAnchor } from './errors-reference.ts'
import { codesOf, REASONS, statusesOf } from './openapi.ts'
import { PAGE_DATES } from './page-dates.ts'
import { tableOfFields } from './reference-fields.ts'
import { isWritten, readWritten } from './written-pages.ts'

const pathOf = (operation: Operation, isWeb: boolean) =>
  `${operation.root ? '' : isWeb ? '/web/v1' : '/api/v1'}${operation.path}`

/** Lists the areas of the reference with their pages and operations. */
export function listAreas(): {
  area: Area
  page: string
  summary: string
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
    summary: GUIDE[area].summary,
    entries: entries.filter(({ operation }) => operation.area === area),
  }))
}

export const listPages = (): string[] => Object.values(GUIDE).map(({ page }) => page)

/** Returns the day (YYYY-MM-DD) of the last change of a page. If `page` is null, of any page. */
export const dateOf = (page: string | null): string =>
  page === null ? listPages().map(dateOf).toSorted().at(-1)! : PAGE_DATES[page]!.date

/** Returns a page, or the index if `page` is null, as Markdown with its date below the title. */
export function datedPage(
  page: string | null,
  context: Pick<BaseContext, 'publicUrl' | 'config'>,
): string | null {
  const text = page === null ? referenceIndex(context.publicUrl) : referencePage(page, context)
  return text?.replace(/^(# .*)$/m, `$1\n\nUpdated ${dateOf(page)}.`) ?? null
}

/** Returns a reference page as Markdown, or null if it does not exist. */
export function referencePage(
  page: string,
  { publicUrl, config }: Pick<BaseContext, 'publicUrl' | 'config'>,
): string | null {
  const section = listAreas().find((candidate) => candidate.page === page)
  if (!section) return null
  if (isWritten(page)) return readWritten(page)
  const text = [
    `# ${section.area}`,
    '',
    GUIDE[section.area].text,
    '',
    ...(section.entries.length > 0
      ? [
          'Examples are fictional, except for the slugs of the demo market. `$TOKEN` is your session token.',
          '',
        ]
      : [...describeErrors(), ...describeBuckets(config), ...describeHeaders()]),
    ...section.entries.flatMap(({ operation, path }) => describe(operation, path, publicUrl)),
  ].join('\n')
  return text.replace(
    /\bbc1[a-z0-9]{20,}/g,
    (address) => addressOfScript(scriptOfAddress(address, 'mainnet'), config.addressNetwork)!,
  )
}

/** Returns the index of the reference as Markdown. */
const referenceIndex = (publicUrl: string): string =>
  [
    '# API reference',
    '',
    `The API is at \`${publicUrl}/api/v1\`, the endpoints of the storefront are at \`${publicUrl}/web/v1\`. Requests and responses are JSON, amounts named \`…Sats\` are integer sats, \`price\` and \`lastSale\` are BTC, times are ISO 8601 in UTC. Send \`Authorization: Bearer <sessionToken>\` if an operation requires a token ([how to sign in](authentication.md)). Cursors are opaque: send \`nextCursor\` unchanged, with the same sort and filters. Every error has a [code](errors.md).`,
    '',
    'Machine-readable: OpenAPI documents of the [API](/openapi.json), the [storefront](/web/v1/openapi.json) and the [root](/openapi-public.json), and [llms.txt](/llms.txt). Add `.md` to the URL of a page, also of this one, to get Markdown.',
    '',
    ...listAreas().flatMap(({ area, page, summary, entries }) => [
      `## ${area}`,
      '',
      ...(entries.length === 0 ? [`- [${area}](${page}.md) ${summary}`] : []),
      ...entries.map(
        ({ operation, path }) =>
          `- [\`${operation.method} ${path}\`](${page}.md#${operation.id}) ${operation.summary}`,
      ),
      '',
    ]),
  ].join('\n')

const describeBuckets = (config: BaseContext['config']): string[] => [
  '## Rate limits',
  '',
  `Requests per minute, counted per client (an IPv4 address or an IPv6 /64) and per profile. Rejected requests count. Each operation's page names its bucket.${config.rateLimits === 'on' ? '' : ' Rate limiting is off on this server.'}`,
  '',
  '| Bucket | Client | Profile |',
  '| --- | --- | --- |',
  ...Object.entries(limitsOf(config)).map(
    ([bucket, { perIp, perKey }]) => `| \`${bucket}\` | ${perIp} | ${perKey === perIp ? '' : perKey} |`,
  ),
  '',
  `Per client: at most ${config.contentMaxPerClient} content responses and ${config.contentMaxMegabytesPerClient} MB in flight. Per connection: at most 16 requests in flight. A client that leaves a response unread for 30 seconds is disconnected.`,
  '',
]

const describeHeaders = () => [
  '## Headers',
  '',
  '| Header | Responses | Meaning |',
  '| --- | --- | --- |',
  '| `Retry-After` | 429, 503 | Seconds to wait before a retry. |',
  '| `WWW-Authenticate` | 401 | `Bearer`, with `error="invalid_token"` if a token was sent. `Cookie` on the storefront. |',
  '| `X-Request-Id` | errors | Request id; include it in reports. |',
  '| `ETag` | public reads except `GET /trading`, content, documents | Send it as `If-None-Match`; 304 means unchanged. |',
  '| `Cache-Control` | all | `private, no-store` for errors, personal data and `GET /trading`. |',
  '',
]

function describe(operation: Operation, path: string, publicUrl: string): string[] {
  const { method, params, query, body, answer, bucket } = operation
  return [
    `<a id="${operation.id}"></a>`,
    `## ${method} ${path}`,
    '',
    [operation.summary, operation.description, accessTo(operation, path)].filter(Boolean).join(' '),
    `Rate limit bucket: \`${bucket}\`. Operation id: \`${operation.id}\`.`,
    '',
    ...tableOfFields('Path', params),
    ...tableOfFields('Query', query),
    ...(isKeyed(operation) ? tableOfFields('Headers', KeyHeader) : []),
    ...tableOfFields('Body', body),
    ...example(operation, path, publicUrl),
    ...tableOfFields('Response', answer),
    ...exampleAnswer(operation),
    '| Status | When | |',
    '| --- | --- | --- |',
    ...statusesOf(operation).map(
      (status) =>
        `| ${status} | ${REASONS[status]} | ${codesOf(status).length > 0 ? `[codes](errors.md#${statusAnchor(status)})` : ''} |`,
    ),
    '',
  ]
}

function accessTo({ id, token, operatorToken }: Operation, path: string): string {
  if (operatorToken) return "Requires the operator's `METRICS_TOKEN` as the bearer token."
  if (!token) return 'No token required.'
  if (!path.startsWith('/web/')) return 'Requires `Authorization: Bearer <sessionToken>`.'
  return visitorReads.has(id) ? 'The session cookie is optional.' : 'Requires the session cookie.'
}

function exampleAnswer({ answer, type = 'application/json' }: Operation): string[] {
  if (type !== 'application/json') return [`The response type is \`${type}\`.`, '']
  return ['**Example response**', '', '```json', JSON.stringify(exampleOf(answer), null, 2), '```', '']
}

/** Returns a curl command. It reads the token from $TOKEN, or from $SESSION for the storefront. */
function example(operation: Operation, path: string, publicUrl: string): string[] {
  const values = (schema: object | undefined) =>
    schema ? (exampleOf(schema as Operation['answer']) as Record<string, unknown>) : {}
  const params = values(operation.params)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
  const shown = Object.entries(values(operation.query)).filter(
    ([name]) => name === 'limit' || operation.query?.required?.includes(name),
  )
  const search = shown.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
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
