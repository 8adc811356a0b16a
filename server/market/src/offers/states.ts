/** State of an offer. `accepting`: an acceptance is stored but not broadcast yet; the API shows `active`. */
export type OfferState =
  | 'active'
  | 'accepting'
  | 'accepted'
  | 'rejected'
  | 'cancelled'
  | 'expired'
  | 'invalidated'

/** Allowed previous states. */
export const MOVES: Record<OfferState, readonly OfferState[]> = {
  // after a failed acceptance, or when a spend of a backing coin is dropped
  active: ['accepting', 'invalidated'],
  accepting: ['active'],
  accepted: ['accepting'],
  rejected: ['active'],
  // `invalidated`: otherwise the offer could become active again
  cancelled: ['active', 'invalidated'],
  expired: ['active'],
  // from `accepted`: its settlement can never confirm
  invalidated: ['active', 'accepting', 'accepted'],
}

/** An acceptance creates an event only after its broadcast. */
export type OfferEventType = 'created' | 'accepted' | 'rejected' | 'cancelled' | 'expired' | 'invalidated'
