import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { startProxy, type TcpProxy } from '../../support/proxy.ts'

/** A PostgreSQL of its own behind a proxy, to be stopped, killed, frozen and cut off. Its URL outlives restarts. */
export interface FaultyDatabase {
  /** Of an empty database, through the proxy. */
  url: string
  /** The folder of the cluster. */
  directory: string
  /** The current address of the same database, past the proxy. */
  directUrl(): string
  /** The same under the superuser, of the database `postgres`. */
  superuserUrl(): string
  proxy: TcpProxy
  /** Stops as an administrator does: `fast` ends sessions in order, `immediate` leaves the rest to recovery. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  /** kill -9 of the server and all of its processes. */
  kill(): Promise<void>
  start(): Promise<void>
  /** SIGSTOP of the processes of sessions, or of all, until `thaw`. */
  freeze(what: 'sessions' | 'all'): void
  thaw(): void
  /** Processes of the sessions whose title says so, for instance `idle in transaction`. */
  sessions(title?: string): number[]
  /** All of its processes; none once it has ended. */
  processes(): number[]
  close(): Promise<void>
}

export async function startFaultyDatabase(): Promise<FaultyDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-faults-'))
  chmodSync(folder, 0o755)
  let postgres = await startEmbedded(folder)
  const portOf = () => Number(new URL(postgres.url).port)
  const proxy = await startProxy(portOf())
  const url = new URL(postgres.url)
  url.port = String(proxy.port)
  const main = () => mainOf(postgres.directory)
  let frozen: number[] = []
  const end = (signal: NodeJS.Signals) => endPostgres(postgres.directory, signal)
  const thaw = () => {
    for (const pid of frozen) send(pid, 'SIGCONT')
    frozen = []
  }
  return {
    url: url.href,
    directory: postgres.directory,
    directUrl: () => postgres.url,
    superuserUrl: () => postgres.superuserUrl,
    proxy,
    stop: (how) => end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: () => end('SIGKILL'),
    async start() {
      postgres = await startEmbedded(folder)
      proxy.to(portOf())
    },
    freeze(what) {
      frozen = what === 'all' ? [main(), ...childrenOf(main())] : sessionsOf(main())
      for (const pid of frozen) send(pid, 'SIGSTOP')
    },
    thaw,
    sessions: (title = '') => sessionsOf(main(), title),
    processes() {
      const file = join(postgres.directory, 'postmaster.pid')
      return existsSync(file) && isAlive(main()) ? [main(), ...childrenOf(main())] : []
    },
    async close() {
      thaw()
      await proxy.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const mainOf = (directory: string) =>
  Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0])

/** Ends the PostgreSQL of a folder: SIGKILL goes to all of its processes. */
export async function endPostgres(directory: string, signal: NodeJS.Signals): Promise<void> {
  const main = mainOf(directory)
  const processes = [main, ...childrenOf(main)]
  for (const pid of signal === 'SIGKILL' ? processes : processes.slice(0, 1)) send(pid, signal)
  for (const pid of processes) while (isAlive(pid)) await sleep(5)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended meanwhile.
  }
}

/** A file of a process, empty where that has ended. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** The state and the parent's number, behind the name in parentheses (proc(5)). */
const statOf = (pid: number) => {
  const stat = fileOf(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const isAlive = (pid: number) => !['', 'Z', 'X'].includes(statOf(pid)[0]!)

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statOf(pid)[1]) === parent)

/** A session's title names the role, the database and the client's address. */
const sessionsOf = (parent: number, title = '') =>
  childrenOf(parent).filter((pid) => {
    const found = fileOf(pid, 'cmdline')
    return /^postgres: \w+ \w+ 127\.0\.0\.1/.test(found) && found.includes(title)
  })
