import type { Mark } from '@ordbook/signer/checkpoint.ts'
import type { Link } from '@ordbook/signer/link.ts'
import { type MarketKeys, type Signed, type Signer, signerCalls } from '@ordbook/signer/requests.ts'
import { callsTo, type Unreachable } from '@ordbook/signer/transport.ts'

/** Connects to a signer process. `seen` is the last known mark of its journal: a signer with a shorter journal signs nothing. */
export async function remoteSigner(
  link: Link,
  {
    unreachable = (message, cause) => new Error(message, { cause }),
    seen = null,
  }: { unreachable?: Unreachable; seen?: Mark | null } = {},
): Promise<Signer> {
  const { ask, mark, isPaired } = callsTo(link, { who: 'signer', calls: signerCalls, unreachable, seen })
  return {
    keys: await ask<MarketKeys>('keys', {}),
    mark: () => mark()!,
    isPaired,
    signSettlement: (settlement) => ask<Signed[]>('signSettlement', settlement),
    signCounter: (counter) => ask<Signed[]>('signCounter', counter),
    signFill: (fill) => ask<Signed[]>('signFill', fill),
    signReclaim: (reclaim) => ask<Signed>('signReclaim', reclaim),
    signMove: (move) => ask<Signed>('signMove', move),
    signCoins: (coins) => ask<Signed>('signCoins', coins),
    raiseFloors: async (floors) => {
      await ask('raiseFloors', floors)
    },
    floors: (outpoints) => ask('floors', outpoints),
    revoke: async (revocations) => {
      await ask('revoke', revocations)
    },
    revoked: (ids) => ask('revoked', ids),
    signLogHead: (head) => ask<Uint8Array>('signLogHead', head),
  }
}
