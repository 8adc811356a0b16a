import type { Answer } from '@ordbook/sdk/operations.ts'
import { money } from '../../format/format.ts'
import { plural } from '../plural.ts'

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
  ifNothing: {
    offer: 'If you do nothing, the offer ends then and nothing moves.',
    counter:
      'If you do nothing, the counter-offer ends then and nothing moves. Your own offer stays open until it ends.',
  },
  escrow:
    'The item is still yours. A sale did not complete and the listing ended. List it again, or withdraw it. If you do nothing, it stays in escrow and stays yours.',
  acceptance: 'The other side has signed. Both sides move in one transaction.',
  toTrade: 'Review and sign',
  review: 'Review',
  listAgain: 'List again or withdraw',
  pending: 'Nothing to do: your sale is pending',
  pendingWhy: 'Both sides have signed. The sale completes with the next block.',
  receipt: {
    sending: 'Nothing to do: it is being sent',
    mempool: 'Nothing to do: it completes with the next block',
    confirmed: 'Nothing to do: it is complete',
    failed: 'It did not go through, and nothing moved',
  } satisfies Record<Answer<'getSettlement'>['state'], string>,
  aboutTenMinutes: 'about 10 min',
} as const

/** Title of a task on the portfolio and in the bell. */
export const waitingTitle = (row: Waiting): string => {
  if (row.kind === 'acceptance') return 'Trade to complete'
  if (row.kind === 'escrow') return 'Item in escrow'
  const price = row.priceSats === null ? '' : money(row.priceSats)
  return row.kind === 'offer' ? `Offer: ${price}` : `They ask ${price}`
}
