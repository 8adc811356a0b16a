export const trades = {
  none: 'No open trades with this collection',
  why: 'Trades that offer or request items of this collection.',
  propose: 'Propose a trade',
} as const

export const about = {
  title: 'About',
  noDescription: 'There is no description.',
  items: 'Items',
  origin: 'Items come from',
  origins: {
    parent_child: 'The children of a parent inscription',
    gallery: 'A gallery inscription',
    list: 'A list of inscriptions that this market imported',
  },
  checked: 'Verification',
  checks: {
    verified: 'Verified by this market',
    unverified: 'Not verified by this market. Check the inscription ids before you buy.',
  },
  royalty: 'Creator royalty',
  /** In percent of the price. */
  royalties: (seller: number, buyer: number) =>
    [
      ...(seller > 0 ? [`${seller}%, paid by the seller`] : []),
      ...(buyer > 0 ? [`${buyer}%, paid by the buyer`] : []),
    ].join('; ') || 'None',
  id: 'Name in addresses',
} as const
