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

/** Maximum concurrent handshakes. Above it, the oldest is closed, so that stalled handshakes do not block servers. */
const MAX_HANDSHAKES = 64
/** Minimum interval between log lines about rejected connections. */
const QUIET_MILLISECONDS = 1000

/**
 * A link over TLS 1.3 with mutual authentication. The names in the certificates identify the sides: `holder` listens, and only `asker` can
 * send requests.
 */
export function networkLink(
  { host, port }: Address,
  { holder, asker }: { holder: Holder; asker: Side },
  proof: () => Proof,
): Link {
  const place = `tls://${host.includes(':') ? `[${host}]` : host}:${port}`
  let peerCertificates: CertificateEnd[] = []
  return {
    place,
    toReach: () => ({
      host,
      port,
      secureContext: proof().context,
      rejectUnauthorized: true,
      servername: nameOf(holder),
      checkServerIdentity: (_name, { raw }) => {
        const certificate = new X509Certificate(raw)
        if (!isOf(certificate, holder)) return new Error(refusalOf(certificate, holder))
        peerCertificates = [{ of: holder, endsAt: certificate.validToDate }]
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
    certificates: () => [...proof().ends, ...peerCertificates],
  }
}

const refusalOf = ({ subjectAltName }: X509Certificate, expected: Side) =>
  `the certificate has ${subjectAltName ?? 'no name'}, expected the name ${nameOf(expected)}`

function boundHandshakes(server: Server): void {
  /** By remote address and port, which the plain socket and the TLS socket share. */
  const handshakes = new Map<string, Socket>()
  const originOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.prependListener('connection', (socket: Socket) => {
    const origin = originOf(socket)
    handshakes.set(origin, socket)
    socket.once('close', () => {
      if (handshakes.get(origin) === socket) handshakes.delete(origin)
    })
    const [oldest] = handshakes.values()
    if (handshakes.size > MAX_HANDSHAKES) oldest!.destroy()
  })
  server.prependListener('secureConnection', (socket: TLSSocket) => handshakes.delete(originOf(socket)))
}

/** Closes connections from other sides. */
function admitOnly(asker: Side, server: Server, log: Logger): void {
  let quietUntil = 0
  const logRejected = (socket: TLSSocket, reason: unknown) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + QUIET_MILLISECONDS
    log.warn({ from: socket.remoteAddress, reason }, 'rejected connection')
  }
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate && isOf(certificate, asker)) return
    logRejected(socket, certificate ? refusalOf(certificate, asker) : 'no certificate')
    socket.destroy()
  })
  server.on('tlsClientError', (error: Error & { reason?: string }, socket) =>
    logRejected(socket, socket.authorizationError ?? error.reason ?? error.message),
  )
}
