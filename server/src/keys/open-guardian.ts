import { join } from 'node:path'
import { remoteGuardian } from '@ordbook/signer/guardian/client.ts'
import { type Guardian, type IsIn, localGuardian } from '@ordbook/signer/guardian/guardian.ts'
import { revocationsIn } from '@ordbook/signer/revocations.ts'
import { readGuardianSecret, readGuardianSeed } from '@ordbook/signer/secret.ts'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'

/** The guardian: in a process of its own where one is configured, else here. `known` as for the signer. */
export async function openGuardian(
  config: Config,
  isIn: IsIn,
  known: string | null = null,
): Promise<Guardian> {
  if (config.guardianSocket)
    return remoteGuardian(config.guardianSocket, readGuardianSecret(config), unavailable)
  return localGuardian(
    readGuardianSeed(
      config,
      known &&
        `the database belongs to the guardian key ${known}. Restore guardian.key from its backup (GUARDIAN_KEY_FILE); a new key could fill no live collection offer`,
    ),
    isIn,
    revocationsIn(join(config.dataDir, 'revoked-offers.txt')),
  )
}
