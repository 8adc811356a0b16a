import { resolve } from 'node:path'
import { addressesOf, addressOf } from '@ordbook/process/address.ts'
import { healthSocket } from '@ordbook/process/health.ts'
import { type Environment, mergeSettings } from '@ordbook/process/settings-file.ts'
import {
  ConfigError,
  type ConfigOf,
  choice,
  decimal,
  integer,
  optional,
  readVariables,
  text,
  url,
  type Variable,
} from '@ordbook/process/variables.ts'
import { HOST } from '@ordbook/signer/pair-state.ts'

/** Address of a key process. Network addresses require certificates. */
const socket = (about: string): Variable<string | null> => ({
  read: (text) => {
    const place = text.trim()
    const isPath = place !== '' && !place.includes('://') && !/^[^/]*:\d+$/.test(place)
    return isPath || addressesOf(place) ? place : undefined
  },
  expected: 'a path, or tls://host:port with certificates on both sides',
  fallback: null,
  about,
})

const address = (about: string): Variable<string | null> => ({
  read: (text) => (addressOf(text.trim()) ? text.trim() : undefined),
  expected: 'tls://host:port',
  fallback: null,
  about,
})

const hostName = (about: string): Variable<string | null> => ({
  read: (text) => (new RegExp(`^${HOST}$`).test(text.trim()) ? text.trim() : undefined),
  expected: 'a name of lower-case letters, digits and hyphens',
  fallback: null,
  about,
})

const term = (about: string): Variable<number | null> => ({
  ...integer(0, 0, 999_999_998, about),
  fallback: null,
})

/** Settings of key processes, and of the server, which can hold the keys itself. */
export const keyVariables = {
  DATA_DIR: text('.ordbook', 'Folder for keys, journals and the data of embedded services.'),
  BITCOIN_RPC_URL: url(
    null,
    null,
    'Bitcoin node, with user:password in the URL. Default: the embedded devnet.',
  ),
  RESET_JOURNAL: choice(
    ['on', 'off'],
    'off',
    'Start a new journal for existing keys if the old one is lost. Ends every order; set for one start.',
  ),
  SIGNER_SOCKET: socket(
    'Signer: a path or tls://host:port, or two addresses of a pair separated by a comma. Default: the server holds the keys.',
  ),
  SIGNER_HOST: hostName('Name of this host in a pair of signers.'),
  SIGNER_PAIR_SOCKET: address('Address on which this signer listens to its peer, tls://host:port.'),
  SIGNER_PEER_SOCKET: address('Address on which the peer signer listens to this one.'),
  SIGNER_FORCE_TERM: term('Last term of the pair. This signer begins the next term without its peer.'),
  SIGNER_SECRET_FILE: optional(
    'File with the secret shared with a signer on a path, 64 hex digits. Default: signer.secret in DATA_DIR.',
  ),
  GUARDIAN_SOCKET: socket(
    'Guardian: a path or tls://host:port, or two addresses of a pair separated by a comma. Default: the server holds the key.',
  ),
  GUARDIAN_HOST: hostName('Name of this host in a pair of guardians.'),
  GUARDIAN_PAIR_SOCKET: address('Address on which this guardian listens to its peer, tls://host:port.'),
  GUARDIAN_PEER_SOCKET: address('Address on which the peer guardian listens to this one.'),
  GUARDIAN_FORCE_TERM: term('Last term of the pair. This guardian begins the next term without its peer.'),
  GUARDIAN_SECRET_FILE: optional(
    'File with the secret shared with a guardian on a path, 64 hex digits. Default: guardian.secret in DATA_DIR.',
  ),
  TLS_CERTIFICATE_FILE: optional(
    'Certificate of this process for tls:// sockets of signer and guardian, in PEM.',
  ),
  TLS_KEY_FILE: optional('Private key of the certificate, in PEM.'),
  TLS_AUTHORITY_FILE: optional("Certificate of the authority that issued the peer's certificate, in PEM."),
  SIGNER_MAX_FEE_PER_CALL_SATS: integer(
    500_000,
    330,
    2_100_000_000_000_000,
    "Maximum of the market's sats that one signer call can spend on miner fees.",
  ),
  SIGNER_MAX_FEE_PER_DAY_SATS: integer(
    5_000_000,
    330,
    2_100_000_000_000_000,
    "Maximum of the market's sats that the signer can spend on miner fees in 24 hours.",
  ),
  FEE_RATE_MAX_SAT_VB: decimal(500, 0.1, 10_000, 'Maximum fee rate of a settlement, in sat/vB.'),
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Minimum log level. The log has JSON lines.',
  ),
}

/** Additional settings of a key process. */
export const holderVariables = { HEALTH_SOCKET: healthSocket }

export const variables = { ...keyVariables, ...holderVariables }

export type KeyConfig = ConfigOf<typeof keyVariables>
export type HolderConfig = KeyConfig & ConfigOf<typeof holderVariables>

/** Reads the configuration of a key process. `known` are the names that its settings file may have. Throws ConfigError. */
export function readKeyConfig(
  environment: Environment,
  known: readonly string[] = Object.keys(variables),
): HolderConfig {
  const problems: string[] = []
  const read = readVariables(variables, mergeSettings(known, environment, problems), problems)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, dataDir: resolve(read.dataDir) }
}
