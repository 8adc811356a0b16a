import { expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

const market = setUpMarket()
const trader = setUpTrader(market)

const request = (path: string, init: RequestInit = {}) =>
  fetch(`${market.server.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${trader.client.token}`, ...init.headers },
  })

const bodyOf = async (response: Response) =>
  (await response.json()) as { error: string; code: string; docsUrl: string }

const post = (path: string, body: string, type = 'application/json') =>
  request(path, { method: 'POST', body, headers: { 'content-type': type } })

it.each([
  ['/api/v1/listings?limit=0', 400, 'request-invalid', 'limit must be at least 1'],
  ['/api/v1/listings?limit=1000', 400, 'request-invalid', /^limit must be at most \d+$/],
  ['/api/v1/listings?limit=1e1', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=0x10', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=%201', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=1%20', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=+1', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=01', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=1.0', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=', 400, 'request-invalid', 'limit must be an integer'],
  ['/api/v1/listings?limit=1&limit=1', 400, 'request-invalid', 'limit must be an integer'],
  ['/order-log?after=1e1', 400, 'request-invalid', 'after must be an integer'],
  ['/api/v1/listings?sort=size', 400, 'request-invalid', /^sort must be one of .*price/],
  ['/api/v1/listings?cursor=x', 400, 'cursor-invalid', /without a cursor/],
  ['/api/v1/nowhere', 404, 'path-unknown', /openapi/],
  ['/api/v1/collection/%zz/inscriptions', 400, 'path-invalid', /path/],
  ['/api/v1/auth/verify', 405, 'method-not-allowed', /POST/],
  ['/api/v1/collection/unknown/inscriptions', 404, 'collection-unknown', /unknown/],
  ['/r/sat/x', 400, 'request-invalid', /sat number/],
  ['/r/blockhash/999999', 404, 'chain-data-missing', /not found/],
])('GET %s returns %i %s', async (path, status, code, text) => {
  const response = await request(path)
  const body = await bodyOf(response)
  expect(response.status).toBe(status)
  expect(body.code).toBe(code)
  expect(body.error).toMatch(text)
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

it.each([
  ['{', 'application/json', 400, 'body-not-json'],
  ['{}', 'text/plain', 400, 'body-not-json'],
  ['{}', 'application/json', 400, 'request-invalid'],
  [JSON.stringify('x'.repeat(5_000_000)), 'application/json', 413, 'body-too-large'],
])('POST rejects invalid body %#', async (body, type, status, code) => {
  const response = await post('/api/v1/collection/any/listings/preflight', body, type)
  expect(response.status).toBe(status)
  expect((await bodyOf(response)).code).toBe(code)
})

it('an error names the invalid field', async () => {
  const response = await post(
    '/api/v1/collection/any/listings/delist',
    JSON.stringify({
      walletBindingId: trader.walletBindingId,
      listings: [{ listingId: 'x', inscriptionId: 'y' }],
    }),
  )
  expect((await bodyOf(response)).error).toMatch(
    /^listings\[0\]\.(listingId|inscriptionId) (must be|is not valid)/,
  )
})

it('docsUrl links to the error code', async () => {
  const { docsUrl } = await bodyOf(await request('/api/v1/nowhere'))
  expect(docsUrl).toBe(`${market.server.url}/docs/errors#path-unknown`)
  const page = await fetch(docsUrl)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  expect(await page.text()).toContain('id="path-unknown"')
})
