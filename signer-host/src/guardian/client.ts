import type { Mark } from '@ordbook/signer/checkpoint.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { Link } from '@ordbook/signer/link.ts'
import { guardianCalls, type Release } from '@ordbook/signer/requests.ts'
import { callsTo, type Unreachable } from '@ordbook/signer/transport.ts'

/** Connects to a guardian process. `seen` is the last known mark of its journal: a guardian with a shorter journal signs nothing. */
export async function remoteGuardian(
  link: Link,
  { unreachable, seen }: { unreachable: Unreachable; seen: Mark | null },
): Promise<Guardian> {
  const { ask, mark, isPaired } = callsTo(link, { who: 'guardian', calls: guardianCalls, unreachable, seen })
  return {
    key: await ask<Uint8Array>('key', {}),
    mark: () => mark()!,
    isPaired,
    lock: (bid) => ask<Uint8Array>('lock', bid),
    release: (request) => ask<Release>('release', request),
    revoke: async (revocations) => {
      await ask('revoke', revocations)
    },
    revoked: (secretHashes) => ask<string[]>('revoked', secretHashes),
  }
}
