import { join } from 'node:path'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Config } from '../config.ts'
import { localSigner, readSecret } from './local.ts'
import { remoteSigner } from './remote.ts'
import { revocationsIn } from './revocations.ts'
import type { Signer } from './signer.ts'

/**
 * The market's keys: in a signer process where one is configured, else here. `known` is the public key of a database that
 * has one: then the key must be there, and is not made.
 */
export async function openSigner(
  config: Config,
  known: string | null,
  onMade: () => void = () => {},
): Promise<Signer> {
  if (config.signerSocket) {
    const { secret } = readSecret(config.signerSecretFile ?? join(config.dataDir, 'signer.secret'))
    return remoteSigner(config.signerSocket, secret)
  }
  const { seed, made } = readSeed(
    config,
    known &&
      `the database belongs to the market key ${known}. Restore market.key from its backup (MARKET_KEY_FILE); a new key could settle no live listing and spend no coin of the market`,
  )
  if (made) onMade()
  return localSigner(
    seed,
    { maxFeeRateSatVb: config.feeRateMaxSatVb },
    revocationsIn(join(config.dataDir, 'revoked.txt')),
  )
}

/** The market's seed, from the environment or its file. `missing` as for `readSecret`. */
export function readSeed(config: Config, missing: string | null): { seed: Uint8Array; made: boolean } {
  if (config.marketKey) return { seed: hexToBytes(config.marketKey), made: false }
  const { secret, made } = readSecret(config.marketKeyFile ?? join(config.dataDir, 'market.key'), missing)
  return { seed: secret, made }
}
