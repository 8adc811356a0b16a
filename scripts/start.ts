import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, renameSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerMessage } from '@ordbook/app/main.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { makeDataDir, startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { assertPortFree, freePort } from '@ordbook/db/process/free-port.ts'
import { type Config, ConfigError, readConfig, variables } from '@ordbook/db/settings/config.ts'
import { callRpc, Regtest } from '@ordbook/devnet/regtest.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { guide } from '@ordbook/process/guide.ts'
import { mergeSettings } from '@ordbook/process/settings-file.ts'
import { fileOf, isBundle, typed } from '../cli/src/programs.ts'
import { readCommand } from './command.ts'
import { COMPILED } from './compiled.ts'
import { seedChain, seedListings, seedMarket, splitCoins } from './demo/seed.ts'
import { openTheBook } from './demo/trades.ts'
import { findStarting, removeRunning, wasKilled, writeRunning } from './market/running.ts'
import { isOutage, StepFailed } from './outage.ts'
import { buildStorefront } from './start/build-storefront.ts'
import { placeForRenderer, type RendererPlace, spawnRenderer } from './start/previews.ts'
import { type Part, supervise } from './start/supervise.ts'

/**
 * `npm start`: runs the whole market on one machine. Embeds everything that is not configured: PostgreSQL and a regtest chain in DATA_DIR,
 * with a demo market. Each part is a separate process that is restarted when it exits. Ctrl-C stops everything, and the next start resumes.
 * `ordbook market start --demo` puts the demo market on the regtest node of BITCOIN_RPC_URL. `ordbook market start` does the same from a
 * bundle.
 */
