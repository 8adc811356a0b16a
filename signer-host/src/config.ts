import { resolve } from 'node:path'
import { addressesOf, addressOf } from '@ordbook/process/address.ts'
import { healthSocket } from '@ordbook/process/health.ts'
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

/** The socket of a process with keys. Nothing is said over a network without certificates. */
const socket = (about: string): Variable<string | null> => ({
  read: (found) => {
    const place = found.trim()
    const isPath = place !== '' && !place.includes('://') && !/^[^/]*:\d+$/.test(place)
    return isPath || addressesOf(place) ? place : undefined
  },
  expected: 'a path, or tls://host:port with certificates on both sides',
  fallback: null,
  about,
})

/** An address of a host of a pair. */
const address = (about: string): Variable<string | null> => ({
  read: (found) => (addressOf(found.trim()) ? found.trim() : undefined),
  expected: 'tls://host:port',
  fallback: null,
  about,
})

const hostName = (about: string): Variable<string | null> => ({
  read: (found) => (new RegExp(`^${HOST}$`).test(found.trim()) ? found.trim() : undefined),
  expected: 'a name of lower-case letters, digits and hyphens',
  fallback: null,
  about,
})

const term = (about: string): Variable<number | null> => ({
  ...integer(0, 0, 999_999_998, about),
  fallback: null,
})

/** Configuration of the processes that hold keys, and of the server, which may hold the keys itself. */
export const keyVariables = {
  DATA_DIR: text('.ordbook', 'Folder of everything that the embedded defaults keep, and of the keys.'),
  BITCOIN_RPC_URL: url(
    null,
    null,
    'Bitcoin Core, with user:password in the URL; default: the embedded devnet.',
  ),
  RESET_JOURNAL: choice(
    ['on', 'off'],
    'off',
    'Begins a new journal for keys that are there already, where the old one is lost for good or the keys were brought here.',
  ),
  SIGNER_SOCKET: socket(
    'Socket of a signer process that holds the keys, a path or tls://host:port, or both addresses of a pair with a comma; default: the keys are held by the server itself.',
  ),
  SIGNER_HOST: hostName('Name of this host in a pair of signers; each has its own.'),
  SIGNER_PAIR_SOCKET: address(
    'Address at which a signer listens to the other one of its pair, tls://host:port.',
  ),
  SIGNER_PEER_SOCKET: address('Address at which the other signer of the pair listens to this one.'),
  SIGNER_FORCE_TERM: term('Last term of the pair: this signer begins the next one without the other.'),
  SIGNER_SECRET_FILE: optional(
    'Secret shared with the signer at a path, 64 hex digits; default: signer.secret in DATA_DIR.',
  ),
  GUARDIAN_SOCKET: socket(
    'Socket of a guardian process, the second key of collection offers, likewise; default: held by the server itself.',
  ),
  GUARDIAN_HOST: hostName('Name of this host in a pair of guardians; each has its own.'),
  GUARDIAN_PAIR_SOCKET: address('Address at which a guardian listens to the other one of its pair.'),
  GUARDIAN_PEER_SOCKET: address('Address at which the other guardian of the pair listens to this one.'),
  GUARDIAN_FORCE_TERM: term('Last term of the pair: this guardian begins the next one without the other.'),
  GUARDIAN_SECRET_FILE: optional(
    'Secret shared with the guardian at a path, 64 hex digits; default: guardian.secret in DATA_DIR.',
  ),
  TLS_CERTIFICATE_FILE: optional(
    'Certificate of this process at tls:// sockets of signer and guardian, in PEM; browsers never see it.',
  ),
  TLS_KEY_FILE: optional('Key of that certificate, in PEM.'),
  TLS_AUTHORITY_FILE: optional(
    'Certificate of the authority that the other side must have its certificate from, in PEM.',
  ),
  SIGNER_MAX_FEE_PER_CALL_SATS: integer(
    500_000,
    330,
    2_100_000_000_000_000,
    "Most of the market's sats that one call of the signer may give to miners.",
  ),
  SIGNER_MAX_FEE_PER_DAY_SATS: integer(
    5_000_000,
    330,
    2_100_000_000_000_000,
    "Most of the market's sats that the signer may give to miners in 24 hours.",
  ),
  FEE_RATE_MAX_SAT_VB: decimal(500, 0.1, 10_000, 'Highest fee rate of a settlement, in sat/vB.'),
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Lowest level of the log, in JSON lines.',
  ),
}

/** Further variables of a process that only holds keys. */
export const holderVariables = { HEALTH_SOCKET: healthSocket }

export type KeyConfig = ConfigOf<typeof keyVariables>
export type HolderConfig = KeyConfig & ConfigOf<typeof holderVariables>

/** Reads the configuration of a process that holds keys. Throws ConfigError. */
export function readKeyConfig(environment: Readonly<Record<string, string | undefined>>): HolderConfig {
  const problems: string[] = []
  const read = readVariables({ ...keyVariables, ...holderVariables }, environment, problems)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, dataDir: resolve(read.dataDir) }
}
