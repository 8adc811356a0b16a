import type { OwnEscrow } from '@ordbook/sdk/verify'
import { Failure } from './failure.ts'
import type { Item } from './trade-session.ts'

/** Returns the escrow coins of items, in their order. Throws Failure for an item that is not in escrow. */
export const escrowsOf = (items: readonly Item[]): OwnEscrow[] =>
  items.map(({ inscriptionId, coin, escrowForm }) => {
    if (!escrowForm) throw new Failure('not-in-escrow', `${inscriptionId} is not in escrow`)
    return { ...coin, escrowForm }
  })
