/** State of a listing. The first three are active. */
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

/** Allowed previous states, except of `reviveListings`. */
export const MOVES: Record<ListingState, readonly ListingState[]> = {
  // recheck.ts recomputes active states
  buyable: ['hidden_locked', 'pending_public'],
  hidden_locked: ['buyable', 'pending_public'],
  pending_public: ['buyable', 'hidden_locked'],
  // a confirmed settlement is always a sale
  sold: ['buyable', 'hidden_locked', 'pending_public', 'cancelled', 'expired', 'invalidated', 'replaced'],
  // `invalidated`: otherwise a reorg could revive the listing
  cancelled: ['buyable', 'hidden_locked', 'pending_public', 'invalidated'],
  expired: ['buyable', 'hidden_locked', 'pending_public'],
  invalidated: ['buyable', 'hidden_locked', 'pending_public'],
  replaced: ['buyable', 'hidden_locked', 'pending_public'],
}
