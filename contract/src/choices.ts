import { type TSchema, Type } from 'typebox'

/** A schema or an explicit null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of fixed strings. */
export const OneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: values as unknown as string[] })

/** One of fixed strings; the first is the default. */
export const DefaultOneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Optional(
    Type.Unsafe<V[number]>({ type: 'string', enum: values as unknown as string[], default: values[0] }),
  )

export const CollectionKind = OneOf('parent_child', 'gallery')
export const VerificationStatus = OneOf('verified', 'unverified')
export const ListingState = OneOf('buyable', 'hidden_locked', 'pending_public')
export const ImageRenderingHint = OneOf('auto', 'pixelated')

/** The forms of an escrow, docs/reference/transactions.md. */
export const EscrowForm = Type.Unsafe<'published' | 'wallet'>({
  type: 'string',
  enum: ['published', 'wallet'],
  default: 'published',
  description:
    'The form of the escrow. `wallet` can be left with the signature of an ordinary wallet, and needs ordinalsPublicKey to be the untweaked key; submit repeats it.',
})
