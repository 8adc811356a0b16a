import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Server } from '@ordbook/app/server.ts'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { operations } from '@ordbook/contract/index.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { MemoryLimiter } from '@ordbook/http/limits/rate-limit.ts'
import { registerOperations, route } from '@ordbook/http/operations/operations.ts'
import { sessionFinder } from '@ordbook/market/auth/sessions.ts'
import Fastify from 'fastify'
import { readCommand } from '../command.ts'
import { startMachine } from './market.ts'
import { compareRatios, type Ratios, readRatios, saveRatios } from './ratios.ts'

const USAGE = `usage: npm run bench -- [--save FILE] [--against FILE]

  --save FILE     Write the ratios of this run
  --against FILE  Compare them with a saved file; exits with 1 if a read became slower by more than the noise`
const { save, against } = readCommand(USAGE, {
  options: { save: { type: 'string' }, against: { type: 'string' } },
}).values

/**
 * `npm run bench`: measures every read, with and without cached responses. Compares it with a bare Fastify route that returns the same
 * bytes, and with a market of a hundredth of the size. Rounds are interleaved, and ratios are medians of one run. A second table separates
 * the CPU time of server and PostgreSQL.
 */
const INSCRIPTIONS = Number(process.env.BENCH_INSCRIPTIONS ?? 1_000_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MILLISECONDS = Number(process.env.BENCH_MILLISECONDS ?? 1500)
const CONNECTIONS = 16
const DEEP_ROWS = 10_000

const former = against === undefined ? null : readRatios(against)
if (former && former.inscriptions !== INSCRIPTIONS)
  throw new Error(
    `${against} was measured on ${former.inscriptions} inscriptions, not ${INSCRIPTIONS}. Set BENCH_INSCRIPTIONS.`,
  )

const run = promisify(execFile)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

const machine = await startMachine()

const slugs = (count: number) => Array.from({ length: count }, (_, n) => `bench-${n}`).join(',')
const PAGE = 'collection page of 48'
const FIRST = `${createHash('sha256').update('reveal0').digest('hex')}i0`
const HOLDER = addressOfScript(
  Buffer.concat([Buffer.from('5120', 'hex'), createHash('sha256').update('ordinals0').digest()]),
  readConfig({}).addressNetwork,
)
const keyOf = (name: string) => name.replace(/[^a-z0-9]/g, '')
const routes: Record<string, string> = {
  [PAGE]: '/collection/bench-0/inscriptions?limit=48',
  'large collection, 48': '/collection/bench-large/inscriptions?limit=48',
  'listings by price, 50': '/listings?limit=50&sort=price',
  'listings, recent, 50': '/listings?limit=50',
  'listings of a collection, 50': '/listings?limit=50&sort=price&collectionSlug=bench-1',
  'sales, 50': '/sales?limit=50',
  'sales of a collection, 50': '/sales?limit=50&collectionSlug=bench-1',
  'proposals, 50': '/trading?limit=50',
  'proposals of a collection, 50': '/trading?limit=50&collectionSlug=bench-1',
  'floors of 20 slugs': `/collection-stats/floors?slugs=${slugs(20)}`,
  'floors of 100 slugs': `/collection-stats/floors?slugs=${slugs(100)}`,
  'collection offers, 50': '/collection/bench-0/collection-offers',
  'offers on an inscription, 10': `/inscriptions/${FIRST}/offers`,
  'all offers on an inscription': `/inscriptions/${FIRST}/offers/history`,
  'my offers: owned': '/me/offers',
  'my offers: sent': '/me/offers?view=sent',
  'my offers: history': '/me/offers?view=history',
  profile: '/me',
  'item grid of a large collection, 48': '/web/v1/collections/bench-large/items?limit=48',
  'wallet page, 100': `/web/v1/holdings/${HOLDER}?limit=100`,
}

const bytes = new Map<string, Buffer>()
const constant = Fastify()
constant.get('/:name', (request, reply) =>
  reply.type('application/json').send(bytes.get((request.params as { name: string }).name)),
)

/** Serves a constant behind the API's limits, token check and validation. Returns its path. */
async function gateOf({ context }: Server, body: () => Buffer): Promise<string> {
  const many = { perIp: 999_999_999, perKey: 999_999_999 }
  const limits = {
    reads: many,
    writes: many,
    'web-reads': many,
    status: many,
    'auth-challenge': many,
    'auth-verify': many,
  }
  const gate = { authenticate: sessionFinder(context), limiter: new MemoryLimiter(limits) }
  const page = route(operations.listCollectionInscriptions, async () => body())
  await constant.register(async (scope) => registerOperations(scope, [page], gate), { prefix: '/gate' })
  return '/gate/collection/bench-0/inscriptions?limit=48'
}

interface Measured {
  perSecond: number
  medianMs: number
  /** Microseconds per request. */
  serverCpu: number
  databaseCpu: number
}

async function measure(url: string): Promise<Measured> {
  const script = join(import.meta.dirname, 'load.ts')
  const before = [machine.cpu(), machine.databaseCpu()] as const
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', script, url, String(CONNECTIONS), String(MILLISECONDS)],
    { env: { ...process.env, ...(url.includes('/web/') ? {} : { TOKEN: machine.token }) } },
  )
  const measured = JSON.parse(stdout) as { perSecond: number; medianMs: number; requests: number }
  const [all, database] = [machine.cpu() - before[0], machine.databaseCpu() - before[1]]
  return {
    ...measured,
    serverCpu: (all - database) / measured.requests,
    databaseCpu: database / measured.requests,
  }
}

