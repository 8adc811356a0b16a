import { unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Link } from '@ordbook/signer/link.ts'
import { assertMark, type Mark } from '@ordbook/signer/mark.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { openSignerHere } from '@ordbook/signer-host/open.ts'

/**
 * Opens the market's keys: in a signer process if there is a link to one, otherwise in this process. `known` is the public key recorded in
 * the database; if set, the keys must exist and are not generated. `seen` is the last recorded journal position. Throws ConfigError and
 * JournalError.
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
      `the database belongs to the market key ${known}. Restore cosign.key and coins.key from their backup to DATA_DIR; new keys could settle no live listing and spend no coin of the market`,
    isFirst: known === null,
  })
  if (made) onMade()
  if (seen) assertMark(signer.mark(), seen)
  return signer
}
