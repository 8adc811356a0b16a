import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LiveValues, openLiveOrders, signInAgain } from '../support/live-orders.ts'
import { setUpMarket } from '../support/market.ts'
import { describeOrders, withAdditiveOperations } from './described-orders.ts'

/**
 * Schemathesis, signed in on both APIs, on a market with live orders. SCHEMATHESIS is the path of its command,
 * EXAMPLES the number of cases per operation.
 */
const COMMAND = process.env.SCHEMATHESIS ?? 'schemathesis'
const EXAMPLES = process.env.EXAMPLES ?? '100'

/** Operations that end the session, or whose response never ends. */
const LEFT_OUT = ['endWebSession', 'endWalletSession', 'endWalletSessions', 'listenToEvents']
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'unsupported_method',
]

const market = setUpMarket({ ANCHOR_POOL: '200' })
let folder: string
let values: LiveValues
let token: string
let cookie: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-schemathesis-'))
  const orders = await openLiveOrders(market)
  values = orders.values
  const again = await signInAgain(market, orders.trader)
  token = again.trader.client.token!
  cookie = again.cookie
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = async (path: string): Promise<any> => (await fetch(`${market.server.url}${path}`)).json()

/** Runs Schemathesis on a document. Returns its output and exit code. */
async function run(name: string, document: object, base: string, headers: readonly string[]) {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(document))
  const args = [
    ...['run', file, '--url', base],
    ...['--checks', CHECKS.join(','), '--max-examples', EXAMPLES],
    ...['--request-timeout', '60', '--generation-database', 'none', '--continue-on-failure', '--no-color'],
    ...['--suppress-health-check', 'all'],
    ...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]),
    ...headers.flatMap((header) => ['--header', header]),
  ]
  const child = spawn(COMMAND, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  console.log(output)
  return { code, output }
}

it('the API returns documented responses to a signed-in client', async () => {
  const document = withAdditiveOperations(await read('/openapi.json'), await read('/openapi-public.json'))
  const { code } = await run('api', describeOrders(document, values), market.base, [
    `Authorization: Bearer ${token}`,
  ])
  expect(code).toBe(0)
})

it('the storefront returns documented responses to a signed-in client', async () => {
  const document = describeOrders(await read('/web/v1/openapi.json'), values)
  const { url } = market.server
  const { code } = await run('web', document, `${url}/web/v1`, [`Cookie: ${cookie}`, `Origin: ${url}`])
  expect(code).toBe(0)
})

it('the root returns documented responses', async () => {
  const document = await read('/openapi-public.json')
  expect((await run('root', document, market.server.url, [])).code).toBe(0)
})
