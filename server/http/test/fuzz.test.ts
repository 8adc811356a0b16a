import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { sampled } from '../../../e2e/support/effort.ts'
import { enter, listAll, setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { signInAtStorefront } from '../../../e2e/support/storefront.ts'

/**
 * Sends thousands of requests with valid, boundary and invalid values, generated from the OpenAPI documents.
 * Each response must be documented (e2e/support/served-document.ts), arrive in time and not be a 500.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? sampled(120, 1000, 30))

const market = setUpMarket()
let trader: TestTrader
const documents: Record<string, any> = {}
/** Existing identifiers, by field name. */
const existingValues: Record<string, unknown[]> = {}
beforeAll(async () => {
  trader = await market.trader()
  const { slug, ids } = await market.collection(trader.wallet, 4)
  const listed = await listAll(market, trader, slug, ids.slice(0, 2), 20_000)
  const [escrow] = await rested(market, trader, slug, [ids[2]!])
  const resting = { txid: escrow!.txid, vout: escrow!.vout }
  const { pagination } = await trader.client.call('listCollectionInscriptions', {
    params: { slug },
    query: { limit: 1 },
  })
  const [coin] = await market.regtest.coinsOf(trader.wallet.paymentScript)
  const { wallet } = trader
  Object.assign(existingValues, {
    slug: [slug, slug.toUpperCase(), 'unknown'],
    slugs: [slug, `${slug},unknown`],
    collectionSlug: [slug],
    inscriptionId: ids,
    offeredInscriptionIds: [ids],
    listingId: [...listed.values()],
    walletBindingId: [trader.walletBindingId],
    cursor: [pagination.nextCursor],
    ordinalsAddress: [wallet.ordinalsAddress],
    sellerAddress: [wallet.ordinalsAddress],
    paymentAddress: [wallet.paymentAddress],
    ordinalsPublicKey: [wallet.ordinalsPublicKey],
    paymentPublicKey: [wallet.paymentPublicKey],
    spendableUtxos: [[{ txid: coin!.txid, vout: coin!.vout, valueSats: coin!.valueSats }]],
    txid: [coin!.txid, resting.txid],
    vout: [resting.vout],
    escrows: [[resting]],
  })
  const hostile = await market.regtest.inscribe(
    [
      { contentType: 'text/html;charset="\u0001"', body: 'x' },
      { contentType: 'text/html;charset="€"', body: 'x' },
      { contentType: 'a\u0085b\u2028', body: 'x' },
      { contentType: 'text/plain', contentEncoding: 'br', body: 'no brotli' },
      { contentType: 'text/plain', contentEncoding: 'gzip', body: '' },
      { contentType: 'text/plain', contentEncoding: 'a\r\nb: c', body: 'x' },
      { contentType: '', body: '' },
    ].map(({ body, ...inscription }) => ({
      inscription: { ...inscription, body: new TextEncoder().encode(body) },
      owner: wallet.ordinalsScript,
      postageSats: 546,
    })),
  )
  await market.server.sync()
  const height = await market.regtest.call<number>('getblockcount')
  Object.assign(existingValues, {
    id: [...hostile, ...ids],
    height: [0, height, height + 1, 2 ** 31 - 1, 2 ** 31, 99_999_999_999],
    query: [
      '0',
      String(height),
      String(2 ** 31),
      '3000000000',
      await market.regtest.call('getblockhash', height),
    ],
    sat: [0, 5_000_000_000, 2_099_999_997_690_000, '0.5', 'a', '1°0′0″0‴'],
    index: [0, -1, 2 ** 31, -(2 ** 53)],
    outpoint: [`${coin!.txid}:${coin!.vout}`, `${'0'.repeat(64)}:0`, `${coin!.txid}:4294967295`],
    page: [0, 1, 2 ** 31 - 1, 2 ** 31, 'listings', 'errors'],
  })
  documents[''] = await (await fetch(`${market.server.url}/openapi-public.json`)).json()
  for (const surface of ['/api/v1', '/web/v1'])
    documents[surface] = await (await fetch(`${market.server.url}${surface}/openapi.json`)).json()
})

/** Operations of the order record are in two documents. */
const OPERATIONS =
  Object.keys({ ...operations, ...webOperations, ...publicReads }).length +
  sharedOperations.length +
  Object.values<Operation>(operations).filter(({ root }) => root).length

/** Arbitrary JSON, and values that often cause bugs. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    "' or 1=1 --",
    '%00',
    '../../etc/passwd',
    '{{7*7}}',
    '__proto__',
    'NaN',
    '1e999',
    '0x10',
    '9'.repeat(400),
    '\u202e'.repeat(50),
    2 ** 53,
    -1,
    1.5,
    1e300,
  ),
)

/** Returns values for a schema, most of them valid. */
function valuesOf(schema: any, document: any, name = ''): fc.Arbitrary<unknown> {
  if (schema.$ref) return valuesOf(document.components.schemas[schema.$ref.split('/').at(-1)], document, name)
  const existing = existingValues[name] ? fc.constantFrom(...existingValues[name]) : null
  const valid = validValuesOf(schema, document)
  return fc.oneof(
    { arbitrary: existing ?? valid, weight: 12 },
    { arbitrary: valid, weight: 4 },
    { arbitrary: anything, weight: 1 },
  )
}

function validValuesOf(schema: any, document: any): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((member: any) => valuesOf(member, document)))
  switch (schema.type) {
    case 'object': {
      const required = new Set(schema.required ?? [])
      const members = Object.entries<any>(schema.properties ?? {}).map(([name, member]) => [
        name,
        required.has(name)
          ? fc.option(valuesOf(member, document, name), { nil: undefined, freq: 25 })
          : fc.option(valuesOf(member, document, name), { nil: undefined }),
      ])
      return fc
        .record(Object.fromEntries(members))
        .map((value) =>
          Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)),
        )
    }
    case 'array':
      return fc.array(valuesOf(schema.items, document), {
        minLength: Math.max(0, (schema.minItems ?? 0) - 1),
        maxLength: Math.min((schema.maxItems ?? 3) + 1, 4),
      })
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 10, (schema.minimum ?? 0) - 1),
        fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 }),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      if (schema.format === 'uuid') return fc.uuid()
      // The maximum length fits two inscription ids.
      if (schema.pattern && schema.pattern.length < 60)
        return fc.stringMatching(new RegExp(schema.pattern), { maxLength: 160 })
      return fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: 60 })
    default:
      return anything
  }
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value ?? null)

