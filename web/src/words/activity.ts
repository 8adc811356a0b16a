import { plural } from './plural.ts'

/** The words of the activity of the market. */
export const activity = {
  title: 'Activity',
  show: 'Show',
  filters: {
    all: 'All',
    sales: 'Sales',
    listings: 'Listings',
    offers: 'Offers',
    trades: 'Trades',
  },
  event: 'Event',
  item: 'Item',
  price: 'Price',
  againstFloor: 'Against floor',
  from: 'From',
  to: 'To',
  rank: 'Rank',
  time: 'Time',
  receipt: 'Receipt',
  none: 'No activity yet.',
  items: (count: number) => plural(count, { one: '# item', other: '# items' }),
  events: {
    sold: 'Sale',
    elsewhere: 'Sold elsewhere',
    listed: 'Listed',
    cut: 'Price cut',
    delisted: 'Delisted',
    expired: 'Expired',
    invalidated: 'Ended',
    offer: 'Offer',
    offer_ended: 'Offer ended',
    counter: 'Counter',
    trade: 'Trade',
  },
} as const
