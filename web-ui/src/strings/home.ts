import { plural } from './plural.ts'

export const home = {
  headline: 'Trade Bitcoin ordinals. Your keys, always.',
  under: 'See exactly what you sign, before you sign it.',
  spotlight: 'Spotlight',
  floor: 'Floor',
  volumeWeek: 'Volume, 7 days',
  view: 'View collection',
  movers: 'Top movers',
  moversOf: 'Floor, 24 hours',
  sales: 'Live sales',
  noSales: 'No sales yet',
  firstSale: 'The first sale appears here and in Activity.',
  newMarket: 'New market',
  list: 'List an item',
  howItWorks: 'How a trade works',
  terms: (sellerFee: string, buyerFee: string) =>
    `See exactly what you sign, before you sign it. Seller fee ${sellerFee}, buyer fee ${buyerFee}. Your items stay in your wallet until they sell.`,
  collections: 'Collections',
  owned: (items: number, owners: number) =>
    `${plural(items, { one: '# item', other: '# items' })}, ${plural(owners, { one: '# owner', other: '# owners' })}`,
  noneListed: 'None listed yet',
  listFirst: 'List the first',
  listFirstOf: (name: string) => `List the first of ${name}`,
  seeListed: (listed: string) => `See ${listed} listed`,
  buyOf: (name: string) => `See the listed items of ${name}`,
  trending: 'Trending',
  window: 'In the last',
  windows: { '1h': '1h', '24h': '24h', '7d': '7d', '30d': '30d', all: 'All' },
  watchlist: 'Watchlist',
  watch: (name: string) => `Watch ${name}`,
  fresh: 'New collections',
  newest: 'Newest inscriptions',
  sortBy: 'Sort by',

  seeAll: 'See all',
  loadingCollections: 'Loading the collections',
  noCollections: 'No collections yet',
  noCollectionsWhy: 'They appear here once the market lists them.',
  how: 'See how a trade works here',
  nearFloor: 'Just listed near the floor',
  within: 'Within 5% of the floor',
  trades: 'Trades looking for a match',
  allTrades: 'See all trades',
  listed: (listed: number, items: number) =>
    `${plural(listed, { one: '#', other: '#' })} of ${plural(items, { one: '# item', other: '# items' })} listed`,
} as const

export const collections = {
  title: 'Collections',
  find: 'Find a collection',
  findHint: 'Name of a collection',
  noneNamed: (q: string) => `No collection matches '${q}'.`,
} as const

export const columns = {
  collection: 'Collection',
  name: 'Name',
  floor: 'Floor',
  change: 'Change',
  topOffer: 'Top offer',
  volume: 'Volume',
  sales: 'Sales',
  listed: 'Listed',
  owners: 'Owners',
  lastSold: 'Last sold',
  line: 'Floor, 7d',
  newest: 'Newest',
  watch: 'Watch',
} as const
