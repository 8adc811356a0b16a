import { operations } from '@ordbook/contract/index.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { sharedOperations, webOperations } from '@ordbook/contract/web.ts'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { sampled } from '../../../e2e/support/effort.ts'
import {
  type LiveOrders,
  type LiveValues,
  openLiveOrders,
  signInAgain,
} from '../../../e2e/support/live-orders.ts'
import { setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'

/**
 * Sends thousands of requests of a signed-in trader, generated from the OpenAPI documents: valid, boundary and invalid values, and
 * identifiers of live orders. Submits what preflights return, signed. Each response must be documented (checked by
 * e2e/support/served-document.ts), arrive in time and not be a 500.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? sampled(120, 1000, 30))
const TIMEOUT_MILLISECONDS = sampled(600_000, 3_600_000)
/** Changed submits per preflight, before the unchanged submit. */
const CHANGED = Math.ceil(RUNS / 10)

const market = setUpMarket({ ANCHOR_POOL: '120' })
let trader: TestTrader
let cookie: string
let preflights: LiveOrders['preflights']
const documents: Record<string, any> = {}
/** Existing identifiers, by field name. */
const existingValues: LiveValues = {}
beforeAll(async () => {
  const orders = await openLiveOrders(market)
  const { ids } = orders
  preflights = orders.preflights
  ;({ trader, cookie } = await signInAgain(market, orders.trader))
  Object.assign(existingValues, orders.values)
  const { wallet } = trader
  const [coin] = await market.regtest.coinsOf(wallet.paymentScript)
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

const OPERATIONS =
  Object.keys({ ...operations, ...webOperations, ...publicReads }).length + sharedOperations.length

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
  const union = schema.oneOf ?? schema.anyOf
  if (union) return fc.oneof(...union.map((member: any) => valuesOf(member, document)))
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

const statuses = new Map<number, number>()

interface Target {
  surface: string
  document: any
  path: string
  method: string
  operation: any
  base: string
}

/** Returns all operations of the documents. */
const targetsOf = (): Target[] =>
  Object.entries(documents).flatMap(([surface, document]) =>
    Object.entries<any>(document.paths).flatMap(([path, methods]) =>
      Object.entries<any>(methods)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]) => ({
          surface,
          document,
          path,
          method,
          operation,
          base: methods.servers ? methods.servers[0].url : `${market.server.url}${surface}`,
        })),
    ),
  )

type Credentials = 'good' | 'none' | 'bad'
interface RandomRequest {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  credentials: Credentials
}

function requestsOf({ operation, document }: Target): fc.Arbitrary<RandomRequest> {
  const record = (location: string) =>
    fc.record(
      Object.fromEntries(
        operation.parameters
          .filter((parameter: any) => parameter.in === location)
          .map(({ name, schema }: any) => [
            name,
            fc.option(valuesOf(schema, document, name), { nil: undefined, freq: 5 }),
          ]),
      ),
    )
  const schema = operation.requestBody?.content['application/json'].schema
  return fc.record({
    params: record('path'),
    query: record('query'),
    body: schema ? valuesOf(schema, document) : fc.constant(undefined),
    credentials: fc.oneof(
      { arbitrary: fc.constant<Credentials>('good'), weight: 8 },
      { arbitrary: fc.constantFrom<Credentials>('none', 'bad'), weight: 2 },
    ),
  })
}

function headersOf({ surface }: Target, { body, credentials }: RandomRequest): Record<string, string> {
  const token = credentials === 'good' ? trader.client.token : 'nonsense'
  const session: Record<string, string> =
    surface === '/web/v1'
      ? { cookie: credentials === 'good' ? cookie : 'ordbook_session=nonsense' }
      : { authorization: `Bearer ${token}` }
  return {
    origin: market.server.url,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(credentials === 'none' ? {} : session),
  }
}

