import { type TSchema, Type } from 'typebox'

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const OneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: values as unknown as string[] })

/** Optional enum. The first value is the default. */
export const DefaultOneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Optional(
    Type.Unsafe<V[number]>({ type: 'string', enum: values as unknown as string[], default: values[0] }),
  )

export const CollectionKind = OneOf('parent_child', 'gallery')
export const VerificationStatus = OneOf('verified', 'unverified')
export const ListingState = OneOf('buyable', 'hidden_locked', 'pending_public')
export const ImageRenderingHint = OneOf('auto', 'pixelated')

/** Forms of an escrow (docs/reference/transactions.md). */
export const EscrowForm = Type.Unsafe<'published' | 'wallet'>({
  type: 'string',
  enum: ['published', 'wallet'],
  default: 'published',
  description:
    'Form of the escrow. An ordinary wallet can exit from the `wallet` form, which requires the untweaked key as ordinalsPublicKey. Repeat the value in submit.',
})
