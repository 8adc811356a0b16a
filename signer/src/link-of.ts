import type { Logger } from 'pino'
import { addressOf } from './address.ts'
import { type Holder, proofFrom, type Side } from './certificates.ts'
import type { KeyConfig } from './config.ts'
import type { Link } from './link.ts'
import { networkLink } from './network-link.ts'
import { readSecret, sharedSecretFile } from './secret.ts'
import { socketLink } from './socket-link.ts'
import { ConfigError } from './variables.ts'

/**
 * The link to a holder of keys that is configured, as one of its sides; null where none is. Throws ConfigError.
 */
export function linkOf(config: KeyConfig, holder: Holder, side: Side, log: Logger): Link | null {
  const socket = config[`${holder}Socket`]
  if (socket === null) return null
  const address = addressOf(socket)
  if (!address) return socketLink(socket, readSecret(sharedSecretFile(config, holder)))
  const { tlsCertificateFile: certificate, tlsKeyFile: key, tlsAuthorityFile: authority } = config
  if (!certificate || !key || !authority)
    throw new ConfigError(
      `${holder.toUpperCase()}_SOCKET: ${socket} needs TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_AUTHORITY_FILE`,
    )
  return networkLink(address, holder, proofFrom({ certificate, key, authority }, side, log))
}
