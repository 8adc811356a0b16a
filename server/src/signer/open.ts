import { join } from 'node:path'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Config } from '../config.ts'
import { localSigner, readSecret } from './local.ts'
import { remoteSigner } from './remote.ts'
import type { Signer } from './signer.ts'

/** The market's keys: in a signer process where one is configured, else here, made at the first start. */
export async function openSigner(config: Config, onMade: () => void = () => {}): Promise<Signer> {
  if (config.signerSocket) {
    const { secret } = readSecret(config.signerSecretFile ?? join(config.dataDir, 'signer.secret'))
    return remoteSigner(config.signerSocket, secret)
  }
  const { seed, made } = readSeed(config)
  if (made) onMade()
  return localSigner(seed, { maxFeeRateSatVb: config.feeRateMaxSatVb })
}

/** The market's seed, from the environment or its file; made at the first start. */
export function readSeed(config: Config): { seed: Uint8Array; made: boolean } {
  if (config.marketKey) return { seed: hexToBytes(config.marketKey), made: false }
  const { secret, made } = readSecret(config.marketKeyFile ?? join(config.dataDir, 'market.key'))
  return { seed: secret, made }
}
