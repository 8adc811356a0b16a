import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { DEADLINES, type Link, listenAt } from '@ordbook/signer/link.ts'

const PSK = {
  identity: 'ordbook',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-CHACHA20-POLY1305',
  // Node supports pre-shared keys only with TLS 1.2.
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

/** A link over a local socket, authenticated by a shared secret (TLS-PSK). */
export function socketLink(path: string, secret: Uint8Array): Link {
  return {
    place: path,
    toReach: () => ({
      ...PSK,
      socketPath: path,
      pskCallback: () => ({ psk: secret, identity: PSK.identity }),
      // The shared secret authenticates the peer.
      checkServerIdentity: () => undefined,
    }),
    async listen(handle) {
      const pskCallback = (_socket: unknown, identity: string) => (identity === PSK.identity ? secret : null)
      rmSync(path, { force: true })
      const server = await listenAt(
        createServer({ ...PSK, ...DEADLINES, pskCallback }, handle),
        { path },
        path,
      )
      chmodSync(path, 0o660)
      return server
    },
    certificates: () => [],
  }
}
