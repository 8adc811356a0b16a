import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { startIndexer } from './serve.ts'

/** Entry point of the indexer without a market. Requires DATABASE_URL and BITCOIN_RPC_URL. */

const CLOSE_MILLISECONDS = 10_000

try {
  const config = readConfig(process.env)
  const { databaseUrl, bitcoinRpcUrl } = config
  if (!databaseUrl || !bitcoinRpcUrl) throw new ConfigError('Set DATABASE_URL and BITCOIN_RPC_URL.')
  const indexer = await startIndexer({ ...config, databaseUrl, bitcoinRpcUrl })
  const { log } = indexer.context
  endOnUnexpected(log)
  closeOnSignal(log, () => indexer.close(), CLOSE_MILLISECONDS)
  log.info({ url: indexer.url }, 'indexer started')
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}
