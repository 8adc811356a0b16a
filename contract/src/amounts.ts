import { Type } from 'typebox'

export const MAX_SATS = 2_100_000_000_000_000
const positive = { minimum: 1, maximum: MAX_SATS, examples: [50_000] }
const nonnegative = { minimum: 0, maximum: MAX_SATS, examples: [500] }
export const PositiveSats = Type.Integer(positive)
export const NonnegativeSats = Type.Integer(nonnegative)
export const positiveSats = (description: string) => Type.Integer({ ...positive, description })
export const nonnegativeSats = (description: string) => Type.Integer({ ...nonnegative, description })
/** An amount of BTC, for display. Integer sats are exact. */
export const btc = (description: string) => Type.Number({ minimum: 0, description, examples: [0.0005] })
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
const basisPoints = { minimum: 0, maximum: 10_000, examples: [100] }
export const Bps = Type.Integer(basisPoints)
export const bps = (description: string) => Type.Integer({ ...basisPoints, description })
