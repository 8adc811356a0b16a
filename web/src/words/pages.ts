import { count } from '../format.ts'
import { plural } from './plural.ts'

/** The words of the pages and of the frame around them. */
export const frame = {
  skip: 'Skip to content',
  pages: 'Pages',
  explore: 'Explore',
  search: 'Search',
  trades: 'Trades',
  activity: 'Activity',
  portfolio: 'Portfolio',
  searchFor: 'Search collections and inscriptions',
  searchHint: 'Collection, number or id',
  noMatch: (text: string) => `No match for “${text}”. Try a collection, an inscription number or an id.`,
  inscription: 'Inscription',
  cart: (count: number) => `Cart, ${plural(count, { one: '# inscription', other: '# inscriptions' })}`,
  connect: 'Connect wallet',
  walletMenu: (address: string) => `Wallet ${address}`,
  sessions: 'Sessions',
  signOut: 'Sign out',
  how: 'How trading works',
  api: 'API',
  amountsIn: 'Amounts in',
  theme: 'Theme',
} as const

export const status = {
  unknown: 'Market status',
  open: 'Trading open',
  paused: 'Trading paused',
  block: (height: number | null) => (height === null ? 'no block yet' : `block ${count(height)}`),
  behind: (blocks: number) => plural(blocks, { one: '# block behind', other: '# blocks behind' }),
  live: 'Live',
  updated: (seconds: number) => `Updated ${seconds} s ago`,
  lost: (seconds: number) => `Not connected. Last update ${seconds} s ago.`,
} as const

/** The names of pages in the browser's tabs, history and bookmarks. */
export const titles = {
  home: 'ordbook: trade Bitcoin ordinals',
  trades: 'Trades',
  newTrade: 'New trade',
  trade: 'Trade',
  activity: 'Activity',
  portfolio: 'Portfolio',
  profile: 'Profile',
  status: 'Market status',
  how: 'How trading works',
  missing: 'Page not found',
  item: (name: string, collection: string | undefined) => (collection ? `${name}, ${collection}` : name),
  collection: (name: string, floor: string | null) => (floor === null ? name : `${name}: floor ${floor}`),
} as const

/** One item by its name, several by their number. */
export const itemsNamed = (items: readonly { name: string }[]): string =>
  items.length === 1
    ? items[0]!.name
    : plural(items.length, { one: '# inscription', other: '# inscriptions' })
export const items = (count: number): string => plural(count, { one: '# item', other: '# items' })

export const inscription = {
  trade: 'The trade',
  theTrade: 'Trade',
  inNoCollection: 'It is in no collection of this market, so it is not traded here.',
  notListed: 'Not listed.',
  floorOf: (collection: string) => `The floor of ${collection} is`,
  /** By the state of a listing. */
  sale: {
    buyable: 'For sale',
    hidden_locked: 'Sale pending',
    pending_public: 'For sale after the next block',
  },
  listed: 'listed',
  ends: 'ends',
  offers: 'The offers',
  activity: 'The activity',
  notIndexed: 'Not indexed yet. It appears once its block is scanned.',
  noOwner: 'No owner (unbound)',
  traits: 'Traits',
  also: 'Also in its coin',
  alsoWhy: 'It goes with the inscription to a buyer.',
  onMarket: 'On this market',
} as const

export const verification = {
  by: 'Verified by the operator of this market',
  verified: 'verified',
  unverified: 'Unverified',
  notTheVerified: 'Not the verified one',
  notThe: (name: string) => `Not the verified ${name}.`,
  seeThe: 'See the verified collection',
} as const

export const rank = {
  rank: 'Rank',
  /** Of so many items. */
  of: (items: string) => ` of ${items}`,
  formula:
    'Ranked by rarity: each trait of an item counts as the number of items divided by the number with that trait.',
} as const

export const media = {
  failed: 'Cannot be shown here',
  notIndexed: 'Not indexed yet',
} as const
