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
    'The place of an item in its collection by rarity, 1 the rarest. Each of its traits counts as much as the items of the collection divided by those with that trait.',
})

const MAX_SLUGS = 50

/** Collections by slug. */
export const Slugs = Type.String({
  pattern: `^[a-z0-9_-]{1,200}(,[a-z0-9_-]{1,200}){0,${MAX_SLUGS - 1}}$`,
  maxLength: MAX_SLUGS * 201,
  examples: ['harbour-lamps'],
})

/** An inscription's content, and the collection in which it is traded. */
export const inCollection = {
  contentType: Nullable(Type.String()),
  imageRenderingHint: Nullable(ImageRenderingHint),
  collectionSlug: Nullable(CollectionSlug),
  collectionName: Nullable(Text),
  verificationStatus: Nullable(VerificationStatus),
  collectionFloorSats: Nullable(PositiveSats),
}

/** Defines a read of the storefront that the API does not have. Only the visitor's own data needs a session. */
export const read = operationsWith({
  area: 'Storefront',
  bucket: 'web-reads',
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
})
