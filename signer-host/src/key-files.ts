import { join } from 'node:path'
import type { KeyConfig } from './config.ts'

export const keyFilesOf = ({ dataDir }: Pick<KeyConfig, 'dataDir'>) => ({
  cosign: join(dataDir, 'cosign.key'),
  coins: join(dataDir, 'coins.key'),
  guardian: join(dataDir, 'guardian.key'),
})
export type KeyName = keyof ReturnType<typeof keyFilesOf>

/** Returns the path of the secret shared between the server and a key process. */
export function sharedSecretFile({ dataDir, ...config }: KeyConfig, holder: 'signer' | 'guardian'): string {
  return config[`${holder}SecretFile`] ?? join(dataDir, `${holder}.secret`)
}
