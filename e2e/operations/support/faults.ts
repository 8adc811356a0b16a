import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { startProxy, type TcpProxy } from '../../support/faults/proxy.ts'

/** A separate PostgreSQL behind a proxy that tests can stop, kill, freeze or disconnect. Its URL survives restarts. */
export interface FaultyDatabase {
  url: string
  directory: string
  /** Current URL without the proxy. */
  directUrl(): string
  /** Like `directUrl`, for the superuser and the database `postgres`. */
  superuserUrl(): string
  proxy: TcpProxy
  /** Shutdown mode of pg_ctl: `fast` is clean, `immediate` requires crash recovery. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
  /** Sends SIGSTOP to the session processes or to all processes. */
  freeze(what: 'sessions' | 'all'): void
  thaw(): void
  /** Pids of sessions whose process title contains `title`, for example `idle in transaction`. */
  sessions(title?: string): number[]
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

/** Stops a PostgreSQL and waits for all its processes. SIGKILL is sent to all of them, other signals only to the postmaster. */
export async function endPostgres(directory: string, signal: NodeJS.Signals): Promise<void> {
  const main = mainOf(directory)
  const processes = [main, ...childrenOf(main)]
  for (const pid of signal === 'SIGKILL' ? processes : processes.slice(0, 1)) send(pid, signal)
  for (const pid of processes) while (isAlive(pid)) await sleep(5)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

/** Reads a file in /proc. Returns an empty string if the process has ended. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Fields of /proc/PID/stat after the name, starting with state and parent pid (proc(5)). */
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

/** Process titles contain the role, the database and the client's address. */
const sessionsOf = (parent: number, title = '') =>
  childrenOf(parent).filter((pid) => {
    const found = fileOf(pid, 'cmdline')
    return /^postgres: \w+ \w+ 127\.0\.0\.1/.test(found) && found.includes(title)
  })
