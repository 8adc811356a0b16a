import { restingCollectionOffers } from './collection-offers/lifecycle.ts'
import { fillParty } from './collection-offers/settlement-kind.ts'
import { restingOffers } from './offers/lifecycle.ts'
import { offerParty } from './offers/settlement-kind.ts'
import { restingAcceptances, restingProposals } from './proposals/lifecycle.ts'
import { swapParty } from './proposals/settlement-kind.ts'
import { purchaseParty } from './purchases/settlement-kind.ts'
import type { Parties } from './settlements/broadcast.ts'
import { endsResting } from './settlements/dependent-orders.ts'

/** Kinds of orders that depend on coins. */
export const resting = [restingOffers, restingCollectionOffers, restingAcceptances, restingProposals]

/** Handlers of what becomes of settlements, by their kind. */
export const parties: Parties = {
  of: { purchase: purchaseParty, offer: offerParty, counter: offerParty, fill: fillParty, swap: swapParty },
  spent: [endsResting(resting)],
}
