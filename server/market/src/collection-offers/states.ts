/** State of a collection or trait offer. Only `active` offers are public. */
export type CollectionOfferState =
  | 'active'
  | 'filling'
  | 'filled'
  | 'cancelled'
  | 'replaced'
  | 'expired'
  | 'invalidated'

/** Allowed previous states. */
export const MOVES: Record<CollectionOfferState, readonly CollectionOfferState[]> = {
  // after a failed fill, or when a spend of a backing coin is dropped
  active: ['filling', 'filled', 'invalidated'],
  filling: ['active'],
  filled: ['filling'],
  // `invalidated`: otherwise the offer could become active again
  cancelled: ['active', 'invalidated'],
  replaced: ['active'],
  expired: ['active'],
  invalidated: ['active', 'filling', 'filled'],
}
