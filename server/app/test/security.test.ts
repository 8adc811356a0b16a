import {
  openapiDocument,
  publicOpenapiDocument,
  webOpenapiDocument,
} from '@ordbook/http/documents/openapi.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Asked, everyRequest } from '../../../e2e/operations/support/every-request.ts'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { signInAtStorefront } from '../../../e2e/support/storefront.ts'

interface Described {
  paths: Record<string, Record<string, { security?: object[] }>>
}
type Access = 'none' | 'optional' | 'required'

const market = setUpMarket({ METRICS_TOKEN: 'm'.repeat(32) })
const trader = setUpTrader(market)
let requests: Asked[]
beforeAll(async () => {
  const { cookie } = await signInAtStorefront(market.server.url, trader.wallet)
  requests = await everyRequest(market, market.server.url, { trader, cookie, otherCookie: cookie })
})

function accessOf(security: object[]): Access {
  if (security.length === 0) return 'none'
  return security.some((each) => Object.keys(each).length === 0) ? 'optional' : 'required'
}

/** Returns the access of every operation that a document describes, by method and path. */
function describedAccess(document: object, base: string): [name: string, access: Access][] {
  return Object.entries((document as Described).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]): [string, Access][] =>
      security ? [[`${method.toUpperCase()} ${base}${path}`, accessOf(security)]] : [],
    ),
  )
}

const URL = 'http://market.example'
const API = describedAccess(openapiDocument(URL), '/api/v1')
const WEB = describedAccess(webOpenapiDocument(URL), '/web/v1')
const PUBLIC = describedAccess(publicOpenapiDocument(URL), '')

const REFUSALS = ['session-required', 'operator-token-required', 'metrics-closed']

/** Sends a request without credentials. Returns whether the server asks for them. */
async function isRefused({ path, method, headers, body }: Asked): Promise<boolean> {
  const { authorization: _, cookie: __, ...rest } = headers
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(30_000)])
  // Only a session has wallet bindings.
  const { walletBindingId: ___, ...fields } = JSON.parse(body ?? '{}')
  const sent = body === undefined ? {} : { body: JSON.stringify(fields) }
  const response = await fetch(`${market.server.url}${path}`, { method, headers: rest, ...sent, signal })
  const mayRefuse = response.status === 401 || response.status === 403
  if (mayRefuse) return REFUSALS.includes(((await response.json()) as { code: string }).code)
  // Event streams never end.
  ended.abort()
  return false
}

describe.each([
  ['API', API],
  ['storefront', WEB],
  ['public', PUBLIC],
])('%s document', (_, described) => {
  it('marks exactly the operations that need credentials', async () => {
    const checked = await Promise.all(
      described.map(async ([name, access]) => {
        const request = requests.find(
          (each) => each.name === name || each.name === name.replace(' ', ' /api/v1'),
        )
        if (!request) throw new Error(`no request for ${name}`)
        return { name, access, isRefused: await isRefused(request) }
      }),
    )
    expect(checked.length).toBeGreaterThan(10)
    const wrong = checked.filter((each) => each.isRefused !== (each.access === 'required'))
    expect(wrong).toEqual([])
  })
})

it('marks the cookie of quotes and public reads as optional', () => {
  const optional = WEB.flatMap(([name, access]) => (access === 'optional' ? [name] : []))
  expect(optional).toEqual(
    expect.arrayContaining(['POST /web/v1/collection/{slug}/purchases/quote', 'GET /web/v1/listings']),
  )
  expect([...API, ...PUBLIC].filter(([, access]) => access === 'optional')).toEqual([])
})
