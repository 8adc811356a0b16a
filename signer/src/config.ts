import { resolve } from 'node:path'
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
} from './variables.ts'

/** Configuration of the processes that hold keys, and of the server, which may hold the keys itself. */
export const keyVariables = {
  DATA_DIR: text('.ordbook', 'Folder of everything that the embedded defaults keep, and of the keys.'),
  BITCOIN_RPC_URL: url(
    null,
    null,
    'Bitcoin Core, with user:password in the URL; default: the embedded devnet.',
  ),
  COSIGN_KEY_FILE: optional(
    'Seed of the key that co-signs escrows, 64 hex digits; default: cosign.key in DATA_DIR, made at first start.',
  ),
  COINS_KEY_FILE: optional(
    "Seed of the key of the market's coins, 64 hex digits; default: coins.key in DATA_DIR, made at first start.",
  ),
  NEW_JOURNAL: choice(
    ['on', 'off'],
    'off',
    'Begins a new journal for keys that are there already, where the old one is lost for good or the keys were brought here.',
  ),
  SIGNER_SOCKET: optional(
    'Socket of a signer process that holds the keys; default: the keys are held by the server itself.',
  ),
  SIGNER_SECRET_FILE: optional(
    'Secret shared with the signer, 64 hex digits; default: signer.secret in DATA_DIR.',
  ),
  GUARDIAN_SOCKET: optional(
    'Socket of a guardian process, the second key of collection offers; default: held by the server itself.',
  ),
  GUARDIAN_SECRET_FILE: optional(
    'Secret shared with the guardian, 64 hex digits; default: guardian.secret in DATA_DIR.',
  ),
  GUARDIAN_KEY_FILE: optional(
    "The guardian's seed, 64 hex digits; default: guardian.key in DATA_DIR, made at first start.",
  ),
  SIGNER_CALL_SATS: integer(
    500_000,
    330,
    2_100_000_000_000_000,
    "Most of the market's sats that one call of the signer may give to miners.",
  ),
  SIGNER_DAY_SATS: integer(
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

export type KeyConfig = ConfigOf<typeof keyVariables>

/** Reads the configuration of a process that holds keys. Throws ConfigError. */
export function readKeyConfig(environment: Readonly<Record<string, string | undefined>>): KeyConfig {
  const problems: string[] = []
  const read = readVariables(keyVariables, environment, problems)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, dataDir: resolve(read.dataDir) }
}
