import { DatabaseOutage, reasonOf } from '@ordbook/db/driver/outage.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'

/** Prints why an operator's command failed, and sets the exit code 1. Unexpected errors are printed with their stack. */
export function printFailure(error: unknown): void {
  process.exitCode = 1
  if (error instanceof DatabaseOutage)
    console.error(`DATABASE_URL: the database does not respond (${reasonOf(error)})`)
  else console.error(error instanceof ConfigError ? error.message : error)
}
