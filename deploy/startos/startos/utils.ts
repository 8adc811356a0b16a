import type { T } from '@start9labs/start-sdk'
import { sdk } from './sdk'

export const marketPort = 4000
export const databasePort = 5432
export const ordPort = 8080

/** The containers of a service share one network, in which `127.0.0.1` is all of them. */
export const databaseUrl = (password: string) =>
  `postgres://ordbook:${password}@127.0.0.1:${databasePort}/ordbook`

/** The node's RPC, as host and port; null while there is none. */
export const nodeAddress = (effects: T.Effects) =>
  sdk.host
    .getBridgeAddress(effects, { packageId: 'bitcoind', hostId: 'rpc', internalPort: 8332, ssl: false })
    .const()
