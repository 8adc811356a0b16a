import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setUpMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

/** A span that a server exports as OTLP over HTTP. */
interface SpanOfTest {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}
const market = setUpMarket()
let collector: Server
let server: ServerProcess
let url: string
const spans: SpanOfTest[] = []
const services = new Set<string>()

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { key, value } of resource.attributes)
        if (key === 'service.name') services.add(value.stringValue)
      for (const scopeSpan of scopeSpans) spans.push(...scopeSpan.spans)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = spawnServer(market, port, {
    ACCESS_LOG: 'on',
    LOG_LEVEL: 'info',
    TRUST_PROXY: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_SERVICE_NAME: 'market of a test',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  await server.ready()
}, 120_000)
afterAll(async () => {
  await server?.kill('SIGKILL')
  collector?.close()
})

const textOf = (span: SpanOfTest, key: string) =>
  span.attributes.find((attribute) => attribute.key === key)?.value.stringValue
const spanNamed = (name: string, has: (span: SpanOfTest) => boolean = () => true) =>
  until(`a span ${name}`, async () => spans.find((span) => span.name === name && has(span)))

it('traces a request and its statements without values', async () => {
  const traceId = 'a'.repeat(32)
  const answer = await fetch(`${url}/api/v1/auth/challenge`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
    body: JSON.stringify({ ordinalsAddress: 'unheard-of', paymentAddress: 'unheard-of' }),
  })
  expect(answer.status).toBe(400)
  const refusedSpan = await spanNamed('POST /api/v1/auth/challenge')
  expect(refusedSpan).toMatchObject({ traceId, parentSpanId: 'b'.repeat(16) })
  expect(textOf(refusedSpan, 'ordbook.request.id')).toBe(answer.headers.get('x-request-id'))
  const line = server
    .logged()
    .split('\n')
    .find((each) => each.includes(answer.headers.get('x-request-id')!))
  expect(JSON.parse(line!)).toMatchObject({ traceId, spanId: refusedSpan.spanId })

  const seller = await market.trader()
  const token = seller.client.token
  const response = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
  const requestSpan = await spanNamed('GET /api/v1/me')
  const statement = await spanNamed('statement', (each) => each.traceId === requestSpan.traceId)
  expect(textOf(statement, 'db.query.text')).toMatch(/\$1/)
  for (const word of [token!, 'unheard-of']) expect(JSON.stringify(spans).includes(word)).toBe(false)
})

it('traces jobs and blocks', async () => {
  // The other server holds the leases of follower and jobs until it stops.
  await market.server.close()
  const job = await spanNamed('job expire')
  expect(job.parentSpanId ?? '').toBe('')
  await market.node.regtest.mine()
  const blocks = await spanNamed('blocks')
  await spanNamed('statement', (each) => each.traceId === blocks.traceId)
  expect([...services]).toEqual(['market of a test'])
})
