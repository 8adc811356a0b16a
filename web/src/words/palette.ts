import { plural } from './plural.ts'

/** The words of the command palette and of the list of keys. */
export const palette = {
  title: 'Search',
  field: 'Search collections, items, traits and addresses',
  hint: 'Collections, items, traits, addresses',
  results: 'Results',
  traits: 'Traits',
  items: 'Items',
  collections: 'Collections',
  people: 'People',
  recent: 'Recent',
  goTo: 'Go to',
  found: (count: number) => plural(count, { one: '# result', other: '# results' }),
  looking: 'Looking…',
  failed: 'Could not reach the market. Try again in a moment.',
  noMatch: (text: string) => `No match for “${text}”. Try an item number, a trait or an address.`,
  traitOf: (type: string, collection: string) => `${type}, ${collection}`,
  inscription: (number: string) => `Inscription ${number}`,
  notListed: 'Not listed',
  address: 'Address',
  move: 'Move',
  open: 'Open',
  newTab: 'New tab',
  close: 'Close',
  paste: 'Paste an inscription id, sat, number or address',
} as const

export const keys = {
  title: 'Keyboard shortcuts',
  on: 'Use keyboard shortcuts',
  why: 'They are off while a field has the focus.',
  list: [
    ['/', 'Search'],
    ['Ctrl K', 'Search, from a field too'],
    ['G H', 'Home'],
    ['G A', 'Activity'],
    ['G T', 'Trades'],
    ['G P', 'Portfolio'],
    ['?', 'This list'],
  ],
} as const