/** Sends a request and checks its response. Returns the status, and the JSON of a 200. */
async function send(target: Target, request: RandomRequest): Promise<{ status: number; answer: any }> {
  const { surface, path, method, operation, base } = target
  const filled = path.replace(/\{(\w+)\}/g, (_: string, name: string) => {
    const value = encodeURIComponent(textOf(request.params[name] ?? 'x'))
    // Dot segments would change the path.
    return value === '' || /^\.+$/.test(value) ? 'x' : value
  })
  const search = new URLSearchParams(
    Object.entries(request.query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, textOf(value)] as [string, string]],
    ),
  )
  const response = await fetch(`${base}${filled}?${search}`, {
    method: method.toUpperCase(),
    headers: headersOf(target, request),
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const { status, headers } = response
  // Event streams never end.
  const isStream = headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? await response.body!.cancel() : await response.text()
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  // Recursive endpoints can return 503 if the node does not have the data.
  if (surface !== '' || status !== 503)
    expect(status, `${operation.operationId}: ${text} for ${JSON.stringify(request)}`).toBeLessThan(500)
  if (SESSION_ENDING.has(operation.operationId) && status === 200)
    ({ trader, cookie } = await signInAgain(market, trader))
  const isJson = status === 200 && headers.get('content-type')?.startsWith('application/json')
  return { status, answer: isJson ? JSON.parse(text as string) : null }
}

/** Operations that submit what the preflight of another operation returned. */
const submitOf = (targets: readonly Target[], { surface, path }: Target) =>
  path.endsWith('/preflight')
    ? targets.find(
        (each) =>
          each.surface === surface &&
          each.method === 'post' &&
          [path.replace(/preflight$/, 'submit'), path.replace(/\/preflight$/, '')].includes(each.path),
      )
    : undefined

/** Signs the steps of a preflight's response. Returns the members of a submit, by name. */
async function handlesOf(request: any, answer: any): Promise<LiveValues> {
  const signAll = async (steps: any[]) =>
    Promise.all(
      steps.map(async (step) => ({
        ...step,
        psbtBase64: await trader.wallet
          .signPsbt(step.psbtBase64, step.inputsToSign)
          .catch(() => step.psbtBase64),
      })),
    )
  const handles: LiveValues = {}
  for (const [name, value] of Object.entries<any>({ ...request, ...answer })) handles[name] = [value]
  if (answer.steps) handles.signedSteps = [await signAll(answer.steps), answer.steps]
  if (answer.belowTopOfferWarning) handles.belowTopOfferConfirmation = [answer.belowTopOfferWarning]
  if (answer.sellerStep) handles.signedSellerStep = await signAll([answer.sellerStep])
  if (answer.items?.[0]?.steps)
    handles.signedItems = [
      await Promise.all(
        answer.items.map(async (item: any) => ({ ...item, signedSteps: await signAll(item.steps) })),
      ),
    ]
  if (answer.recoveryPsbt) {
    handles.signed = [
      await Promise.all(
        answer.listings.map(async ({ inscriptionId, psbts }: any) => ({
          inscriptionId,
          psbts: await signAll(psbts),
        })),
      ),
    ]
    handles.signedRecoveryPsbt = await signAll([answer.recoveryPsbt])
    handles.anchors = [answer.listings]
  }
  if (answer.offers?.[0]?.fundingParentStep)
    handles.offers = [
      await Promise.all(
        answer.offers.map(async (each: any) => ({
          ...each,
          signedFundingParentStep: (await signAll([each.fundingParentStep]))[0],
        })),
      ),
    ]
  // A request keeps the names whose response has another meaning.
  if (request.listings) handles.listings = [request.listings]
  if (request.items) handles.items = [request.items]
  return handles
}

/** Submits a preflight with random members, then twice unchanged. Returns the statuses of the unchanged ones. */
async function submitRandomly(submit: Target, preflight: RandomRequest, answer: any): Promise<number[]> {
  const handles = await handlesOf(preflight.body, answer)
  const { document, operation } = submit
  const schema = resolve(operation.requestBody.content['application/json'].schema, document)
  const whole = Object.fromEntries(
    Object.keys(schema.properties).flatMap((name) => (handles[name] ? [[name, handles[name][0]]] : [])),
  )
  const names = Object.keys(whole)
  const changed = fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .oneof(valuesOf(schema.properties[name], document, name), fc.constant(handles[name]!.at(-1)))
        .map((value) => ({ ...whole, [name]: value })),
    )
  for (const body of fc.sample(changed, CHANGED)) await send(submit, { ...preflight, body })
  const again = async () => (await send(submit, { ...preflight, body: whole })).status
  return [await again(), await again()]
}

const resolve = (schema: any, document: any) =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema

it(`submits return documented responses to ${CHANGED} changes of a preflight`, {
  timeout: TIMEOUT_MILLISECONDS,
}, async () => {
  const targets = targetsOf()
  const outcomes: { id: string; statuses: number[] }[] = []
  for (const [id, { params, body }] of Object.entries(preflights)) {
    const request: RandomRequest = { params, query: {}, body, credentials: 'good' }
    for (const target of targets.filter(({ operation }) => operation.operationId === id)) {
      const { status, answer } = await send(target, request)
      const submits = answer ? await submitRandomly(submitOf(targets, target)!, request, answer) : []
      outcomes.push({ id, statuses: [status, ...submits] })
    }
  }
  const settled = outcomes.filter(({ statuses: [prepared, first] }) => prepared === 200 && first === 200)
  expect(new Set(settled.map(({ id }) => id))).toEqual(new Set(Object.keys(preflights)))
})

it(`operations return documented responses to ${RUNS} random requests`, {
  timeout: TIMEOUT_MILLISECONDS,
}, async () => {
  const targets = targetsOf()
  for (const target of targets) {
    const ends = SESSION_ENDING.has(target.operation.operationId)
    const property = fc.asyncProperty(
      requestsOf(target),
      async (request) => void (await send(target, request)),
    )
    await fc.assert(property, { numRuns: ends ? 15 : RUNS, endOnFailure: true })
  }
  expect(targets).toHaveLength(OPERATIONS)
  console.log(
    `responses by status: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}`,
  )
  for (const status of [200, 400, 401, 403, 404, 409]) expect(statuses.get(status)).toBeGreaterThan(0)
})
