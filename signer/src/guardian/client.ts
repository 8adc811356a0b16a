import type { Release } from '../requests.ts'
import { callsTo, type Unreachable } from '../transport.ts'
import type { Guardian } from './guardian.ts'

/** Connects to a guardian process. */
export async function remoteGuardian(
  socket: string,
  secret: Uint8Array,
  unreachable: Unreachable,
): Promise<Guardian> {
  const ask = callsTo<Guardian>(socket, secret, 'guardian', unreachable)
  return {
    key: await ask<Uint8Array>('key', {}),
    lock: (bid) => ask<Uint8Array>('lock', bid),
    release: (request) => ask<Release>('release', request),
    revoke: (secretHashes) => ask('revoke', secretHashes),
  }
}
