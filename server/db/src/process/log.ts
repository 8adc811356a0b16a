import { hostname } from 'node:os'
import { type Logger, pino } from 'pino'
import type { Config } from '../settings/config.ts'
import { spanOfLine } from './span.ts'

/** Opens the log: JSON lines on standard error. Writes synchronously, so that a crash does not lose the last line. */
export function openLog({
  logLevel,
  roles,
}: {
  logLevel: Config['logLevel']
  roles: readonly string[]
}): Logger {
  return pino(
    {
      level: logLevel,
      redact: ['req.headers.authorization'],
      mixin: () => spanOfLine() ?? {},
      base: { pid: process.pid, hostname: hostname(), roles: roles.join() },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
