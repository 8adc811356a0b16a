import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Overrides, type TestMarket, until } from './market.ts'
import { tune } from './tune.ts'

/** A separate server process with the database, chain and keys of a market. */
export interface ServerProcess {
  child: ChildProcess
  /** Resolves to the signal or null when it exits. */
  ended: Promise<NodeJS.Signals | null>
  ready(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  logged(): string
}

/** Starts a server. `preload` is a module in the directory `faults`. */
export function spawnServer(
  market: TestMarket,
  port: number,
  { tuning = {}, ...settings }: Overrides = {},
  preload?: string,
): ServerProcess {
  const tuned = tune('@ordbook/db/settings/config.ts', tuning)
  const child = spawn(
    process.execPath,
    [
      ...tuned.flags,
      ...(preload ? ['--import', join(import.meta.dirname, 'faults', preload)] : []),
      join(import.meta.dirname, '../../server/app/src/main.ts'),
    ],
    {
      env: {
        ...process.env,
        DATABASE_URL: market.databaseUrl,
        BITCOIN_RPC_URL: market.node.url,
        DATA_DIR: market.dataDir,
        PORT: String(port),
        RATE_LIMITS: 'off',
        ANCHOR_POOL: '60',
        LOG_LEVEL: 'silent',
        ...settings,
        ...tuned.environment,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  )
  let log = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log += text
    process.stderr.write(text)
  })
  // Kill the child on exit, otherwise it would keep the run from ending after a failed test.
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<NodeJS.Signals | null>((done) =>
    child.once('exit', (_code, signal) => done(signal)),
  )
  return {
    child,
    ended,
    async ready() {
      await until('the server', async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/keys`).catch(() => null)
        return answer?.ok
      })
    },
    async kill(signal) {
      child.kill(signal)
      await ended
    },
    logged: () => log,
  }
}
