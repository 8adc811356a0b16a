import { sdk } from './sdk'

/** The node has to run and to have its chain. The market says what else it wants of it: all blocks, and txindex. */
export const setDependencies = sdk.setupDependencies(async () => ({
  bitcoind: { kind: 'running', versionRange: '>=28.0:0', healthChecks: ['bitcoind', 'sync-progress'] },
}))
