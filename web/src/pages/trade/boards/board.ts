import { estimatedValueOf } from '@ordbook/web-ui/money/estimated-value.ts'

/** Items of one kind in a side of a trade: a named inscription, or any items of a collection. */
export interface BoardItem {
  key: string
  name: string
  /** What any of its items must match, such as traits. */
  criteria: string | null
  quantity: number
  /** Inscription of the picture; null if there is none. */
  pictureId: string | null
  contentType: string | null
  hint: 'auto' | 'pixelated' | null
  /** The inscription; null for any items of the collection. */
  inscriptionId: string | null
  collection: {
    slug: string
    collectionName: string
    verificationStatus: 'verified' | 'unverified' | null
    sameNameAs: { name: string } | null
  } | null
  /** Of one item. */
  traitFloorSats: number | null
  floorSats: number | null
}

export interface Board {
  items: readonly BoardItem[]
  btcSats: number
}

/** Both sides of a trade, from one side's view. */
export interface Sides {
  gives: Board
  gets: Board
}

/** Returns the price that an item's estimated value is, and the word for it. Null if it has no price. */
export function estimateOf({
  traitFloorSats,
  floorSats,
}: Pick<BoardItem, 'traitFloorSats' | 'floorSats'>): { word: 'trait floor' | 'floor'; sats: number } | null {
  const sats = estimatedValueOf(traitFloorSats, floorSats)
  return sats === null ? null : { word: traitFloorSats === null ? 'floor' : 'trait floor', sats }
}

/** Estimated value of both sides, in sats. Items without a price are not counted. */
export interface Balance {
  givesSats: number
  getsSats: number
  /**
   * How much more the viewer gets than gives; negative for a loss. Null if it is not known: something that the viewer gets has no price, or
   * the gain depends on something given without a price.
   */
  percent: number | null
  /** Items without a price, on both sides. */
  unpriced: number
}

export function balanceOf({ gives, gets }: Sides): Balance {
  const [given, got] = [sumOf(gives), sumOf(gets)]
  const isKnown = given.sats > 0 && got.unpriced === 0 && (given.unpriced === 0 || got.sats < given.sats)
  return {
    givesSats: given.sats,
    getsSats: got.sats,
    percent: isKnown ? (got.sats / given.sats - 1) * 100 : null,
    unpriced: given.unpriced + got.unpriced,
  }
}

function sumOf({ items, btcSats }: Board): { sats: number; unpriced: number } {
  let sats = btcSats
  let unpriced = 0
  for (const item of items) {
    const estimate = estimateOf(item)
    if (estimate) sats += estimate.sats * item.quantity
    else unpriced += item.quantity
  }
  return { sats, unpriced }
}

/** Difference, in percent, at the ends of the balance bar. */
export const BAR_PERCENT = 20

/** Returns the filled part of the balance bar in percent of its width: from the middle, at most to an end. */
export const barPart = (percent: number): number =>
  (Math.min(Math.abs(percent), BAR_PERCENT) / BAR_PERCENT) * 50

/** Maximum number of tiles of a board before the rest is folded. */
export const MAX_TILES = 6

/** Splits the tiles of a board into those shown and the number of the others. BTC is a tile. */
export function shownTiles({ items, btcSats }: Board): { items: readonly BoardItem[]; more: number } {
  const most = MAX_TILES - (btcSats > 0 ? 1 : 0)
  return { items: items.slice(0, most), more: Math.max(0, items.length - most) }
}

/** Returns the collections of both sides that are not verified, once each. Those that resemble a verified one are first. */
export function unverifiedIn({ gives, gets }: Sides): NonNullable<BoardItem['collection']>[] {
  const bySlug = new Map(
    [...gives.items, ...gets.items].flatMap(({ collection }) =>
      collection?.verificationStatus === 'unverified' ? [[collection.slug, collection] as const] : [],
    ),
  )
  return [...bySlug.values()].toSorted(
    (a, b) => Number(b.sameNameAs !== null) - Number(a.sameNameAs !== null),
  )
}
