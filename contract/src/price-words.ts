/**
 * The words for prices, each with one meaning. Guards, comparisons and tables name the amount that they compare with by these words.
 * `api`: the fields of the API that have this meaning. Printed in docs/reference/glossary.md.
 */
export const PRICE_WORDS = {
  floor: {
    meaning: 'the lowest listed price in a collection on this market',
    api: ['floorSats', 'collectionFloorSats'],
  },
  'trait floor': {
    meaning: "the highest of the lowest listed prices of an item's traits; the trait is named",
    api: ['traitFloor', 'targetFloorSats'],
  },
  'estimated value': {
    meaning: 'the trait floor of an item, otherwise the floor of its collection',
    api: [],
  },
  'top offer': {
    meaning: 'the best collection offer that any item of the collection can accept',
    api: [],
  },
  'best bid': {
    meaning: 'the best of the offers on an item and the collection and trait offers that it matches',
    api: ['bestBid'],
  },
  'last sale': {
    meaning: 'the last completed sale of an item, or of a collection',
    api: ['lastSaleSats', 'lastSale'],
  },
  'buyer fee': {
    meaning: "the market's fee that the buyer pays on top of the price",
    api: ['buyerMarketplaceFeeSats', 'buyerFeeSats'],
  },
  'seller fee': {
    meaning: "the market's fee that is deducted from the seller's price",
    api: ['sellerMarketplaceFeeSats'],
  },
} as const satisfies Record<string, { meaning: string; api: readonly string[] }>

export type PriceWord = keyof typeof PRICE_WORDS
