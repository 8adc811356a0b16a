import type { RequestListener } from 'node:http'
import type { RequestOptions, Server } from 'node:https'
import type { ListenOptions } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { bindAt } from '@ordbook/process/bind.ts'
import type { Logger } from 'pino'

/** A process that holds keys. */
export type Holder = 'signer' | 'guardian'

/** A side of a link. Its certificate has the name `ordbook-` plus this word, and is not valid for the other sides. */
export type Side = 'server' | Holder

/** When a certificate expires. */
export interface CertificateEnd {
  of: Side | 'authority'
  endsAt: Date
}

/** Connection between the server and a process that holds a key: its address, and how each side authenticates. */
export interface Link {
  /** The address as configured. */
  readonly place: string
  /** Other hosts with the same keys, of which one is active at a time. */
  readonly others?: readonly Link[]
  /** Options for the next connection. */
  toReach(): RequestOptions & ConnectionOptions
  /** Listens on the address. Throws ConfigError on failure. */
  listen(handle: RequestListener, log: Logger): Promise<Server>
  /** Expiry of this process's certificates, and of those that the other side presented. Empty if a shared secret authenticates both. */
  certificates(): CertificateEnd[]
}

/** Timeout for a signature, a handshake or a request. */
export const TIMEOUT_MILLISECONDS = 15_000

/** Timeouts of every server of a link. */
export const DEADLINES = {
  handshakeTimeout: TIMEOUT_MILLISECONDS,
  requestTimeout: TIMEOUT_MILLISECONDS,
  connectionsCheckingInterval: 1000,
}

/** Maximum concurrent connections: each server has about one per running request. */
const MAX_CONNECTIONS = 256

/** Starts listening, with the limits of a link. */
export async function listenAt(server: Server, at: ListenOptions, place: string): Promise<Server> {
  await bindAt(server, at, { place, milliseconds: TIMEOUT_MILLISECONDS, connections: MAX_CONNECTIONS })
  return server
}
