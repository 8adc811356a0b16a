import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { hashToken } from '@ordbook/market/auth/sessions.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'

export interface Machine {
  /** A session token that is valid on every market. */
  token: string
  /** A folder for temporary files, deleted by `stop`. */
  directory: string
  rpcUrl: string
  /** Creates an empty database with the schema. Returns its URL. */
  database(name: string): Promise<string>
  /** Creates a market with `inscriptions` inscriptions (fill.sql), and runs further SQL. Returns its database URL. */
  fill(inscriptions: number, ...further: string[]): Promise<string>
  /** Starts a server on a market, with a response cache of `megabytes`. */
  serve(databaseUrl: string, megabytes: number): Promise<Server>
  /** CPU time of this process and of PostgreSQL in microseconds. Without /proc, PostgreSQL's is 0. */
  cpu(): number
  databaseCpu(): number
  stop(): Promise<void>
}

export async function startMachine(): Promise<Machine> {
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
  const [postmaster] = readFileSync(join(postgres.directory, 'postmaster.pid'), 'utf8').split('\n')
  const servers: Server[] = []
  return {
    token,
    directory,
    rpcUrl,
    database: (name) => makeDatabase(postgres, name),
    fill: (inscriptions, ...further) => fill(postgres, token, inscriptions, further),
    async serve(databaseUrl, megabytes) {
      const config = readConfig(
        {
          DATA_DIR: directory,
          PORT: '0',
          ROLES: 'api',
          RATE_LIMIT_READS: '999999999/999999999',
          RATE_LIMIT_WEB_READS: '999999999/999999999',
          LOG_LEVEL: 'error',
        },
        { responseCacheMegabytes: megabytes },
      )
      const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: rpcUrl })
      servers.push(server)
      return server
    },
    cpu() {
      const { user, system } = process.cpuUsage()
      return user + system + cpuOfChildren(postmaster!)
    },
    databaseCpu: () => cpuOfChildren(postmaster!),
    async stop() {
      for (const server of servers) await server.close()
      devnet.stdin?.end()
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

interface Addresses {
  url: string
  superuserUrl: string
}

async function makeDatabase({ url: anyUrl, superuserUrl }: Addresses, name: string): Promise<string> {
  const url = new URL(anyUrl)
  const admin = connect(superuserUrl, { max: 1 })
  url.pathname = `/${name}`
  await admin.unsafe(`create database ${name} owner ordbook`)
  await admin.end()
  const sql = connect(url.href, { max: 1 })
  await migrate(sql)
  await sql.end()
  return url.href
}

async function fill(
  addresses: Addresses,
  token: string,
  inscriptions: number,
  further: readonly string[],
): Promise<string> {
  const url = await makeDatabase(addresses, `bench_${inscriptions}`)
  const sql = connect(url, { max: 1 })
  const started = Date.now()
  const text = readFileSync(join(import.meta.dirname, 'fill.sql'), 'utf8')
    .replaceAll(':inscriptions', String(inscriptions))
    .replaceAll(':collections', String(Math.max(inscriptions / 500, 100)))
  // fill.sql writes derived rows itself. Only a superuser can bypass the triggers.
  const past = new URL(addresses.superuserUrl)
  past.pathname = new URL(url).pathname
  const filler = connect(past.href, { max: 1 })
  for (const each of [text, ...further]) await filler.begin((tx) => tx.unsafe(each))
  await filler.end()
  await sql`
    insert into sessions (token_sha256, profile_id, expires_at)
    select ${hashToken(token)}, md5('profile0')::uuid, now() + interval '1 day'`
  await sql`vacuum analyze`
  if (inscriptions <= 10_000) {
    const differences = await checkRollups({ sql, config: readConfig({}), clock: () => new Date() })
    if (differences.length > 0)
      throw new Error(`fill.sql wrote wrong derived rows: ${JSON.stringify(differences)}`)
  }
  await sql.end()
  console.error(`filled ${inscriptions} inscriptions in ${((Date.now() - started) / 1000).toFixed(0)} s`)
  return url
}

function cpuOfChildren(parent: string): number {
  if (!existsSync('/proc/self/stat')) return 0
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[1] === parent) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process has exited.
    }
  return ticks * 10_000
}
