import { unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { assertCheckpoint, type Mark } from '@ordbook/signer/checkpoint.ts'
import type { Guardian, IsIn } from '@ordbook/signer/guardian/guardian.ts'
import type { Link } from '@ordbook/signer/link.ts'
import { remoteGuardian } from '@ordbook/signer-host/guardian/client.ts'
import { openGuardianHere } from '@ordbook/signer-host/open.ts'

/** Opens the guardian, in a separate process if there is a link. See `openSigner` for `known` and `seen`. */
export async function openGuardian(
  config: Config,
  isIn: IsIn,
  { link, known, seen }: { link: Link | null; known: string | null; seen: Mark | null },
): Promise<Guardian> {
  if (link)
    return remoteGuardian(link, {
      unreachable: (message, cause) => unavailable('signer-unavailable', message, cause),
      seen,
    })
  const { keys: guardian } = openGuardianHere(config, isIn, {
    missing:
      known &&
      `the database belongs to the guardian key ${known}. Restore guardian.key from its backup to DATA_DIR. A new key cannot sign fills of existing collection offers`,
    isFirst: known === null,
  })
  if (seen) assertCheckpoint(guardian.mark(), seen)
  return guardian
}
