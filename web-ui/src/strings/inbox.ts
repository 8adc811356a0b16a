import type { Answer } from '@ordbook/sdk/operations.ts'
import { money } from '../format/format.ts'
import { plural } from './plural.ts'

type Event = Answer<'listInbox'>['events'][number]
type Waiting = Answer<'listWaiting'>['waiting'][number]

export const inbox = {
  waiting: 'Waiting for you',
  nothingWaits: 'Nothing waits for you',
  nothingWaitsWhy: 'Offers, counter-offers and trades to answer appear here.',
  markRead: 'Mark all read',
  all: 'See all',
  showAll: (count: number) => `Show all ${count}`,
  soonest: 'Soonest deadline first',
  today: 'Today',
  yesterday: 'Yesterday',
  loading: 'Loading your notifications',
  connect: 'Connect your wallet to see your notifications',
  kept: 'Kept for 90 days.',
  ends: 'Ends',
  noDeadline: 'no deadline',
  unreadMark: 'unread',
  others: (count: number) => plural(count, { one: '# more offer', other: '# more offers' }),
  more: (count: number) => plural(count, { one: '# more event', other: '# more events' }),
} as const

const nameOf = ({ name, collectionName }: { name: string | null; collectionName: string | null }) =>
  name ?? collectionName ?? 'an item'
const priced = (sats: number | null) => (sats === null ? '' : `: ${money(sats)}`)

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
    event.proposalId ? 'Trade completed' : `Yours: ${nameOf(event)}${priced(event.priceSats)}`,
    'Confirmed.',
  ],
  listing_ended: (event) => [
    `Listing ended: ${nameOf(event)}${priced(event.priceSats)}`,
    'It expired, or the item moved.',
  ],
  outbid: (event) => [
    `Outbid on ${nameOf(event)}`,
    event.priceSats === null ? '' : `The best bid is now ${money(event.priceSats)}.`,
  ],
  expiring: (event) => [
    `Ends soon: ${event.proposalId ? 'your trade' : nameOf(event)}${priced(event.priceSats)}`,
    '',
  ],
  sign_in: ({ client }) => [
    'New sign-in',
    `${client || 'An unknown client'}. If this was not you, end the session.`,
  ],
}
export const eventText = (event: Event) => EVENTS[event.kind](event)

export const turn = {
  title: {
    offer: 'Your turn: answer an offer',
    counter: 'Your turn: answer a counter-offer',
    acceptance: 'Your turn: complete the trade',
    escrow: 'Your turn: item is in escrow',
  } satisfies Record<Waiting['kind'], string>,
  about: {
    offer: 'Offer on this item',
    counter: 'They ask',
  },
  by: (address: string) => `by ${address}.`,
  highestOf: (offers: number) => `Highest of ${offers}.`,
  offered: (sats: string) => `You offered ${sats}.`,
  escrow:
    'The item is still yours. A sale did not complete and the listing ended. List it again, or return it to your wallet.',
  acceptance: 'The other side has signed. Both sides move in one transaction.',
  toTrade: 'Review and sign',
  review: 'Review',
  listAgain: 'List again or withdraw',
  pending: 'Nothing to do: your sale is pending',
  aboutTenMinutes: 'about 10 min',
  open: 'Waiting for someone to accept',
  acceptable: 'Open: you can accept this trade',
  onHold: 'On hold: an offered item is moving',
  waitingFor: (address: string) => `Waiting for ${address} to complete`,
  settling: 'Nothing to do: the trade is being completed',
  completed: 'Completed',
  over: {
    accepted: 'Accepted',
    cancelled: 'Withdrawn',
    expired: 'Ended without a trade',
  },
  receipt: 'Receipt',
} as const

/** Title of a task on the portfolio and in the bell. */
export const waitingTitle = (row: Waiting): string => {
  if (row.kind === 'acceptance') return 'Trade to complete'
  if (row.kind === 'escrow') return 'Item in escrow'
  const price = row.priceSats === null ? '' : money(row.priceSats)
  return row.kind === 'offer' ? `Offer: ${price}` : `They ask ${price}`
}
