import { plural } from './plural.ts'

/** The words of the first page. */
export const home = {
  headline: 'Trade Bitcoin ordinals. Your keys, always.',
  under: 'See exactly what you sign, before you sign it.',
  spotlight: 'Spotlight',
  floor: 'Floor',
  volumeWeek: 'Volume, 7 days',
  view: 'View collection',
  movers: 'Top movers',
  moversOf: 'Floor, 24 hours',
  sales: 'Latest sales',
  noSales: 'No sales yet. Buy the first one.',
  collections: 'Collections',
  sortBy: 'Sort by',
  loadingCollections: 'Loading the collections',
  noCollections: 'No collections yet',
  noCollectionsWhy: 'They appear here once the market lists them.',
  how: 'See how a trade works here',
  nearFloor: 'Just above the floor',
  within: (name: string) => `${name}, within 5% of its floor`,
  firstOffer: 'Nothing is for sale yet. Make the first offer.',
  trades: 'Trades looking for a match',
  allTrades: 'See all trades',
  listed: (listed: number, items: number) =>
    `${plural(listed, { one: '#', other: '#' })} of ${plural(items, { one: '# item', other: '# items' })} listed`,
} as const

/** The heads of the table of collections. */
export const columns = {
  collection: 'Collection',
  name: 'Name',
  floor: 'Floor',
  day: '24 h',
  week: '7 d',
  volumeDay: 'Volume, 24 h',
  volumeWeek: 'Volume, 7 d',
  sales: 'Sales, 24 h',
  listed: 'Listed',
  owners: 'Owners',
  items: 'Items',
} as const
