import { Type } from 'typebox'
import { PositiveSats } from '../amounts.ts'
import { ImageRenderingHint, Nullable, VerificationStatus } from '../choices.ts'
import { operationsWith } from '../operation.ts'
import { CollectionSlug, Text } from '../scalars.ts'

export const Count = Type.Integer({ minimum: 0 })
export const Height = Type.Integer({ minimum: 0 })
export const Rank = Type.Integer({
  minimum: 1,
  description:
    "Rarity rank of an item in its collection, 1 for the rarest. The score of an item is the sum over its traits of the collection's item count divided by the number of items with the trait.",
})

const MAX_SLUGS = 50

export const Slugs = Type.String({
  pattern: `^[a-z0-9_-]{1,200}(,[a-z0-9_-]{1,200}){0,${MAX_SLUGS - 1}}$`,
  maxLength: MAX_SLUGS * 201,
  examples: ['harbour-lamps'],
})

/** Content type, and the collection in which the inscription is traded. */
export const inCollection = {
  contentType: Nullable(Type.String()),
  imageRenderingHint: Nullable(ImageRenderingHint),
  collectionSlug: Nullable(CollectionSlug),
  collectionName: Nullable(Text),
  verificationStatus: Nullable(VerificationStatus),
  collectionFloorSats: Nullable(PositiveSats),
}

/** Defines a storefront-only read. Public unless it overrides `token`. */
export const read = operationsWith({
  area: 'Storefront',
  bucket: 'web-reads',
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
})
