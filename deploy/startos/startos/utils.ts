import type { T } from '@start9labs/start-sdk'
import { sdk } from './sdk'

export const marketPort = 4000
export const databasePort = 5432
export const ordPort = 8080

/** Containers of a service share one network, so all are reachable at `127.0.0.1`. */
export const databaseUrl = (password: string) =>
  `postgres://ordbook:${password}@127.0.0.1:${databasePort}/ordbook`

/** Returns the node's RPC host and port, or null. */
export const nodeAddress = (effects: T.Effects) =>
  sdk.host
    .getBridgeAddress(effects, { packageId: 'bitcoind', hostId: 'rpc', internalPort: 8332, ssl: false })
    .const()
