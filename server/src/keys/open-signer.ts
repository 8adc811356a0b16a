import { join } from 'node:path'
import { remoteSigner } from '@ordbook/signer/client.ts'
import { localSigner } from '@ordbook/signer/local.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import { revocationsIn } from '@ordbook/signer/revocations.ts'
import { readSeed, readSignerSecret } from '@ordbook/signer/secret.ts'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'

/**
 * The market's keys: in a signer process where one is configured, else here. `known` is the public key of a database that
 * has one: then the key must be there, and is not made.
 */
export async function openSigner(
  config: Config,
  known: string | null,
  onMade: () => void = () => {},
): Promise<Signer> {
  if (config.signerSocket) return remoteSigner(config.signerSocket, readSignerSecret(config), unavailable)
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
