import type { RequestListener } from 'node:http'
import type { RequestOptions, Server } from 'node:https'
import type { ListenOptions } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { bindAt } from '@ordbook/process/bind.ts'
import type { Logger } from 'pino'

export type Holder = 'signer' | 'guardian'

/** A side of a link. Its certificate has the name `ordbook-` plus the side. */
export type Side = 'server' | Holder

export interface CertificateEnd {
  of: Side | 'authority'
  endsAt: Date
}

/** Connection between the server and a key process, with mutual authentication. */
export interface Link {
  /** Address as configured. */
  readonly place: string
  /** Hosts with the same keys, of which only one is active at a time. */
  readonly others?: readonly Link[]
  /** Options of the next connection. */
  toReach(): RequestOptions & ConnectionOptions
  /** Listens on the address. Throws ConfigError on failure. */
  listen(handle: RequestListener, log: Logger): Promise<Server>
  /** Expiry of this process's certificates and the peer's. Empty with a shared secret. */
  certificates(): CertificateEnd[]
}

/** Timeout of a call, a handshake or a request. */
export const TIMEOUT_MILLISECONDS = 15_000

/** Timeouts of a link's server. */
export const DEADLINES = {
  handshakeTimeout: TIMEOUT_MILLISECONDS,
  requestTimeout: TIMEOUT_MILLISECONDS,
  connectionsCheckingInterval: 1000,
}

/** Maximum connections. Each server has about one per running request. */
const MAX_CONNECTIONS = 256

export async function listenAt(server: Server, at: ListenOptions, place: string): Promise<Server> {
  await bindAt(server, at, { place, milliseconds: TIMEOUT_MILLISECONDS, connections: MAX_CONNECTIONS })
  return server
}
