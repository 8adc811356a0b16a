import { sdk } from './sdk'

/** The node must be running with its chain. Further requirements are checked by the market: all blocks, and txindex. */
export const setDependencies = sdk.setupDependencies(async () => ({
  bitcoind: { kind: 'running', versionRange: '>=28.0:0', healthChecks: ['bitcoind', 'sync-progress'] },
}))
