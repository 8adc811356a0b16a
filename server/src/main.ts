import { closeOnSignal, endOnUnexpected } from '@ordbook/signer/process-policy.ts'
import { ConfigError, readConfig } from './config.ts'
import { startServer } from './server.ts'

/**
 * `node server/src/main.ts`: the server alone, against a database and a node of the operator's. A module that starts a process when it
 * is loaded exports nothing that others call.
 */

/** The longest that a server takes to close after it has drained. */
const CLOSE_SECONDS = 10

/** Messages of a server to its supervisor: the progress of a long run of blocks, and then that it runs. */
export type ServerMessage = { height: number; target: number } | { url: string; marketAddress: string }

try {
  const config = readConfig(process.env)
  const { databaseUrl, bitcoinRpcUrl } = config
  if (!databaseUrl || !bitcoinRpcUrl)
    throw new ConfigError('DATABASE_URL and BITCOIN_RPC_URL must be set; `npm start` brings embedded ones')
  // A supervisor that started this process by IPC gets its progress, and ends it by disconnecting.
  process.once('disconnect', () => process.exit(1))
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
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}
