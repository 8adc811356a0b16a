/** The states of a listing; the first three are live, and only they are seen from outside. */
export type ListingState =
  | 'buyable'
  | 'hidden_locked'
  | 'pending_public'
  | 'sold'
  | 'cancelled'
  | 'expired'
  | 'invalidated'
  | 'replaced'

export const LIVE: readonly ListingState[] = ['buyable', 'hidden_locked', 'pending_public']

/** From which states each state can be reached. What is not here does not happen. */
export const MOVES: Record<ListingState, readonly ListingState[]> = {
  // the live ones are where chain, mempool and trades put them (recheck.ts), and what the chain ended it may bring back
  buyable: ['hidden_locked', 'pending_public', 'invalidated'],
  hidden_locked: ['buyable', 'pending_public', 'invalidated'],
  pending_public: ['buyable', 'hidden_locked', 'invalidated'],
  // a settlement on the chain is a sale, whatever we believed before
  sold: ['buyable', 'hidden_locked', 'pending_public', 'cancelled', 'expired', 'invalidated', 'replaced'],
  // not while a trade has it in hand; also what the chain ended, or it would come back
  cancelled: ['buyable', 'hidden_locked', 'pending_public', 'invalidated'],
  expired: ['buyable', 'hidden_locked', 'pending_public'],
  // the chain has the last word here too
  invalidated: ['buyable', 'hidden_locked', 'pending_public'],
  replaced: ['buyable', 'hidden_locked', 'pending_public'],
}
