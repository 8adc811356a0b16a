import { Type } from 'typebox'

export const MAX_SATS = 2_100_000_000_000_000
export const PositiveSats = Type.Integer({ minimum: 1, maximum: MAX_SATS, examples: [50_000] })
export const NonnegativeSats = Type.Integer({ minimum: 0, maximum: MAX_SATS, examples: [500] })
/** Price of an offer on one inscription, or of a counter-offer. */
export const OfferPriceSats = Type.Integer({
  minimum: 2000,
  maximum: MAX_SATS,
  multipleOf: 1000,
  examples: [250_000],
})
export const CollectionWideOfferPriceSats = Type.Integer({
  minimum: 10_000,
  maximum: MAX_SATS,
  multipleOf: 5000,
  examples: [100_000],
})
export const Bps = Type.Integer({ minimum: 0, maximum: 10_000, examples: [100] })
