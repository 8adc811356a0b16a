import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { until } from '../distribution/first-trade.ts'
import { peakMegabytesOf, postmasterOf, usageByProgram } from './processes.ts'

const DAY_MS = 86_400_000
const MEMORY_EVERY_MS = 5000

export interface RunningServer {
  child: ChildProcess
  /** Resolves to the time of the first log entry with this message, in milliseconds on the monotonic clock. */
  logged(message: string): Promise<number>
  peakMegabytes(): number
  stop(): Promise<void>
}

/** Starts a server with these environment variables. Prints its errors. */
export function startServer(environment: NodeJS.ProcessEnv): RunningServer {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
    env: { ...environment, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const times = new Map<string, number>()
  createInterface({ input: child.stderr! }).on('line', (line) => {
    if (!line.startsWith('{')) return console.error(line)
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }
    if (!times.has(msg)) times.set(msg, performance.now())
    if (level >= 50) console.error(line)
  })
  const ended = once(child, 'exit')
  process.once('exit', () => child.kill('SIGKILL'))
  return {
    child,
    logged: (message) => until(`"${message}"`, async () => times.get(message)!, DAY_MS),
    peakMegabytes: () => peakMegabytesOf(child.pid!),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Samples the memory of PostgreSQL until the process ends. */
export function watchMemory(directory: string): { peakMegabytes: number } {
  const watched = { peakMegabytes: 0 }
  const postmaster = postmasterOf(directory)
  setInterval(() => {
    const megabytes = usageByProgram(postmaster)
      .values()
      .reduce((sum, usage) => sum + usage.megabytes, 0)
    watched.peakMegabytes = Math.max(watched.peakMegabytes, megabytes)
  }, MEMORY_EVERY_MS).unref()
  return watched
}