/** Operations that end the trader's session. */
const SESSION_ENDING = new Set(['endWebSession', 'endWalletSessions'])

/** Signs in at the storefront and returns the session cookie. */
const signInForCookie = async () => (await signInAtStorefront(market.server.url, trader.wallet)).cookie

it(`operations return documented responses to ${RUNS} random requests`, {
  timeout: 300_000,
}, async () => {
  let cookie = await signInForCookie()
  let operationCount = 0
  const statuses = new Map<number, number>()
  for (const [surface, document] of Object.entries(documents))
    for (const [path, methods] of Object.entries<any>(document.paths))
      for (const [method, operation] of Object.entries<any>(methods)) {
        if (method === 'servers') continue
        operationCount++
        const base = methods.servers ? market.server.url : `${market.server.url}${surface}`
        const parametersIn = (location: string) =>
          operation.parameters.filter((parameter: any) => parameter.in === location)
        const record = (parameters: any[]) =>
          fc.record(
            Object.fromEntries(
              parameters.map(({ name, schema }) => [
                name,
                fc.option(valuesOf(schema, document, name), { nil: undefined, freq: 5 }),
              ]),
            ),
          )
        const schema = operation.requestBody?.content['application/json'].schema
        await fc.assert(
          fc.asyncProperty(
            record(parametersIn('path')),
            record(parametersIn('query')),
            schema ? valuesOf(schema, document) : fc.constant(undefined),
            fc.constantFrom('good', 'good', 'good', 'good', 'good', 'good', 'good', 'none', 'bad'),
            async (params, query, body, credentials) => {
              const filled = path.replace(/\{(\w+)\}/g, (_: string, name: string) => {
                const value = encodeURIComponent(textOf((params as Record<string, unknown>)[name] ?? 'x'))
                // Dot segments would change the path.
                return value === '' || /^\.+$/.test(value) ? 'x' : value
              })
              const search = new URLSearchParams(
                Object.entries(query).flatMap(([name, value]) =>
                  value === undefined ? [] : [[name, textOf(value)] as [string, string]],
                ),
              )
              const token = credentials === 'good' ? trader.client.token : 'nonsense'
              const sessionCookie = credentials === 'good' ? cookie : 'ordbook_session=nonsense'
              const started = Date.now()
              const response = await fetch(`${base}${filled}?${search}`, {
                method: method.toUpperCase(),
                headers: {
                  origin: market.server.url,
                  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
                  ...(credentials === 'none'
                    ? {}
                    : surface === '/api/v1'
                      ? { authorization: `Bearer ${token}` }
                      : { cookie: sessionCookie }),
                },
                ...(body === undefined ? {} : { body: JSON.stringify(body) }),
                signal: AbortSignal.timeout(20_000),
              })
              // Event streams never end.
              const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
              const text = isStream ? await response.body!.cancel() : await response.text()
              statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
              // Recursive endpoints can return 503 if the node does not have the data.
              if (surface !== '' || response.status !== 503)
                expect(response.status, `${operation.operationId}: ${text}`).toBeLessThan(500)
              expect(Date.now() - started).toBeLessThan(20_000)
              if (SESSION_ENDING.has(operation.operationId) && response.status === 200) {
                trader = await enter(market.base, trader.wallet)
                cookie = await signInForCookie()
              }
            },
          ),
          { numRuns: SESSION_ENDING.has(operation.operationId) ? 15 : RUNS },
        )
      }
  expect(operationCount).toBe(OPERATIONS)
  console.log(
    `responses by status: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`,
  )
  for (const status of [200, 400, 401, 403, 404]) expect(statuses.get(status)).toBeGreaterThan(0)
})
