/** The states of a collection-wide or trait offer. Books show only `active` ones. */
export type CollectionOfferState =
  | 'active'
  | 'filling'
  | 'filled'
  | 'cancelled'
  | 'replaced'
  | 'expired'
  | 'invalidated'

/** For each state, the states that may lead to it. No other move happens. */
export const MOVES: Record<CollectionOfferState, readonly CollectionOfferState[]> = {
  // a failed fill whose coins are all unspent, and a coin that came back
  active: ['filling', 'filled', 'invalidated'],
  filling: ['active'],
  filled: ['filling'],
  // also an offer that ended because of its coins, which would otherwise become active again
  cancelled: ['active', 'invalidated'],
  replaced: ['active'],
  expired: ['active'],
  invalidated: ['active', 'filling', 'filled'],
}
