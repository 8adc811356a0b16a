import { count } from '../format/format.ts'
import { plural } from './plural.ts'

export const frame = {
  skip: 'Skip to content',
  pages: 'Pages',
  explore: 'Explore',
  search: 'Search',
  trades: 'Trades',
  activity: 'Activity',
  portfolio: 'Portfolio',
  searchHint: 'Collections, items, traits, addresses',
  cart: (count: number) => `Cart, ${plural(count, { one: '# inscription', other: '# inscriptions' })}`,
  connect: 'Connect wallet',
  wallet: 'Wallet',
  sessions: 'Sessions',
  signOut: 'Sign out',
  how: 'How trading works',
  api: 'API',
  display: 'Display settings',
  available: 'Available to spend',
  kept: (coins: number) => plural(coins, { one: '# coin protected', other: '# coins protected' }),
  keptWhy: 'They hold inscriptions or rare sats.',
  noBalance: 'Unavailable',
  counting: 'Counting your coins…',
  ordinalsAddress: 'Ordinals address',
  paymentAddress: 'Payment address',
  amountsIn: 'Amounts in',
  theme: 'Theme',
} as const

export const status = {
  unknown: 'Market status',
  open: 'Trading open',
  paused: 'Trading paused',
  maintenance: (notice: string | null) =>
    `Trading is paused for maintenance.${notice === null ? '' : ` ${notice}`} You can still cancel and withdraw.`,
  block: (height: number | null) => (height === null ? 'no block yet' : `block ${count(height)}`),
  feeRate: (satVb: number) => `${satVb < 10 ? Number(satVb.toFixed(1)) : Math.round(satVb)} sat/vB`,
  height: 'Block',
  fees: 'Fee rate',
  behind: (blocks: number) => plural(blocks, { one: '# block behind', other: '# blocks behind' }),
  live: 'Live',
  updated: (seconds: number) => `Updated ${seconds} s ago`,
  lost: (seconds: number) => `Not connected. Last update ${seconds} s ago.`,
} as const

/** Titles of browser tabs and bookmarks. */
export const titles = {
  home: 'ordbook: trade Bitcoin ordinals',
  collections: 'Collections, ordbook',
  trades: 'Trades',
  newTrade: 'New trade',
  /** `given` and `wanted`: the items and bitcoin on each side. */
  trade: (given: readonly string[], wanted: readonly string[]) =>
    `Trade: ${given.join(' and ')} for ${wanted.join(' and ')}`,
  activity: 'Activity',
  portfolio: 'Portfolio',
  inbox: 'Notifications',
  status: 'Market status',
  how: 'How trading works',
  missing: 'Page not found',
  missingCollection: 'Collection not found',
  missingItem: 'Inscription not found',
  item: (name: string, collection: string | undefined) => (collection ? `${name}, ${collection}` : name),
  collection: (name: string, floor: string | null) => (floor === null ? name : `${name}: floor ${floor}`),
} as const

export const feeds = {
  activity: 'Activity',
  link: 'Atom feed',
  why: 'Public activity, for feed readers',
} as const

export const items = (count: number): string => plural(count, { one: '# item', other: '# items' })

/** Distinguishes collections with the same name. */
export const toldApart = (count: number, slug: string): string => `${items(count)}, ${slug}`

export const verification = {
  /** For plain text, which cannot show the verification mark. */
  named: (name: string, of: 'verified' | 'unverified') => `${name} (${of})`,
  by: 'Verified by the operator of this market',
  verified: 'verified',
  unverified: 'Unverified',
  notTheVerified: 'Not the verified collection',
  notThe: (name: string) => `Not the verified ${name}.`,
  seeThe: 'See the verified collection',
} as const

export const rank = {
  rank: 'Rank',
  formula:
    'Ranked by rarity: for each trait, the number of items divided by the number with the trait, summed.',
} as const

export const media = {
  notIndexed: 'Not indexed yet',
  silent: 'Content does not respond',
  again: 'Run again',
  unshown: (type: string) => `A browser cannot show ${type} here`,
  open: 'Open the content',
} as const
