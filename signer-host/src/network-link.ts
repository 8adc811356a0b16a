import { X509Certificate } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Address } from '@ordbook/process/address.ts'
import {
  type CertificateEnd,
  DEADLINES,
  type Holder,
  type Link,
  listenAt,
  type Side,
} from '@ordbook/signer/link.ts'
import type { Logger } from 'pino'
import { isOf, nameOf, type Proof } from './certificates.ts'

/** Maximum concurrent handshakes. One more closes the oldest, so that hanging handshakes do not block servers. */
const MAX_HANDSHAKES = 64
/** Minimum time between two log lines about rejected connections. */
const QUIET_MILLISECONDS = 1000

/**
 * A link over the network: TLS 1.3, with certificates of the same authority on both sides. The names in the certificates identify the
 * sides: `holder` listens, and only `asker` may send requests.
 */
export function networkLink(
  { host, port }: Address,
  { holder, asker }: { holder: Holder; asker: Side },
  proof: () => Proof,
): Link {
  const place = `tls://${host.includes(':') ? `[${host}]` : host}:${port}`
  let shown: CertificateEnd[] = []
  return {
    place,
    toReach: () => ({
      host,
      port,
      secureContext: proof().context,
      rejectUnauthorized: true,
      servername: nameOf(holder),
      checkServerIdentity: (_name, { raw }) => {
        const found = new X509Certificate(raw)
        if (!isOf(found, holder)) return new Error(refusalOf(found, holder))
        shown = [{ of: holder, endsAt: found.validToDate }]
        return undefined
      },
    }),
    listen(handle, log) {
      let current = proof()
      const options = { ...current.options, ...DEADLINES, requestCert: true, rejectUnauthorized: true }
      const server = createServer(options, handle)
      // One request per connection, so that each is checked against the current certificates.
      server.maxRequestsPerSocket = 1
      server.prependListener('connection', () => {
        const next = proof()
        if (next !== current) server.setSecureContext(next.options)
        current = next
      })
      boundHandshakes(server)
      admitOnly(asker, server, log)
      return listenAt(server, { host, port }, place)
    },
    certificates: () => [...proof().ends, ...shown],
  }
}

const refusalOf = ({ subjectAltName }: X509Certificate, expected: Side) =>
  `the certificate has ${subjectAltName ?? 'no name'}, expected the name ${nameOf(expected)}`

function boundHandshakes(server: Server): void {
  /** By remote address and port, the only thing that the plain socket and the TLS socket have in common. */
  const underWay = new Map<string, Socket>()
  const originOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.prependListener('connection', (socket: Socket) => {
    const origin = originOf(socket)
    underWay.set(origin, socket)
    socket.once('close', () => {
      if (underWay.get(origin) === socket) underWay.delete(origin)
    })
    const [oldest] = underWay.values()
    if (underWay.size > MAX_HANDSHAKES) oldest!.destroy()
  })
  server.prependListener('secureConnection', (socket: TLSSocket) => underWay.delete(originOf(socket)))
}

/** Closes connections of other sides, which have certificates of the same authority. */
function admitOnly(asker: Side, server: Server, log: Logger): void {
  let quietUntil = 0
  const note = (socket: TLSSocket, reason: unknown) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + QUIET_MILLISECONDS
    log.warn({ from: socket.remoteAddress, reason }, 'refused a connection')
  }
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const found = socket.getPeerX509Certificate()
    if (found && isOf(found, asker)) return
    note(socket, found ? refusalOf(found, asker) : 'no certificate')
    socket.destroy()
  })
  server.on('tlsClientError', (error: Error & { reason?: string }, socket) =>
    note(socket, socket.authorizationError ?? error.reason ?? error.message),
  )
}
