import type { RequestListener } from 'node:http'
import type { RequestOptions, Server } from 'node:https'
import type { ListenOptions } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { bindAt } from '@ordbook/process/bind.ts'
import type { Logger } from 'pino'

/** A process that holds keys. */
export type Holder = 'signer' | 'guardian'

/** A side of a link. Its certificate bears the name `ordbook-` and this word, and serves for no other side. */
export type Side = 'server' | Holder

/** The time at which a certificate expires. */
export interface CertificateEnd {
  of: Side | 'authority'
  endsAt: Date
}

/** The way between the server and a process that holds a key: its place, and how each side proves itself to the other. */
export interface Link {
  /** The place as its variable says it. */
  readonly place: string
  /** The other hosts of the same keys, of which one answers at a time. */
  readonly others?: readonly Link[]
  /** Options of the next connection to it. */
  toReach(): RequestOptions & ConnectionOptions
  /** Listens there. Throws ConfigError where that cannot be. */
  listen(handle: RequestListener, log: Logger): Promise<Server>
  /** The ends of the certificates of this process, and of those that the other side has shown. None where a secret proves both. */
  certificates(): CertificateEnd[]
}

/** Longest that a signature, a handshake or a request may take. */
export const TIMEOUT_MILLISECONDS = 15_000

/** Deadlines of every server of a link. */
export const DEADLINES = {
  handshakeTimeout: TIMEOUT_MILLISECONDS,
  requestTimeout: TIMEOUT_MILLISECONDS,
  connectionsCheckingInterval: 1000,
}

/** Most connections at once: each server has about one for each request under way. */
const MOST_CONNECTIONS = 256

/** Has a server of a link listen. */
export async function listenAt(server: Server, at: ListenOptions, place: string): Promise<Server> {
  await bindAt(server, at, { place, milliseconds: TIMEOUT_MILLISECONDS, connections: MOST_CONNECTIONS })
  return server
}
