import { type DemoItem, harbourLamp, knotChart, nightWatch, tideTable } from './pictures.ts'
import { buoy, fogHorn, signalFlag } from './works.ts'

export interface DemoCollection {
  slug: string
  name: string
  description: string
  /** Draws the items, which takes half a second for all collections. */
  items: () => DemoItem[]
  /** Number of items of the first demo wallet. Collectors mint and trade the others. */
  kept: number
  firstPriceSats: number
  /** Lowest price in the market a month ago. */
  firstFloorSats: number
  /** Basis of today's prices in the market. */
  listedSats: number
  isVerified: boolean
}

const itemsOf = (count: number, make: (number: number) => DemoItem) => () =>
  Array.from({ length: count }, (_, i) => make(i + 1))

/** The lowest of today's prices, relative to `listedSats`. */
export const LOWEST_ASK = 1.08

/** Pixel art, vector art, text, an animated page, a sound, a 3D model, and larger images. */
export const COLLECTIONS: readonly DemoCollection[] = [
  {
    slug: 'harbour-lamps',
    name: 'Harbour Lamps',
    description: 'Lamps of a harbour that is not on any map, in 24 by 24 pixels.',
    items: itemsOf(24, harbourLamp),
    kept: 12,
    firstPriceSats: 90_000,
    firstFloorSats: 88_000,
    listedSats: 110_000,
    isVerified: true,
  },
  {
    slug: 'knot-charts',
    name: 'Knot Charts',
    description: 'The path of one rope over a chart.',
    items: itemsOf(8, knotChart),
    kept: 8,
    firstPriceSats: 0,
    firstFloorSats: 240_000,
    listedSats: 190_000,
    isVerified: false,
  },
  {
    slug: 'tide-tables',
    name: 'Tide Tables',
    description: 'A day of tides each.',
    items: itemsOf(6, tideTable),
    kept: 6,
    firstPriceSats: 0,
    firstFloorSats: 30_000,
    listedSats: 34_000,
    isVerified: false,
  },
  {
    slug: 'night-watch',
    name: 'Night Watch',
    description: 'The sea before the watch, hour by hour.',
    items: itemsOf(16, nightWatch),
    kept: 3,
    firstPriceSats: 240_000,
    firstFloorSats: 231_000,
    listedSats: 260_000,
    isVerified: true,
  },
  {
    slug: 'signal-flags',
    name: 'Signal Flags',
    description: 'Flags in the wind. Each is a page that draws itself.',
    items: itemsOf(16, signalFlag),
    kept: 4,
    firstPriceSats: 60_000,
    firstFloorSats: 49_000,
    listedSats: 70_000,
    isVerified: true,
  },
  {
    slug: 'fog-horns',
    name: 'Fog Horns',
    description: 'Horns to be heard.',
    items: itemsOf(6, fogHorn),
    kept: 2,
    firstPriceSats: 150_000,
    firstFloorSats: 198_000,
    listedSats: 150_000,
    isVerified: true,
  },
  {
    slug: 'buoys',
    name: 'Buoys',
    description: 'Solid bodies that mark a channel.',
    items: itemsOf(8, buoy),
    kept: 2,
    firstPriceSats: 120_000,
    firstFloorSats: 131_000,
    listedSats: 150_000,
    isVerified: false,
  },
]
