import { plural } from './plural.ts'

export const collection = {
  parts: 'Collection sections',
  items: 'Items',
  offers: 'Offers',
  book: 'Order book',
  activity: 'Activity',
  analytics: 'Analytics',
  verified: 'Verified',
  unverified: 'Unverified',
  unverifiedWhy: 'Not verified by this market. Check the inscription ids before you buy.',
  royalty: (percent: number) => `Creator royalty ${percent}%`,
  floor: 'Floor',
  day: 'Floor, 24 h',
  week: 'Floor, 7 d',
  topOffer: 'Top offer',
  volume: 'Volume, 7 d',
  listed: 'Listed',
  ofAll: (listed: string, all: string) => `${listed} of ${all}`,
  owners: 'Owners',
  loading: 'Loading the collection',
  loadingItems: 'Loading the items',
  sort: 'Sort by',
  sorts: {
    price: 'Price, low to high',
    'price-desc': 'Price, high to low',
    recent: 'Recently listed',
    rarity: 'Rarest first',
    number: 'Number, low to high',
    oldest: 'Oldest',
    newest: 'Newest',
  },
  removeFilter: 'remove this filter',
  noMatch: 'Nothing matches these filters',
  empty: 'No items yet',
} as const

export const views = {
  title: 'View',
  cards: 'Cards',
  dense: 'Small cards',
  list: 'List',
} as const

export const table = {
  choose: 'Add to cart',
  item: 'Item',
  rank: 'Rank',
  price: 'Price',
  last: 'Last sale',
  bid: 'Top offer',
  owner: 'Owner',
  age: 'Listed',
} as const

export const filters = {
  title: 'Filters',
  keys: 'Use the up and down arrow keys to move between the filters.',
  satributes: 'Satributes',
  search: 'Search',
  searchIn: (type: string) => `Search ${type}`,
  noValue: 'No matching value.',
  noneLeft: 'No items match the other filters.',
  open: (count: number) => (count > 0 ? `Filters ${count}` : 'Filters'),
  clear: (count: number) => `Clear ${count}`,
  show: (count: number) => plural(count, { one: 'Show # item', other: 'Show # items' }),
} as const

export const card = {
  notListed: 'Not listed',
  yours: 'Yours',
  salePending: 'Sale pending',
  confirming: 'Confirming',
  last: 'Last',
  overFloor: (difference: string | null) =>
    difference === null ? 'At the floor' : `${difference} over floor`,
  add: 'Add to cart',
  inCart: (place: number) => `In the cart, number ${place}`,
  buy: 'Buy',
  sellNow: 'Sell now',
  edit: 'Edit',
} as const

export const sweep = {
  title: 'Sweep',
  slider: 'Number of cheapest items',
  most: (most: number) => `At most ${most} in one transaction`,
  add: 'Add the cheapest',
  failed: 'Could not reach the market. Nothing was added.',
  none: 'There are no listings here that you can buy.',
  average: 'Average',
  highest: 'Highest',
  floorAfter: 'Floor after',
  soldOut: 'None left',
} as const

export const book = {
  title: 'Order book',
  anyItem: 'any item',
  scope: 'Show the order book for',
  all: 'All',
  price: (unit: string) => `Price (${unit})`,
  items: 'Items',
  cumulated: 'Cumulative',
  asks: 'Listings',
  bids: 'Offers',
  noAsks: 'Nothing is listed.',
  noBids: 'No offers yet. Be the first.',
  ask: (price: string, items: number, upTo: number) =>
    `Buy up to ${price}: ${plural(items, { one: '# item', other: '# items' })} at this price, ${upTo} up to it`,
  bid: (price: string, items: number) =>
    `Sell now for ${price}: ${plural(items, { one: '# offer', other: '# offers' })}`,
  own: 'Your order',
  spread: (percent: string, amount: string) => `Spread ${percent}% · ${amount}`,
  noSpread: 'No spread',
  listed: (count: number) => plural(count, { one: '# listed', other: '# listed' }),
  offers: (count: number) => plural(count, { one: '# offer', other: '# offers' }),
  more: 'Show more prices',
  less: 'Show fewer prices',
  oneOf: (count: number) => `Only 1 of these ${count} can be filled`,
  notAll: (count: number) => `Not all of these ${count} can be filled`,
  sharing: 'One coin backs several of these offers.',
  placeOffer: 'Place offer',
  sellNow: 'Sell now',
} as const
