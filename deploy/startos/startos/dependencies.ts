import { sdk } from './sdk'

/** The node must be running and synced. The market itself checks the other requirements: all blocks and txindex. */
export const setDependencies = sdk.setupDependencies(async () => ({
  bitcoind: { kind: 'running', versionRange: '>=28.0:0', healthChecks: ['bitcoind', 'sync-progress'] },
}))
