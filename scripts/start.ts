import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callRpc, Regtest } from '@ordbook/devnet/regtest.ts'
import { findTip } from '@ordbook/server/chain/queries.ts'
import { type Config, ConfigError, readConfig } from '@ordbook/server/config.ts'
import { connect } from '@ordbook/server/db/connect.ts'
import { startEmbedded } from '@ordbook/server/db/embedded.ts'
import { freePort, refusePortInUse } from '@ordbook/server/free-port.ts'
import type { ServerMessage } from '@ordbook/server/main.ts'
import { fileOf, isBundle, typed } from '../cli/src/programs.ts'
import { buildStorefront } from './build-storefront.ts'
import { readCommand } from './command.ts'
import { COMPILED } from './compiled.ts'
import { seedChain, seedMarket, splitCoins } from './demo/seed.ts'
import { openTheBook } from './demo/trades.ts'
import { findRunning, removeRunning, writeRunning } from './running.ts'
import { placeForRenderer, type RendererPlace, spawnRenderer } from './start-previews.ts'
import { type Part, PartFailed, supervise } from './supervise.ts'

/**
 * `npm start`: the whole market on one machine. It embeds everything that is not configured: PostgreSQL and a regtest chain in
 * DATA_DIR, with a demo market on it. Each part is a process of its own; one that ends is started again. Ctrl-C stops
 * everything; a start after that, or after `kill -9`, goes on.
 * `npm start -- --demo` puts the demo market on a regtest node of your own, that of BITCOIN_RPC_URL.
 * `ordbook market start` does the same from a bundle.
 */
const USAGE = `usage: npm start [-- --demo]

Starts a market with whatever is not configured: a PostgreSQL and a regtest chain of its own (docs/guides/operating.md).
--demo fills a market on a configured regtest node with demo data too.`
const { values: options } = readCommand(USAGE, { options: { demo: { type: 'boolean', default: false } } })
const started = Date.now()
const say = (text: string) =>
  console.log(`  ${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)

const MINING_MILLISECONDS = 8000
/** The longest that a part takes to stop before it is killed, in milliseconds. */
const STOP_MILLISECONDS = 15_000

const stopping = new AbortController()
const supervision = { say, giveUp: (problem: string) => void stop(problem), stopping: stopping.signal }
/** Stops of what runs, in the order of its start. */
const stops: (() => Promise<void>)[] = []
let dataDir: string | undefined

async function main(): Promise<void> {
  // The log is for operators: here it speaks up only when something is wrong, unless asked to say more.
  const config = readConfig({ LOG_LEVEL: 'error', ...process.env })
  if (options.demo && config.chain !== 'regtest')
    throw new ConfigError(`--demo: found CHAIN=${config.chain}, but the demo market lives on regtest only`)
  mkdirSync(config.dataDir, { recursive: true })
  const other = findRunning(config.dataDir)
  if (other)
    throw new ConfigError(`ordbook runs already on ${config.dataDir} (process ${other.pid}, ${other.url})`)
  console.log('ordbook')
  const hasApi = config.roles.includes('api')
  if (hasApi) await refusePortInUse(config)
  const ownsDevnet = !config.bitcoinRpcUrl
  // A bundle has its pages.
  const built = hasApi && !isBundle ? buildPages() : null
  const demo = ownsDevnet || options.demo
  const chain = config.bitcoinRpcUrl ? Promise.resolve(config.bitcoinRpcUrl) : startDevnet(config.dataDir)
  const seeded = demo
    ? chain.then((rpcUrl) => seedChain(rpcUrl, config.dataDir, config.addressNetwork, say))
    : null
  // Another part may fail first.
  seeded?.catch(() => {})
  const [rpcUrl, database] = await Promise.all([
    chain,
    config.databaseUrl ? null : startPostgres(config.dataDir),
  ])
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
  dataDir = config.dataDir
  writeRunning(dataDir, { pid: process.pid, url, rpcUrl, databaseUrl })
  const sql = connect(databaseUrl, { max: 2 })
  if (demo) await seedMarket({ sql, marketAddress }, rpcUrl, dataDir, config.addressNetwork, say)
  if (config.roles.includes('follower')) {
    const tip = await new Regtest(rpcUrl).call<number>('getblockcount')
    while (((await findTip(sql))?.height ?? -1) < tip && !stopping.signal.aborted)
      await new Promise((done) => setTimeout(done, 50))
  }
  if (demo && hasApi) say(`open for a look: ${url}`)
  if (demo) await splitCoins(sql, rpcUrl, say)
  await sql.end()
  if (ownsDevnet) mineWhenNeeded(rpcUrl)
  if (demo && hasApi) {
    await openTheBook(url, rpcUrl, dataDir, config.addressNetwork, say).catch((error: unknown) => {
      if (!stopping.signal.aborted) say(`the demo's order book stays as it is: ${error}`)
    })
    if (stopping.signal.aborted) return
  }
  if (place) await startRenderer(place)
  else if (previews)
    say(`no stills in lists: ${(previews as { reason: string }).reason} (docs/guides/previews.md)`)
  say('ready')
  console.log(`
  Storefront ${url}
  API        ${url}/api/v1
  OpenAPI    ${url}/openapi.json   and   ${url}/llms.txt
  Database   ${database ? `embedded PostgreSQL in ${database.directory}` : 'DATABASE_URL'}
  Chain      ${ownsDevnet ? 'embedded devnet (regtest), a chain for trying things' : 'BITCOIN_RPC_URL'}
  Market     ${marketAddress}
${
  demo
    ? `
  Try next, in a second terminal:
    ${typed('demo:trade').padEnd(46)}  two wallets trade an inscription
    curl -s ${url}/llms.txt
`
    : ''
}
  Ctrl-C stops everything; the data stays in ${config.dataDir}.
`)
}

