import { remoteGuardian } from '@ordbook/signer/guardian/client.ts'
import type { Guardian, IsIn } from '@ordbook/signer/guardian/guardian.ts'
import { assertMark, type Mark } from '@ordbook/signer/mark.ts'
import { openGuardianHere } from '@ordbook/signer/open.ts'
import { readGuardianSecret } from '@ordbook/signer/secret.ts'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'

/** The guardian: in a process of its own where one is configured, else here. `known` and `seen` as for the signer. */
export async function openGuardian(
  config: Config,
  isIn: IsIn,
  { known, seen }: { known: string | null; seen: Mark | null },
): Promise<Guardian> {
  if (config.guardianSocket)
    return remoteGuardian(config.guardianSocket, readGuardianSecret(config), {
      unreachable: (message, cause) => unavailable('signer-unavailable', message, cause),
      seen,
    })
  const { keys: guardian } = openGuardianHere(config, isIn, {
    missing:
      known &&
      `the database belongs to the guardian key ${known}. Restore guardian.key from its backup (GUARDIAN_KEY_FILE); a new key could fill no live collection offer`,
    isFirst: known === null,
  })
  if (seen) assertMark(guardian.mark(), seen)
  return guardian
}
