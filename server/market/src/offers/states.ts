/** State of an offer or counter-offer. `accepting`: an acceptance is stored but not broadcast yet; the API shows `active`. */
export type OfferState =
  | 'active'
  | 'accepting'
  | 'accepted'
  | 'rejected'
  | 'cancelled'
  | 'expired'
  | 'invalidated'

/** For each state, its allowed previous states. */
export const MOVES: Record<OfferState, readonly OfferState[]> = {
  // after a failed acceptance, or when a spend of a backing coin is dropped
  active: ['accepting', 'invalidated'],
  accepting: ['active'],
  accepted: ['accepting'],
  rejected: ['active'],
  // `invalidated` too: otherwise the offer could become active again
  cancelled: ['active', 'invalidated'],
  expired: ['active'],
  // from `accepted`: a broadcast settlement that can never confirm
  invalidated: ['active', 'accepting', 'accepted'],
}

/** Events of an offer. An acceptance creates an event only after its broadcast. */
export type OfferEventType = 'created' | 'accepted' | 'rejected' | 'cancelled' | 'expired' | 'invalidated'
