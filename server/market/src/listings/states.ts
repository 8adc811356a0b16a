/** The states of a listing; the first three are live, and only these are public. */
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

/** The states from which each state can be reached. Any other move is refused. */
export const MOVES: Record<ListingState, readonly ListingState[]> = {
  // live states follow from chain, mempool and trades (recheck.ts); the chain may bring back listings that it ended
  buyable: ['hidden_locked', 'pending_public', 'invalidated'],
  hidden_locked: ['buyable', 'pending_public', 'invalidated'],
  pending_public: ['buyable', 'hidden_locked', 'invalidated'],
  // a settlement on the chain is a sale, from any state
  sold: ['buyable', 'hidden_locked', 'pending_public', 'cancelled', 'expired', 'invalidated', 'replaced'],
  // not during a trade; also listings that the chain ended, which would otherwise become live again
  cancelled: ['buyable', 'hidden_locked', 'pending_public', 'invalidated'],
  expired: ['buyable', 'hidden_locked', 'pending_public'],
  // the chain can end any live listing
  invalidated: ['buyable', 'hidden_locked', 'pending_public'],
  replaced: ['buyable', 'hidden_locked', 'pending_public'],
}
