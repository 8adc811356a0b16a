import { join } from 'node:path'
import type { Config } from '../config.ts'
import { readSecret } from '../signer/local.ts'
import { revocationsIn } from '../signer/revocations.ts'
import type { Release } from '../signer/signer.ts'
import { callsTo } from '../signer/socket.ts'
import { type Guardian, type IsIn, localGuardian } from './guardian.ts'

/** The guardian: in a process of its own where one is configured, else here. `known` as for the signer. */
export async function openGuardian(
  config: Config,
  isIn: IsIn,
  known: string | null = null,
): Promise<Guardian> {
  if (!config.guardianSocket)
    return localGuardian(
      readGuardianSeed(
        config,
        known &&
          `the database belongs to the guardian key ${known}. Restore guardian.key from its backup (GUARDIAN_KEY_FILE); a new key could fill no live collection offer`,
      ),
      isIn,
      revocationsIn(join(config.dataDir, 'revoked-offers.txt')),
    )
  const ask = callsTo<Guardian>(config.guardianSocket, readGuardianSecret(config), 'guardian')
  return {
    key: await ask<Uint8Array>('key', {}),
    lock: (bid) => ask<Uint8Array>('lock', bid),
    release: (request) => ask<Release>('release', request),
    revoke: (secretHashes) => ask('revoke', secretHashes),
  }
}

/** What only the guardian may read. */
export function readGuardianSeed(config: Config, missing: string | null = null): Uint8Array {
  return readSecret(config.guardianKeyFile ?? join(config.dataDir, 'guardian.key'), missing).secret
}

/** What the guardian and the server share. */
export function readGuardianSecret(config: Config): Uint8Array {
  return readSecret(config.guardianSecretFile ?? join(config.dataDir, 'guardian.secret')).secret
}
