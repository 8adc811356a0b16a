import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callRpc, Regtest } from '@ordbook/devnet/regtest.ts'
import { ConfigError, readConfig } from '@ordbook/server/config.ts'
import { type EmbeddedPostgres, startEmbedded } from '@ordbook/server/db/embedded.ts'
import { freePort, refusePortInUse } from '@ordbook/server/free-port.ts'
import { type Server, startServer } from '@ordbook/server/main.ts'
import { buildStorefront } from './build-storefront.ts'
import { findRunning, removeRunning, writeRunning } from './running.ts'
import { seedDemo } from './seed-demo.ts'

/**
 * `npm start`: the whole market on one machine. What is not configured is embedded: PostgreSQL and a regtest chain in
 * DATA_DIR, with a demo market on it. Ctrl-C stops everything; a start after that, or after `kill -9`, goes on.
 * `npm start -- --demo` puts the demo market on a regtest node of your own, that of BITCOIN_RPC_URL.
 */
const started = Date.now()
const say = (text: string) =>
  console.log(`  ${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)

const MINING_MILLISECONDS = 8000

let stopping = false
let postgres: EmbeddedPostgres | undefined
let devnet: ChildProcess | undefined
let server: Server | undefined

async function main(): Promise<void> {
  // The log is for operators: here it speaks up only when something is wrong, unless asked to say more.
  const config = readConfig({ LOG_LEVEL: 'error', ...process.env })
  if (process.argv.includes('--demo') && config.chain !== 'regtest')
    throw new ConfigError(`--demo: found CHAIN=${config.chain}, but the demo market lives on regtest only`)
  mkdirSync(config.dataDir, { recursive: true })
  const other = findRunning(config.dataDir)
  if (other)
    throw new ConfigError(`ordbook runs already on ${config.dataDir} (process ${other.pid}, ${other.url})`)
  if (config.roles.includes('api')) await refusePortInUse(config)
  console.log('ordbook')
  if (!config.databaseUrl) {
    say('starting PostgreSQL')
    postgres = await startEmbedded(config.dataDir)
  }
  const rpcUrl = config.bitcoinRpcUrl ?? (await startDevnet(config.dataDir))
  if (config.roles.includes('api') && (await buildStorefront())) say('built the storefront')
  const databaseUrl = config.databaseUrl ?? postgres!.url
  say('starting the server')
  // The devnet's coins are worth nothing: its wallets are anybody's, and it mines when there is something to mine.
  const testWallets = devnet && process.env.TEST_WALLETS === undefined ? 'on' : config.testWallets
  server = await startServer(
    { ...config, testWallets, databaseUrl, bitcoinRpcUrl: rpcUrl },
    progress('indexing block'),
  )
  if (stopping) return
  writeRunning(config.dataDir, { pid: process.pid, url: server.url, rpcUrl, databaseUrl })
  const demo = devnet !== undefined || process.argv.includes('--demo')
  if (demo) await seedDemo(server, rpcUrl, config.dataDir, config.addressNetwork, say)
  await server.sync()
  if (devnet) mineWhenNeeded(rpcUrl)
  say('ready')
  console.log(`
  Storefront ${server.url}
  API        ${server.url}/api/v1
  OpenAPI    ${server.url}/openapi.json   and   ${server.url}/llms.txt
  Database   ${postgres ? `embedded PostgreSQL in ${postgres.directory}` : 'DATABASE_URL'}
  Chain      ${devnet ? 'embedded devnet (regtest), a chain for trying things' : 'BITCOIN_RPC_URL'}
  Market     ${server.marketAddress}
${
  demo
    ? `
  Try next, in a second terminal:
    npm run demo:trade                              two wallets trade an inscription
    curl -s ${server.url}/llms.txt
`
    : ''
}
  Ctrl-C stops everything; the data stays in ${config.dataDir}.
`)
}

/** Mines a block on the devnet some seconds after something waits for one. */
function mineWhenNeeded(rpcUrl: string): void {
  const regtest = new Regtest(rpcUrl)
  setInterval(async () => {
    if (stopping) return
    const waiting = await regtest.call<string[]>('getrawmempool').catch(() => [])
    if (waiting.length > 0) await regtest.mine().catch(() => {})
  }, MINING_MILLISECONDS).unref()
}

/** Starts the embedded regtest chain as a process of its own and waits until it answers; gives its RPC URL. */
async function startDevnet(dataDir: string): Promise<string> {
  say('starting the devnet')
  const credentialsFile = join(dataDir, 'devnet.credentials')
  if (!existsSync(credentialsFile))
    writeFileSync(credentialsFile, `devnet:${randomBytes(16).toString('hex')}`, { mode: 0o600 })
  const credentials = readFileSync(credentialsFile, 'utf8').trim()
  const port = await freePort()
  devnet = spawn(
    process.execPath,
    [join(import.meta.dirname, '../devnet/src/main.ts'), join(dataDir, 'devnet'), String(port)],
    {
      env: { ...process.env, ORDBOOK_DEVNET_CREDENTIALS: credentials, ORDBOOK_STOP_WITH_PARENT: '1' },
      stdio: ['pipe', 'ignore', 'inherit'],
      // Ctrl-C is for us: the devnet stops after the server that uses it.
      detached: true,
    },
  )
  devnet.once('exit', (code) => {
    if (!stopping) void stop(`the devnet stopped with code ${code}`)
  })
  const url = `http://${credentials}@127.0.0.1:${port}/`
  for (let waited = 0; ; waited += 50) {
    try {
      await callRpc(url, 'getblockcount')
      return url
    } catch (error) {
      if (waited > 30_000) throw error
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

/** Says how far a long run of blocks is, about once a second. */
function progress(what: string): (height: number, target: number) => void {
  let last = Date.now()
  return (height, target) => {
    if (Date.now() - last < 1000 || target - height < 3) return
    last = Date.now()
    say(`${what} ${height} of ${target}`)
  }
}

async function stop(problem?: string): Promise<void> {
  if (stopping) return
  stopping = true
  if (problem) console.error(`\n  ${problem}`)
  else console.log('\n  stopping')
  await server?.close()
  devnet?.stdin?.end()
  if (devnet && devnet.exitCode === null) await new Promise((done) => devnet!.once('exit', done))
  await postgres?.stop()
  if (server) removeRunning(server.context.config.dataDir)
  process.exit(problem ? 1 : 0)
}

process.on('SIGINT', () => void stop())
process.on('SIGTERM', () => void stop())
main().catch((error: unknown) => {
  if (stopping) return
  void stop(
    error instanceof ConfigError ? error.message : String(error instanceof Error ? error.stack : error),
  )
})