/** Builds the pages where a checkout is newer than them: `npm install` has built them otherwise. */
function buildPages(): Promise<void> {
  const built = buildStorefront().then((isNew) => {
    if (isNew) say('built the storefront')
  })
  // Another part may fail first.
  built.catch(() => {})
  return built
}

/** Mines a block on the devnet some seconds after something waits for one. */
function mineWhenNeeded(rpcUrl: string): void {
  const regtest = new Regtest(rpcUrl)
  setInterval(async () => {
    if (stopping.signal.aborted) return
    const waiting = await regtest.call<string[]>('getrawmempool').catch(() => [])
    if (waiting.length > 0) await regtest.mine().catch(() => {})
  }, MINING_MILLISECONDS).unref()
}

/** Starts the embedded PostgreSQL, at the same address each time. */
async function startPostgres(folder: string): Promise<{ url: string; directory: string }> {
  say('starting PostgreSQL')
  let port: number | undefined
  let place = { url: '', directory: '' }
  const start = async (): Promise<Part> => {
    const { url, directory, ended, stop } = await startEmbedded(folder, port)
    port = Number(new URL(url).port)
    place = { url, directory }
    return { ended: ended.then(() => 'its process is gone'), stop }
  }
  stops.push(await supervise('PostgreSQL', start, supervision))
  return place
}

