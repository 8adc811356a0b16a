import { codeOf, DatabaseOutage, reasonOf } from '@ordbook/db/driver/outage.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { startServer } from './server.ts'

/**
 * `node server/app/src/main.ts`: the server, with an external database and node. This module exports nothing, because loading it starts a
 * process.
 */

/** Maximum time to close after draining, in seconds. */
const CLOSE_SECONDS = 10

/** Exit code for a failed start that may succeed later (EX_TEMPFAIL of sysexits.h). scripts/start.ts reads it. */
const OUTAGE_CODE = 75

/** Messages of a server to its supervisor: progress of a long sync, then its URL once it is ready. */
export type ServerMessage = { height: number; target: number } | { url: string; marketAddress: string }

try {
  const config = readConfig(process.env)
  const { databaseUrl, bitcoinRpcUrl } = config
  if (!databaseUrl)
    throw new ConfigError(
      'DATABASE_URL is not set. Set it to a PostgreSQL database, as in postgres://user:password@127.0.0.1/ordbook',
    )
  if (!bitcoinRpcUrl)
    throw new ConfigError(
      'BITCOIN_RPC_URL is not set. Set it to a Bitcoin Core node, as in http://user:password@127.0.0.1:8332',
    )
  // A supervisor with an IPC channel receives the progress, and stops the server by disconnecting, possibly before this point.
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
    console.error(`DATABASE_URL: the database does not respond (${reasonOf(error)})`)
    // A wrong user, password or database does not fix itself.
    process.exit(/^(28|3D)/.test(codeOf(error)) ? 1 : OUTAGE_CODE)
  }
  // Messages of system errors are clear without a stack: a full disk, a file that this user may not read.
  const isPlain = error instanceof ConfigError || (error instanceof Error && 'syscall' in error)
  console.error(isPlain ? error.message : error)
  process.exit(1)
}
