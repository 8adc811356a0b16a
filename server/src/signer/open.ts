import { join } from 'node:path'
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
  const { secret, made } = readSecret(config.marketKeyFile ?? join(config.dataDir, 'market.key'))
  if (made) onMade()
  return localSigner(secret, { maxFeeRateSatVb: config.feeRateMaxSatVb })
}
