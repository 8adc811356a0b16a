/** The states of a collection-wide or trait offer; only `active` ones are seen in books. */
export type CollectionOfferState =
  | 'active'
  | 'filling'
  | 'filled'
  | 'cancelled'
  | 'replaced'
  | 'expired'
  | 'invalidated'

/** From which states each state can be reached. What is not here does not happen. */
export const MOVES: Record<CollectionOfferState, readonly CollectionOfferState[]> = {
  // a fill that came to nothing while every coin is still there, and a coin that is there again
  active: ['filling', 'filled', 'invalidated'],
  filling: ['active'],
  filled: ['filling'],
  // also what the chain ended: or it would come back with its coins
  cancelled: ['active', 'invalidated'],
  replaced: ['active'],
  expired: ['active'],
  invalidated: ['active', 'filling', 'filled'],
}
