import { addressesOf } from '@ordbook/process/address.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import type { Holder, Link, Side } from '@ordbook/signer/link.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import type { Logger } from 'pino'
import { type Proof, proofFrom } from './certificates.ts'
import type { KeyConfig } from './config.ts'
import { sharedSecretFile } from './key-files.ts'
import { networkLink } from './network-link.ts'
import { socketLink } from './socket-link.ts'

/** Returns one side's link to a key holder, or null if none is configured. Throws ConfigError. */
export function linkOf(config: KeyConfig, holder: Holder, side: Side, log: Logger): Link | null {
  const socket = config[`${holder}Socket`]
  if (socket === null) return null
  const addresses = addressesOf(socket)
  if (!addresses) return socketLink(socket, readSecret(sharedSecretFile(config, holder)))
  const proof = proofOf(config, side, `${holder.toUpperCase()}_SOCKET: ${socket}`, log)
  const [link, ...others] = addresses.map((address) =>
    networkLink(address, { holder, asker: 'server' }, proof),
  )
  if (others.length === 0) return link!
  return {
    ...link!,
    place: socket,
    others,
    certificates: () => [link!, ...others].flatMap((hostLink) => hostLink.certificates()),
  }
}

/** Loads a side's certificates. `need` is the setting that requires them. Throws ConfigError. */
export function proofOf(config: KeyConfig, side: Side, need: string, log: Logger): () => Proof {
  const { tlsCertificateFile: certificate, tlsKeyFile: key, tlsAuthorityFile: authority } = config
  if (!certificate || !key || !authority)
    throw new ConfigError(`${need} requires TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_AUTHORITY_FILE`)
  return proofFrom({ certificate, key, authority }, side, log)
}
