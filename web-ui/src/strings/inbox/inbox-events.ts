import type { Answer } from '@ordbook/sdk/operations.ts'
import { fullTime, money } from '../../format/format.ts'

type Event = Answer<'listInbox'>['events'][number]

const nameOf = ({ name, collectionName }: { name: string | null; collectionName: string | null }) =>
  name ?? collectionName ?? 'an item'
const priced = (sats: number | null) => (sats === null ? '' : `: ${money(sats)}`)

const ENDED_BY = {
  expiry: 'It expired.',
  move: 'The item moved to another coin.',
  cancel: 'It was cancelled or replaced.',
}

/** How a listing ended, and whether its item can be listed again. */
function endedText(listing: Event['listing']): string {
  if (!listing?.endedBy) return 'It is open again, because the block that ended it was replaced.'
  if (listing.endedBy === 'sale') return 'A purchase that was signed before it ended has confirmed.'
  const why = ENDED_BY[listing.endedBy]
  return listing.isHeld
    ? `${why} The item is still yours. Nobody can buy it by this listing. To sell it, list it again.`
    : `${why} You do not hold the item now.`
}

/** Names the order that ends, and what can be done then. */
function expiringText({ proposalId, priceSats, expiresAt, listing }: Event): string {
  const order = proposalId ? 'trade proposal' : listing ? 'listing' : 'offer'
  const price = priceSats === null ? '' : ` ${listing ? 'at' : 'of'} ${money(priceSats)}`
  const again = listing ? 'list the item again' : `make the ${proposalId ? 'proposal' : 'offer'} again`
  return `If you do nothing, your ${order}${price} ends${expiresAt === null ? ' soon' : ` on ${fullTime(expiresAt)}`}. Nothing moves, and you can ${again}.`
}

/** Title and explanation of each kind of event. */
const EVENTS: Record<Event['kind'], (event: Event) => [title: string, text: string]> = {
  offer: (event) => [`Offer on ${nameOf(event)}${priced(event.priceSats)}`, 'Accept, counter or decline it.'],
  counter: (event) => [
    `Counter-offer for ${nameOf(event)}${priced(event.priceSats)}`,
    'Accept or decline it.',
  ],
  acceptance: () => ['Trade accepted: complete it', 'The other side has signed. You sign last.'],
  escrow: (event) => [
    `${nameOf(event)} is in escrow`,
    'A sale did not complete and the listing ended. The item is still yours.',
  ],
  settling: (event) => [
    event.proposalId
      ? 'Your trade is being completed'
      : `Sale pending: ${nameOf(event)}${priced(event.priceSats)}`,
    'It completes with the next block. Nothing to do.',
  ],
  sold: (event) => [`Sold: ${nameOf(event)}${priced(event.priceSats)}`, 'Confirmed.'],
  delivered: (event) => [
    event.proposalId ? 'Trade completed' : `Bought: ${nameOf(event)}${priced(event.priceSats)}`,
    'Confirmed.',
  ],
  listing_ended: (event) => [
    `Listing ended: ${nameOf(event)}${priced(event.priceSats)}`,
    endedText(event.listing),
  ],
  outbid: (event) => [
    `Outbid on ${nameOf(event)}`,
    `${event.priceSats === null ? '' : `The highest offer is now ${money(event.priceSats)}. `}Your offer stays open until it ends or you cancel it. To be first again, offer more.`,
  ],
  expiring: (event) => [
    `Ends soon: ${event.proposalId ? 'your trade' : nameOf(event)}${priced(event.priceSats)}`,
    expiringText(event),
  ],
  sign_in: ({ client }) => [
    'New sign-in',
    `${client || 'An unknown client'}. If this was not you, end the session.`,
  ],
}

export const eventText = (event: Event) => EVENTS[event.kind](event)
