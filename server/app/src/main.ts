import { codeOf, DatabaseOutage, reasonOf } from '@ordbook/db/driver/outage.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { startServer } from './server.ts'

/**
 * `node server/app/src/main.ts`: the server alone, against a database and a node of the operator's. A module that starts a process when it
 * is loaded exports nothing that others call.
 */

/** The longest that a server takes to close after it has drained. */
const CLOSE_SECONDS = 10

/** The exit code of a start that another try may mend (EX_TEMPFAIL of sysexits.h). scripts/start.ts reads it. */
const OUTAGE_CODE = 75

/** Messages of a server to its supervisor: the progress of a long run of blocks, and then that it runs. */
export type ServerMessage = { height: number; target: number } | { url: string; marketAddress: string }

try {
  const config = readConfig(process.env)
  const { databaseUrl, bitcoinRpcUrl } = config
  if (!databaseUrl)
    throw new ConfigError(
      'DATABASE_URL is not set: set it to a PostgreSQL database, as in postgres://user:password@127.0.0.1/ordbook',
    )
  if (!bitcoinRpcUrl)
    throw new ConfigError(
      'BITCOIN_RPC_URL is not set: set it to a Bitcoin Core node, as in http://user:password@127.0.0.1:8332',
    )
  // A supervisor that started this process by IPC gets its progress, and ends it by disconnecting, perhaps before now.
  process.once('disconnect', () => process.exit(1))
  if (process.connected === false) process.exit(1)
  const report = (message: ServerMessage) => process.send?.(message)
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl }, (height, target) =>
    report({ height, target }),
  )
  const { url, marketAddress, context } = server
  endOnUnexpected(context.log)
  closeOnSignal(context.log, () => server.close(), (CLOSE_SECONDS + config.drainSeconds) * 1000)
  context.log.info({ url, roles: config.roles, market: marketAddress }, 'ordbook runs')
  report({ url, marketAddress })
} catch (error) {
  if (error instanceof DatabaseOutage) {
    console.error(`DATABASE_URL: the database does not answer (${reasonOf(error)})`)
    // A wrong user, password or database stays wrong.
    process.exit(/^(28|3D)/.test(codeOf(error)) ? 1 : OUTAGE_CODE)
  }
  // The system names what it refuses: a full disk, a file that this user may not read.
  const isPlain = error instanceof ConfigError || (error instanceof Error && 'syscall' in error)
  console.error(isPlain ? error.message : error)
  process.exit(1)
}
