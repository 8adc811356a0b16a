/** The states of an offer or counter. `accepting` is seen from outside as `active`: an acceptance is written, not yet out. */
export type OfferState =
  | 'active'
  | 'accepting'
  | 'accepted'
  | 'rejected'
  | 'cancelled'
  | 'expired'
  | 'invalidated'

/** From which states each state can be reached. What is not here does not happen. */
export const MOVES: Record<OfferState, readonly OfferState[]> = {
  // an acceptance that came to nothing while every coin is still there, and a coin that is there again
  active: ['accepting', 'invalidated'],
  accepting: ['active'],
  accepted: ['accepting'],
  rejected: ['active'],
  // also what the chain ended: or it would come back with its coins
  cancelled: ['active', 'invalidated'],
  expired: ['active'],
  // a settlement that the network has dropped for good did not happen
  invalidated: ['active', 'accepting', 'accepted'],
}

/** What others are told of a move; accepting and its failure are nobody's business. */
export type OfferEventType = 'created' | 'accepted' | 'rejected' | 'cancelled' | 'expired' | 'invalidated'
