import { fillParty, restingCollectionOffers } from './collection-offers/lifecycle.ts'
import { restingOffers } from './offers/lifecycle.ts'
import { offerParty } from './offers/party.ts'
import { restingAcceptances, restingProposals, swapParty } from './proposals/lifecycle.ts'
import { purchaseParty } from './purchases/party.ts'
import type { Parties } from './settlements/broadcast.ts'
import { endsResting } from './settlements/spent.ts'

/** Kinds of orders that depend on coins. */
export const resting = [restingOffers, restingCollectionOffers, restingAcceptances, restingProposals]

/** Handlers of what becomes of settlements, by their kind. */
export const parties: Parties = {
  of: { purchase: purchaseParty, offer: offerParty, counter: offerParty, fill: fillParty, swap: swapParty },
  spent: [endsResting(resting)],
}
