import { unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { assertCheckpoint, type Mark } from '@ordbook/signer/checkpoint.ts'
import type { Link } from '@ordbook/signer/link.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { openSignerHere } from '@ordbook/signer-host/open.ts'

/**
 * Opens the signer, in a separate process if there is a link. `known` is the stored public key: if set, the keys must exist. `seen` is the
 * last stored journal checkpoint. Throws ConfigError and JournalError.
 */
export async function openSigner(
  config: Config,
  { link, known, seen }: { link: Link | null; known: string | null; seen: Mark | null },
  onMade: () => void,
): Promise<Signer> {
  if (link)
    return remoteSigner(link, {
      unreachable: (message, cause) => unavailable('signer-unavailable', message, cause),
      seen,
    })
  const { keys: signer, made } = openSignerHere(config, {
    missing:
      known &&
      `the database belongs to the market key ${known}. Restore cosign.key and coins.key from their backup to DATA_DIR. New keys cannot settle existing listings or spend the market's coins`,
    isFirst: known === null,
  })
  if (made) onMade()
  if (seen) assertCheckpoint(signer.mark(), seen)
  return signer
}
