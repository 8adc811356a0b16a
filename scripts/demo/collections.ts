import { type DemoItem, harbourLamp, knotChart, nightWatch, tideTable } from './pictures.ts'
import { buoy, fogHorn, signalFlag } from './works.ts'

export interface DemoCollection {
  slug: string
  name: string
  description: string
  /** Draws the items: half a second for all collections, which a start on existing data does without. */
  items: () => DemoItem[]
  /** The first so many stay with the first demo wallet; the others are minted and traded by collectors. */
  kept: number
  /** Sats of a sale when trading begins. */
  firstPriceSats: number
  /** The market vouches for some, so that both marks are to be seen. */
  isVerified: boolean
}

const made = (count: number, make: (number: number) => DemoItem) => () =>
  Array.from({ length: count }, (_, i) => make(i + 1))

/** The demo's collections: pixels, vectors, text, a page that moves, a sound, a solid body, and pictures of some size. */
export const COLLECTIONS: readonly DemoCollection[] = [
  {
    slug: 'harbour-lamps',
    name: 'Harbour Lamps',
    description: 'Lamps of a harbour that is not on any map, in 24 by 24 pixels.',
    items: made(24, harbourLamp),
    kept: 12,
    firstPriceSats: 90_000,
    isVerified: true,
  },
  {
    slug: 'knot-charts',
    name: 'Knot Charts',
    description: 'The path of one rope over a chart.',
    items: made(8, knotChart),
    kept: 8,
    firstPriceSats: 0,
    isVerified: false,
  },
  {
    slug: 'tide-tables',
    name: 'Tide Tables',
    description: 'A day of tides each.',
    items: made(6, tideTable),
    kept: 6,
    firstPriceSats: 0,
    isVerified: false,
  },
  {
    slug: 'night-watch',
    name: 'Night Watch',
    description: 'The sea before the watch, hour by hour.',
    items: made(16, nightWatch),
    kept: 3,
    firstPriceSats: 240_000,
    isVerified: true,
  },
  {
    slug: 'signal-flags',
    name: 'Signal Flags',
    description: 'Flags in the wind. Each is a page that draws itself.',
    items: made(16, signalFlag),
    kept: 4,
    firstPriceSats: 60_000,
    isVerified: true,
  },
  {
    slug: 'fog-horns',
    name: 'Fog Horns',
    description: 'Horns to be heard.',
    items: made(6, fogHorn),
    kept: 2,
    firstPriceSats: 150_000,
    isVerified: true,
  },
  {
    slug: 'buoys',
    name: 'Buoys',
    description: 'Solid bodies that mark a channel.',
    items: made(8, buoy),
    kept: 2,
    firstPriceSats: 120_000,
    isVerified: false,
  },
]
