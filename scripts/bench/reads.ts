import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { hashToken } from '@ordbook/server/auth/sessions.ts'
import { readConfig } from '@ordbook/server/config.ts'
import { connect } from '@ordbook/server/db/connect.ts'
import { startEmbedded } from '@ordbook/server/db/embedded.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'
import { freePort } from '@ordbook/server/free-port.ts'
import { type Server, startServer } from '@ordbook/server/main.ts'
import Fastify from 'fastify'

/**
 * `npm run bench`: every read, authenticated and by keep-alive, beside a bare Fastify route that answers the same bytes from
 * memory, and beside itself on a market of a hundredth of the size. Rounds are interleaved and medians taken, so that
 * the ratios are of one run; the absolute figures are this machine's.
 */
const INSCRIPTIONS = Number(process.env.BENCH_INSCRIPTIONS ?? 1_000_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MILLISECONDS = Number(process.env.BENCH_MILLISECONDS ?? 1500)
const CONNECTIONS = 16

const run = promisify(execFile)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

const token = randomBytes(32).toString('hex')
const directory = mkdtempSync(join(tmpdir(), 'ordbook-bench-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const rpcPort = await freePort()
const rpcUrl = `http://bench:bench@127.0.0.1:${rpcPort}/`
const devnet = spawn(
  process.execPath,
  [join(import.meta.dirname, '../../devnet/src/main.ts'), join(directory, 'devnet'), String(rpcPort)],
  {
    env: { ...process.env, ORDBOOK_DEVNET_CREDENTIALS: 'bench:bench', ORDBOOK_STOP_WITH_PARENT: '1' },
    stdio: ['pipe', 'ignore', 'inherit'],
  },
)
while (
  !(await callRpc(rpcUrl, 'getblockcount').then(
    () => true,
    () => false,
  ))
)
  await new Promise((done) => setTimeout(done, 50))

/** A server on a database of its own with so many inscriptions. */
async function fill(inscriptions: number): Promise<Server> {
  const url = new URL(postgres.url)
  const admin = connect(postgres.url, { max: 1 })
  url.pathname = `/bench_${inscriptions}`
  await admin.unsafe(`create database bench_${inscriptions}`)
  await admin.end()
  const sql = connect(url.href, { max: 1 })
  await migrate(sql)
  const started = Date.now()
  const text = readFileSync(join(import.meta.dirname, 'fill.sql'), 'utf8')
    .replaceAll(':inscriptions', String(inscriptions))
    .replaceAll(':collections', String(inscriptions / 500))
  await sql.begin((tx) => tx.unsafe(text))
  await sql`
    insert into sessions (token_sha256, profile_id, expires_at)
    select ${hashToken(token)}, profile_id, now() + interval '1 day' from profiles limit 1`
  await sql`vacuum analyze`
  await sql.end()
  console.error(`filled ${inscriptions} inscriptions in ${((Date.now() - started) / 1000).toFixed(0)} s`)
  const config = readConfig({
    DATA_DIR: directory,
    PORT: '0',
    ROLES: 'api',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  })
  return startServer({ ...config, databaseUrl: url.href, bitcoinRpcUrl: rpcUrl })
}

const slugs = (count: number) => Array.from({ length: count }, (_, n) => `bench-${n}`).join(',')
const routes: Record<string, string> = {
  'collection page of 48': '/collection/bench-0/inscriptions?limit=48',
  'listings by price, 50': '/listings?limit=50&sort=price',
  'listings, recent, 50': '/listings?limit=50',
  'sales, 50': '/sales?limit=50',
  'proposals, 50': '/trading?limit=50',
  'floors of 20 slugs': `/collection-stats/floors?slugs=${slugs(20)}`,
  profile: '/me',
}

const bytes = new Map<string, Buffer>()
const constant = Fastify()
constant.get('/:name', (request, reply) =>
  reply.type('application/json').send(bytes.get((request.params as { name: string }).name)),
)

async function measure(url: string): Promise<{ perSecond: number; medianMs: number }> {
  const script = join(import.meta.dirname, 'load.ts')
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', script, url, String(CONNECTIONS), String(MILLISECONDS)],
    { env: { ...process.env, TOKEN: token } },
  )
  return JSON.parse(stdout)
}

/** A cursor far into a route's pages. */
async function deep(base: string, path: string, pages: number): Promise<string | null> {
  let cursor = ''
  for (let n = 0; n < pages; n++) {
    const response = await fetch(`${base}${path}${cursor}`, { headers: { authorization: `Bearer ${token}` } })
    const { pagination } = (await response.json()) as { pagination?: { nextCursor: string | null } }
    if (!pagination?.nextCursor) return null
    cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`
  }
  return cursor
}

async function compare(small: Server, large: Server): Promise<void> {
  const constantUrl = await constant.listen({ host: '127.0.0.1', port: 0 })
  console.log(
    `${cpus().length} cores, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${MILLISECONDS} ms, medians\n`,
  )
  console.log(
    '| read | bytes | requests/s | median ms | of a constant | of a hundredth | deep page, of the first |\n' +
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  )
  for (const [name, path] of Object.entries(routes)) {
    const base = `${large.url}/api/v1`
    const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const body = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${body.toString().slice(0, 200)}`)
    const key = name.replace(/[^a-z0-9]/g, '')
    bytes.set(key, body)
    const cursor = path.includes('limit=') ? await deep(base, path, 150) : null
    const results = {
      constant: [] as number[],
      small: [] as number[],
      large: [] as number[],
      ms: [] as number[],
      deep: [] as number[],
    }
    for (let round = 0; round < ROUNDS; round++) {
      results.constant.push((await measure(`${constantUrl}/${key}`)).perSecond)
      results.small.push((await measure(`${small.url}/api/v1${path}`)).perSecond)
      const { perSecond, medianMs } = await measure(`${base}${path}`)
      results.large.push(perSecond)
      results.ms.push(medianMs)
      if (cursor) results.deep.push((await measure(`${base}${path}${cursor}`)).perSecond)
    }
    const [here, there] = [median(results.large), median(results.small)]
    const ratio = (value: number) => value.toFixed(value < 0.1 ? 3 : 2)
    console.log(
      `| ${name} | ${body.length} | ${here.toFixed(0)} | ${median(results.ms).toFixed(1)} | ` +
        `${ratio(here / median(results.constant))} | ${ratio(here / there)} | ${cursor ? ratio(median(results.deep) / here) : ''} |`,
    )
  }
}

const servers: Server[] = []
try {
  for (const inscriptions of [INSCRIPTIONS / 100, INSCRIPTIONS]) servers.push(await fill(inscriptions))
  await compare(servers[0]!, servers[1]!)
} finally {
  await constant.close()
  for (const server of servers) await server.close()
  devnet.stdin?.end()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