const USAGE = `usage: ordbook market start [--demo]

Start a market. PostgreSQL and a regtest chain are embedded unless configured (docs/tutorials/first-market.md).
--demo also fills a market on a configured regtest node with demo data.`
const { values: options } = readCommand(USAGE, { options: { demo: { type: 'boolean', default: false } } })
const started = Date.now()
const log = (text: string) => {
  if (stopping.signal.aborted) return
  console.log(`  ${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

const MINING_MILLISECONDS = 8000
/** Maximum time for a part to stop before it is killed, in milliseconds. */
const STOP_MILLISECONDS = 15_000
/** Maximum time for the parts of a killed start to exit, in milliseconds. */
const KILLED_MILLISECONDS = 20_000
/** Attempts of a step while the database, the node or the server is down, one per second. */
const MAX_TRIES = 60
/** PostgreSQL stops with less free space: a single WAL file needs 16 MB. */
const MIN_BYTES = 32 * 2 ** 20

const stopping = new AbortController()
const supervision = { say: log, giveUp: (problem: string) => void stop(problem), stopping: stopping.signal }
/** Variables of the environment and of SETTINGS_FILE. `readConfig` reports their problems. */
const settings = mergeSettings(Object.keys(variables), process.env, [])
/** Functions that stop the parts, in start order. */
const stops: (() => Promise<void>)[] = []
/** The data folder once it is in use, and the folder of the embedded database. */
const folders: string[] = []

async function main(): Promise<void> {
  const config = readConfig(process.env)
  if (options.demo && config.chain !== 'regtest')
    throw new ConfigError(`--demo: found CHAIN=${config.chain}, but the demo market requires regtest`)
  const { dataDir } = config
  makeDataDir(dataDir)
  const other = findStarting(dataDir)
  if (other)
    throw new ConfigError(
      `ordbook is already running on ${dataDir} (process ${other.pid}${other.url ? `, ${other.url}` : ''})`,
    )
  console.log('ordbook')
  const hasApi = config.roles.includes('api')
  if (hasApi) await assertPortFree(config, wasKilled(dataDir) ? KILLED_MILLISECONDS : 0)
  folders.push(dataDir)
  writeRunning(dataDir, { pid: process.pid })
  const ownsDevnet = !config.bitcoinRpcUrl
  // A bundle contains its pages.
  const built = hasApi && !isBundle ? buildPages() : null
  const demo = ownsDevnet || options.demo
  const chain = config.bitcoinRpcUrl ? Promise.resolve(config.bitcoinRpcUrl) : startDevnet(dataDir)
  const seeded = demo
    ? chain.then((rpcUrl) => throughOutages(() => seedChain(rpcUrl, dataDir, config.addressNetwork, log)))
    : null
  // Another part may fail first.
  seeded?.catch(() => {})
  const [rpcUrl, database] = await Promise.all([chain, config.databaseUrl ? null : startPostgres(dataDir)])
  const databaseUrl = config.databaseUrl ?? database!.url
  const previews = hasApi && !config.previewSocket ? placeForRenderer() : null
  const place = previews && 'socket' in previews ? previews : null
  const startBuilt = async () => {
    // The server reads the pages when it starts.
    await built
    return startServer(config, { databaseUrl, rpcUrl, ownsDevnet, demo, place })
  }
  const [{ url, marketAddress }] = await Promise.all([startBuilt(), seeded])
  if (stopping.signal.aborted) return
  writeRunning(dataDir, { pid: process.pid, url, rpcUrl, databaseUrl })
  const sql = connect(databaseUrl, { max: 2 })
  if (demo)
    await throughOutages(() =>
      seedMarket({ sql, marketAddress }, rpcUrl, dataDir, config.addressNetwork, log),
    )
  if (config.roles.includes('follower')) await throughOutages(() => catchUp(sql, rpcUrl))
  if (demo) await throughOutages(() => seedListings(sql, dataDir, config.addressNetwork))
  if (demo && hasApi) log(`ready to browse: ${url}`)
  if (demo) await throughOutages(() => splitCoins(sql, rpcUrl, log))
  await sql.end()
  if (ownsDevnet) mineWhenNeeded(rpcUrl)
  if (demo && hasApi)
    await throughOutages(() => openTheBook(url, rpcUrl, dataDir, config.addressNetwork, log))
  if (stopping.signal.aborted) return
  if (place) await startRenderer(place)
  else if (previews)
    log(
      `no thumbnails in lists: ${(previews as { reason: string }).reason} (${guide('docs/how-to/render-thumbnails.md')})`,
    )
  log('ready')
  console.log(`
  Storefront ${url}
  API        ${url}/api/v1
  OpenAPI    ${url}/openapi.json   and   ${url}/llms.txt
  Database   ${database ? `embedded PostgreSQL in ${database.directory}` : 'DATABASE_URL'}
  Chain      ${ownsDevnet ? 'embedded devnet (regtest), only for tests' : 'BITCOIN_RPC_URL'}
  Market     ${marketAddress}
${settings.LOG_LEVEL ? '' : `  Errors     once there are any: ${join(dataDir, 'server.log')}\n`}${
  demo
    ? `
  Try next, in a second terminal:
    ${(isBundle ? typed('demo trade') : 'npm run demo -- trade').padEnd(46)}  let two wallets trade an inscription
    curl -s ${url}/llms.txt
`
    : ''
}
  Ctrl-C stops everything. Data stays in ${dataDir}.
`)
}

/** Runs a step, and retries while a required part is down. */
async function throughOutages<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await step()
    } catch (error) {
      if (!isOutage(error) || tries === MAX_TRIES || fullDisk() || stopping.signal.aborted) throw error
      await sleep(1000, undefined, { signal: stopping.signal }).catch(() => {})
    }
}

async function catchUp(sql: Sql, rpcUrl: string): Promise<void> {
  const tip = await new Regtest(rpcUrl).call<number>('getblockcount')
  while (((await findTip(sql))?.height ?? -1) < tip && !stopping.signal.aborted) await sleep(50)
}

/** Returns a message if a required disk is almost full, or null. */
function fullDisk(): string | null {
  for (const folder of folders) {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    if (free < MIN_BYTES)
      return `Not enough space on the disk of ${folder}: ${Math.floor(free / 2 ** 20)} MB are free. Free some space, then restart.`
  }
  return null
}

function buildPages(): Promise<void> {
  const built = buildStorefront().then((isNew) => {
    if (isNew) log('built the storefront')
  })
  // Another part may fail first.
  built.catch(() => {})
  return built
}

/** Mines a block on the devnet a few seconds after a transaction enters the mempool. */
function mineWhenNeeded(rpcUrl: string): void {
  const regtest = new Regtest(rpcUrl)
  setInterval(async () => {
    if (stopping.signal.aborted) return
    const waiting = await regtest.call<string[]>('getrawmempool').catch(() => [])
    if (waiting.length > 0) await regtest.mine().catch(() => {})
  }, MINING_MILLISECONDS).unref()
}

/** Starts the embedded PostgreSQL, on the same port each time. */
async function startPostgres(folder: string): Promise<{ url: string; directory: string }> {
  log('starting PostgreSQL')
  let port: number | undefined
  let place = { url: '', directory: '' }
  const start = async (): Promise<Part> => {
    const { url, directory, ended, stop } = await startEmbedded(folder, port)
    port = Number(new URL(url).port)
    place = { url, directory }
    return { ended: ended.then(() => 'its process exited'), stop }
  }
  await keepRunning('PostgreSQL', start)
  folders.push(place.directory)
  return place
}

/** Starts the embedded regtest chain. Returns its RPC URL. */
async function startDevnet(folder: string): Promise<string> {
  log('starting the devnet')
  const credentialsFile = join(folder, 'devnet.credentials')
  if (!existsSync(credentialsFile)) {
    writeFileSync(`${credentialsFile}.new`, `devnet:${randomBytes(16).toString('hex')}`, { mode: 0o600 })
    renameSync(`${credentialsFile}.new`, credentialsFile)
  }
  const credentials = readFileSync(credentialsFile, 'utf8').trim()
  const port = await freePort()
  const url = `http://${credentials}@127.0.0.1:${port}/`
  const start = async (signal: AbortSignal) => {
    const child = spawn(process.execPath, [fileOf('devnet'), join(folder, 'devnet'), String(port)], {
      env: {
        ...(isBundle ? {} : { NODE_COMPILE_CACHE: COMPILED }),
        ...process.env,
        ORDBOOK_DEVNET_CREDENTIALS: credentials,
        ORDBOOK_STOP_WITH_PARENT: '1',
      },
      stdio: ['pipe', 'ignore', 'inherit'],
      // Detached, so that Ctrl-C does not stop the devnet before the server.
      detached: true,
    })
    const part = partOf(child, signal)
    for (;;) {
      try {
        await callRpc(url, 'getblockcount')
        return part
      } catch {
        if (hasEnded(child)) throw failureOf('the devnet', await part.ended)
        await sleep(50)
      }
    }
  }
  await keepRunning('the devnet', start)
  return url
}

async function startServer(
  config: Config,
  {
    databaseUrl,
    rpcUrl,
    ownsDevnet,
    demo,
    place: previews,
  }: {
    databaseUrl: string
    rpcUrl: string
    ownsDevnet: boolean
    demo: boolean
    place: RendererPlace | null
  },
): Promise<{ url: string; marketAddress: string }> {
  log('starting the server')
  const environment = {
    // Log only errors by default, to a file: the log is meant for operators.
    LOG_LEVEL: 'error',
    // Has no effect on a bundle.
    ...(isBundle ? {} : { NODE_COMPILE_CACHE: COMPILED }),
    // Safe, because the devnet's coins are worthless.
    ...(ownsDevnet ? { TEST_WALLETS: 'on' } : {}),
    // The demo's wallets and its visitors share one IP address. The exchange rate is made up.
    ...(demo ? { RATE_LIMIT_WRITES: '200/60', RATE_LIMIT_READS: '600/300', FIAT_PER_BTC: '100000' } : {}),
    ...(previews ? { PREVIEW_SOCKET: previews.socket } : {}),
    ...settings,
    PORT: String(config.port === 0 ? await freePort(config.host) : config.port),
    DATABASE_URL: databaseUrl,
    BITCOIN_RPC_URL: rpcUrl,
  }
  const showProgress = progress('indexing block')
  let place = { url: '', marketAddress: '' }
  const start = async (signal: AbortSignal) => {
    const child = spawn(process.execPath, [fileOf('server')], {
      env: environment,
      stdio: ['ignore', 'inherit', settings.LOG_LEVEL ? 'inherit' : 'pipe', 'ipc'],
      detached: true,
    })
    if (child.stderr) separateLog(child.stderr, join(config.dataDir, 'server.log'))
    const closed = once(child, 'close')
    const part = partOf(child, signal)
    await new Promise<void>((done, fail) => {
      child.on('message', (message: ServerMessage) => {
        if ('height' in message) return showProgress(message.height, message.target)
        place = message
        done()
      })
      // The server has printed the reason by then.
      void closed.then(([code, signal]) => fail(failureOf('the server', signal ?? `code ${code}`)))
    })
    return part
  }
  await keepRunning('the server', (signal) => throughOutages(() => start(signal)))
  return place
}

/** Appends log lines to a file. Passes on other output, such as the reason of a failed start. */
function separateLog(output: Readable, file: string): void {
  createInterface({ input: output }).on('line', (line) => {
    if (!line.startsWith('{')) return console.error(`  ${line}`)
    try {
      appendFileSync(file, `${line}\n`)
    } catch {
      // The disk is full, which is reported elsewhere.
    }
  })
}

async function startRenderer(place: RendererPlace): Promise<void> {
  const giveUp = (problem: string) => log(`no thumbnails in lists: ${problem}`)
  const start = async (signal: AbortSignal) => partOf(spawnRenderer(place, log), signal)
  const renderer = supervise('the preview renderer', start, { ...supervision, giveUp })
  stops.push(async () => {
    await renderer.stop()
    place.remove()
  })
  await renderer.started
}

/** Starts a part and restarts it until shutdown. Resolves once it is running. */
function keepRunning(name: string, start: (signal: AbortSignal) => Promise<Part>): Promise<void> {
  const { started, stop } = supervise(name, start, supervision)
  stops.push(stop)
  return started
}

/** The exit code shows whether the part has printed the reason. */
const failureOf = (name: string, how: string): StepFailed =>
  new StepFailed(how.startsWith('code') ? '' : `${name} failed to start (${how})`, how === 'code 75')

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Wraps a process as a part. The signal stops it. */
function partOf(child: ChildProcess, signal: AbortSignal): Part {
  signal.addEventListener('abort', () => child.kill(), { once: true })
  if (signal.aborted) child.kill()
  const ended = once(child, 'exit').then(([code, signal]) => (signal ? String(signal) : `code ${code}`))
  return {
    ended,
    async stop() {
      if (hasEnded(child)) return
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(timer)
    },
  }
}

/** Returns a function that prints the progress of a long sync, about once a second. */
function progress(what: string): (height: number, target: number) => void {
  let last = Date.now()
  return (height, target) => {
    if (Date.now() - last < 1000 || target - height < 3) return
    last = Date.now()
    log(`${what} ${height} of ${target}`)
  }
}

async function stop(problem?: string): Promise<void> {
  if (stopping.signal.aborted) return
  stopping.abort()
  // Report a full disk first, because it causes other failures.
  if (problem === undefined) console.log('\n  stopping')
  else console.error(`\n  ${fullDisk() ?? problem}`.trimEnd())
  // Stop in reverse order, even if one part fails to stop.
  for (const each of stops.toReversed())
    await each().catch((error: unknown) => {
      problem ??= String(error)
      console.error(`  ${error}`)
    })
  if (folders[0]) removeRunning(folders[0])
  process.exit(problem === undefined ? 0 : 1)
}

process.on('SIGINT', () => void stop())
process.on('SIGTERM', () => void stop())
main().catch((error: Error) => stop(error.message))
