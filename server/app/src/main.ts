import { codeOf, DatabaseOutage, reasonOf } from '@ordbook/db/driver/outage.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { notifyReady } from '@ordbook/process/notify-ready.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { startServer } from './server.ts'

/**
 * Starts the server with an external database and node. Do not import this module: loading it starts the
 * process.
 */

/** Maximum time to close after draining, in seconds. */
const CLOSE_SECONDS = 10

/** Exit code if the start can be retried (EX_TEMPFAIL). scripts/start.ts checks it. */
const OUTAGE_CODE = 75

/** IPC messages to the supervisor: sync progress, then the URL once the server is ready. */
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
  // The supervisor stops the server by disconnecting, possibly before this line.
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
  // NOTIFY_SOCKET may come from a parent, without a socket or a `systemd-notify` here. The market runs in any case.
  await notifyReady().catch((err: unknown) =>
    context.log.warn({ err }, 'failed to report readiness to systemd'),
  )
} catch (error) {
  if (error instanceof DatabaseOutage) {
    console.error(`DATABASE_URL: the database does not respond (${reasonOf(error)})`)
    // Retrying does not help against a wrong user, password or database.
    process.exit(/^(28|3D)/.test(codeOf(error)) ? 1 : OUTAGE_CODE)
  }
  // System errors, such as a full disk, need no stack trace.
  const isPlain = error instanceof ConfigError || (error instanceof Error && 'syscall' in error)
  console.error(isPlain ? error.message : error)
  process.exit(1)
}