/** Starts the embedded regtest chain and waits until it answers; gives its RPC URL. */
async function startDevnet(folder: string): Promise<string> {
  say('starting the devnet')
  const credentialsFile = join(folder, 'devnet.credentials')
  if (!existsSync(credentialsFile))
    writeFileSync(credentialsFile, `devnet:${randomBytes(16).toString('hex')}`, { mode: 0o600 })
  const credentials = readFileSync(credentialsFile, 'utf8').trim()
  const port = await freePort()
  const url = `http://${credentials}@127.0.0.1:${port}/`
  const start = async () => {
    const child = spawn(process.execPath, [fileOf('devnet'), join(folder, 'devnet'), String(port)], {
      env: {
        ...(isBundle ? {} : { NODE_COMPILE_CACHE: COMPILED }),
        ...process.env,
        ORDBOOK_DEVNET_CREDENTIALS: credentials,
        ORDBOOK_STOP_WITH_PARENT: '1',
      },
      stdio: ['pipe', 'ignore', 'inherit'],
      // Ctrl-C is for us: the devnet stops after the server that uses it.
      detached: true,
    })
    const part = partOf(child)
    for (let waited = 0; ; waited += 50) {
      try {
        await callRpc(url, 'getblockcount')
        return part
      } catch (error) {
        if (waited > 30_000 || hasEnded(child)) throw error
        await new Promise((done) => setTimeout(done, 50))
      }
    }
  }
  stops.push(await supervise('the devnet', start, supervision))
  return url
}

/** Starts the server and waits until it runs. */
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
  say('starting the server')
  const environment = {
    LOG_LEVEL: 'error',
    // A bundle starts as fast without.
    ...(isBundle ? {} : { NODE_COMPILE_CACHE: COMPILED }),
    // The devnet's coins are worth nothing, and the keys of its wallets are public.
    ...(ownsDevnet ? { TEST_WALLETS: 'on' } : {}),
    // The wallets of the demo and its visitors share one address.
    ...(demo ? { RATE_LIMIT_WRITES: '200/60', RATE_LIMIT_READS: '600/300' } : {}),
    ...(previews ? { PREVIEW_SOCKET: previews.socket } : {}),
    ...process.env,
    PORT: String(config.port === 0 ? await freePort(config.host) : config.port),
    DATABASE_URL: databaseUrl,
    BITCOIN_RPC_URL: rpcUrl,
  }
  const showProgress = progress('indexing block')
  let place = { url: '', marketAddress: '' }
  const start = async () => {
    const child = spawn(process.execPath, [fileOf('server')], {
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    })
    const part = partOf(child)
    await new Promise<void>((done, fail) => {
      child.on('message', (message: ServerMessage) => {
        if ('height' in message) return showProgress(message.height, message.target)
        place = message
        done()
      })
      void part.ended.then((how) => fail(new PartFailed(`the server does not start (${how})`)))
    })
    return part
  }
  stops.push(await supervise('the server', start, supervision))
  return place
}

/** Starts the preview renderer. The market goes on without one that cannot be kept running. */
async function startRenderer(place: RendererPlace): Promise<void> {
  const giveUp = (problem: string) => say(`no stills in lists: ${problem}`)
  const stop = await supervise('the preview renderer', async () => partOf(spawnRenderer(place, say)), {
    ...supervision,
    giveUp,
  })
  stops.push(async () => {
    await stop()
    place.remove()
  })
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

function partOf(child: ChildProcess): Part {
  const ended = once(child, 'exit').then(([code, signal]) => (signal ? String(signal) : `code ${code}`))
  return {
    ended,
    async stop() {
      if (hasEnded(child)) return
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(late)
    },
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
  if (stopping.signal.aborted) return
  stopping.abort()
  if (problem) console.error(`\n  ${problem}`)
  else console.log('\n  stopping')
  // The last part stops first; one that cannot be stopped does not keep the others running.
  for (const each of stops.toReversed())
    await each().catch((error: unknown) => {
      problem ??= String(error)
      console.error(`  ${error}`)
    })
  if (dataDir) removeRunning(dataDir)
  process.exit(problem ? 1 : 0)
}

process.on('SIGINT', () => void stop())
process.on('SIGTERM', () => void stop())
main().catch((error: unknown) => {
  if (stopping.signal.aborted) return
  const isPlain = error instanceof ConfigError || error instanceof PartFailed
  void stop(isPlain ? error.message : String(error instanceof Error ? error.stack : error))
})
