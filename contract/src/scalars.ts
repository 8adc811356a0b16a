import { type TSchema, Type } from 'typebox'

/** Scalars of the API, each with its bounds. Every schema here is plain JSON Schema (2020-12). */
export const MAX_SATS = 2_100_000_000_000_000

export const Uuid = Type.String({ format: 'uuid' })
export const InscriptionId = Type.String({ pattern: '^[a-f0-9]{64}i[0-9]+$', maxLength: 75 })
export const Txid = Type.String({ pattern: '^[a-f0-9]{64}$' })
export const Address = Type.String({ minLength: 1, maxLength: 120 })
export const CollectionSlug = Type.String({ pattern: '^[a-z0-9_-]+$', maxLength: 200 })
/** A slug as input: any letter case, folded to lower. */
export const CollectionSlugInput = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 200 })
export const WalletPublicKey = Type.String({
  pattern: '^([a-f0-9]{64}|0[23][a-f0-9]{64})$',
  description: 'X-only (64 hex digits) or compressed (66), lower case.',
})
export const Base64Psbt = Type.String({ minLength: 1, pattern: '^[A-Za-z0-9+/]+={0,2}$' })
export const DateTime = Type.String({ format: 'date-time', description: 'UTC with milliseconds.' })
export const PositiveSats = Type.Integer({ minimum: 1, maximum: MAX_SATS })
export const NonnegativeSats = Type.Integer({ minimum: 0, maximum: MAX_SATS })
export const Bps = Type.Integer({ minimum: 0, maximum: 10_000 })
export const HexColor = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$' })
export const Text = Type.String({ minLength: 1 })
export const Cursor = Type.String({ minLength: 1, maxLength: 2000 })

/** A schema or an explicit null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of fixed strings. */
export const OneOf = <const V extends readonly string[]>(...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: values as unknown as string[] })

export const CollectionKind = OneOf('parent_child', 'gallery')
export const VerificationStatus = OneOf('verified', 'unverified')
export const ListingState = OneOf('buyable', 'hidden_locked', 'pending_public')
export const ImageRenderingHint = OneOf('auto', 'pixelated')

export const WalletBindingRequest = Type.Object({
  walletBindingId: Type.String({ format: 'uuid', description: "One of the caller's own bindings." }),
})

export const ErrorResponse = Type.Object(
  { error: Type.String({ description: 'For humans; the status is the stable signal.' }) },
  { title: 'ErrorResponse' },
)
