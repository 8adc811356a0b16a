/** The states of an offer or counter. `accepting` shows as `active`: an acceptance is stored and not yet sent. */
export type OfferState =
  | 'active'
  | 'accepting'
  | 'accepted'
  | 'rejected'
  | 'cancelled'
  | 'expired'
  | 'invalidated'

/** For each state, the states that may lead to it. No other move happens. */
export const MOVES: Record<OfferState, readonly OfferState[]> = {
  // a failed acceptance whose coins are all unspent, and a coin that came back
  active: ['accepting', 'invalidated'],
  accepting: ['active'],
  accepted: ['accepting'],
  rejected: ['active'],
  // also an offer that ended because of its coins, which would otherwise become active again
  cancelled: ['active', 'invalidated'],
  expired: ['active'],
  // `accepted`: a sent settlement that can never confirm
  invalidated: ['active', 'accepting', 'accepted'],
}

/** Events of an offer. An acceptance that is not sent, or fails before, creates none. */
export type OfferEventType = 'created' | 'accepted' | 'rejected' | 'cancelled' | 'expired' | 'invalidated'