const ask = (url: string) =>
  fetch(url, url.includes('/web/') ? {} : { headers: { authorization: `Bearer ${machine.token}` } })

/** Returns a cursor about ten thousand rows into the pages of a route, or null if it has fewer rows. */
async function deep(base: string, path: string): Promise<string | null> {
  const wide = path.replace(/limit=\d+/, 'limit=100')
  let cursor = ''
  for (let rows = 0; rows < DEEP_ROWS; rows += 100) {
    const { pagination } = (await (await ask(`${base}${wide}${cursor}`)).json()) as {
      pagination?: { nextCursor: string | null }
    }
    if (!pagination?.nextCursor) return null
    cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`
  }
  return cursor
}

interface Market {
  kept: Server
  fresh: Server
}

async function measureAll(small: Market, large: Market): Promise<Ratios> {
  const gatePath = await gateOf(large.fresh, () => bytes.get(keyOf(PAGE))!)
  const constantUrl = await constant.listen({ host: '127.0.0.1', port: 0 })
  console.log(
    `${cpus().length} cores, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${MILLISECONDS} ms, medians\n`,
  )
  console.log(
    '| read | bytes | constant, requests/s | constant, µs CPU | kept: of the constant | kept: of a hundredth | fresh: of the constant | fresh: µs CPU | fresh: of a hundredth | fresh: deep, of the first |\n' +
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
  )
  const only = process.env.BENCH_ONLY
  const [footnotes, costs]: [string[], string[]] = [[], []]
  const ratios: Ratios = { inscriptions: INSCRIPTIONS, reads: {} }
  for (const [name, path] of Object.entries(routes)) {
    if (only && !name.includes(only)) continue
    // Reads of the storefront use its own API.
    const base = path.startsWith('/web/') ? '' : '/api/v1'
    const at = (server: Server, more = '') => `${server.url}${base}${path}${more}`
    const response = await ask(at(large.fresh))
    const body = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${body.toString().slice(0, 200)}`)
    const key = keyOf(name)
    bytes.set(key, body)
    const cursor = path.includes('limit=') ? await deep(`${large.fresh.url}${base}`, path) : null
    // Render all rows before measuring.
    const urls: Record<string, string> = {
      constant: `${constantUrl}/${key}`,
      keptSmall: at(small.kept),
      kept: at(large.kept),
      freshSmall: at(small.fresh),
      fresh: at(large.fresh),
      ...(cursor ? { deep: at(large.fresh, cursor) } : {}),
      ...(name === PAGE ? { gate: `${constantUrl}${gatePath}` } : {}),
    }
    for (const url of Object.values(urls)) await (await ask(url)).arrayBuffer()
    const results = new Map<string, Measured[]>(Object.keys(urls).map((each) => [each, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const [each, url] of Object.entries(urls)) results.get(each)!.push(await measure(url))
    const speed = (each: string) => median(results.get(each)!.map((measured) => measured.perSecond))
    const ratioOf = (a: string, b: string) => speed(a) / speed(b)
    const ratio = (a: string, b: string) => {
      const value = ratioOf(a, b)
      return value.toFixed(value < 0.1 ? 3 : 2)
    }
    ratios.reads[name] = {
      kept: ratioOf('kept', 'constant'),
      fresh: ratioOf('fresh', 'constant'),
      ...(cursor ? { deep: ratioOf('deep', 'fresh') } : {}),
    }
    const cpu = (each: string) =>
      median(results.get(each)!.map(({ serverCpu, databaseCpu }) => serverCpu + databaseCpu))
    const parts = (each: string) =>
      (['serverCpu', 'databaseCpu'] as const).map((part) =>
        median(results.get(each)!.map((measured) => measured[part])).toFixed(0),
      )
    costs.push([name, ...['keptSmall', 'kept', 'freshSmall', 'fresh'].flatMap(parts)].join(' | '))
    if (name === PAGE) {
      const gate = cpu('gate') - cpu('constant')
      const share = `${((gate / cpu('fresh')) * 100).toFixed(1)} % of a fresh page`
      footnotes.push(`Limits, token and validation: ${gate.toFixed(0)} µs CPU, ${share}`)
    }
    console.log(
      `| ${name} | ${body.length} | ${speed('constant').toFixed(0)} | ${cpu('constant').toFixed(0)} | ${ratio('kept', 'constant')} | ` +
        `${ratio('kept', 'keptSmall')} | ${ratio('fresh', 'constant')} | ${cpu('fresh').toFixed(0)} | ${ratio('fresh', 'freshSmall')} | ` +
        `${cursor ? ratio('deep', 'fresh') : ''} |`,
    )
  }
  console.log(`\n${footnotes.join('\n')}`)
  printParts(costs)
  return ratios
}

function printParts(costs: readonly string[]): void {
  const heads = ['kept', 'fresh'].flatMap((kind) =>
    [INSCRIPTIONS / 100, INSCRIPTIONS].flatMap((size) =>
      ['server', 'PostgreSQL'].map((part) => `${kind}, ${size}: ${part}`),
    ),
  )
  console.log(
    `\nµs CPU per request\n\n| read | ${heads.join(' | ')} |\n| --- |${' ---: |'.repeat(heads.length)}`,
  )
  for (const line of costs) console.log(`| ${line} |`)
}

/** Saves the ratios and compares them with earlier ones. Returns false if one became slower by more than the noise. */
function reportRatios(ratios: Ratios): boolean {
  if (save !== undefined) saveRatios(save, ratios)
  if (!former) return true
  const { table, worse } = compareRatios(former, ratios)
  console.log(`\nCompared with ${against}:\n\n${table}\n`)
  console.log(worse.length === 0 ? 'Nothing became slower by more than the noise.' : worse.join('\n'))
  return worse.length === 0
}

async function open(inscriptions: number): Promise<Market> {
  const databaseUrl = await machine.fill(inscriptions)
  return { kept: await machine.serve(databaseUrl, 64), fresh: await machine.serve(databaseUrl, 0) }
}
let isGood = false
try {
  const small = await open(INSCRIPTIONS / 100)
  const large = await open(INSCRIPTIONS)
  isGood = reportRatios(await measureAll(small, large))
} finally {
  await constant.close()
  await machine.stop()
}
process.exit(isGood ? 0 : 1)
