import { join } from 'node:path'
import type { KeyConfig } from './config.ts'

/** Returns the path of each seed, whether the file exists or not. */
export const keyFilesOf = ({ dataDir }: Pick<KeyConfig, 'dataDir'>) => ({
  cosign: join(dataDir, 'cosign.key'),
  coins: join(dataDir, 'coins.key'),
  guardian: join(dataDir, 'guardian.key'),
})
export type KeyName = keyof ReturnType<typeof keyFilesOf>

/** Returns the path of the secret that the server shares with a process that holds keys. */
export function sharedSecretFile({ dataDir, ...config }: KeyConfig, holder: 'signer' | 'guardian'): string {
  return config[`${holder}SecretFile`] ?? join(dataDir, `${holder}.secret`)
}
