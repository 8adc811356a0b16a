import { join } from 'node:path'
import type { KeyConfig } from './config.ts'

/** The file of each seed on a host, whether it is there or not. */
export const keyFilesOf = (config: KeyConfig) => ({
  cosign: config.cosignKeyFile ?? join(config.dataDir, 'cosign.key'),
  coins: config.coinsKeyFile ?? join(config.dataDir, 'coins.key'),
  guardian: config.guardianKeyFile ?? join(config.dataDir, 'guardian.key'),
})
export type KeyName = keyof ReturnType<typeof keyFilesOf>

/** The file of the secret that the server shares with a process that holds keys. */
export function sharedSecretFile({ dataDir, ...config }: KeyConfig, holder: 'signer' | 'guardian'): string {
  return config[`${holder}SecretFile`] ?? join(dataDir, `${holder}.secret`)
}
