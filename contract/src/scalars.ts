import { Type } from 'typebox'

/**
 * Ids and strings of the API, with limits and examples, as plain JSON Schema (2020-12). Examples are invented, except the first
 * inscription's id.
 */

const FIRST = '6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799'

export const Uuid = Type.String({ format: 'uuid', examples: ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'] })
export const InscriptionId = Type.String({
  pattern: '^[a-f0-9]{64}i[0-9]+$',
  maxLength: 75,
  examples: [`${FIRST}i0`],
})
export const Txid = Type.String({ pattern: '^[a-f0-9]{64}$', examples: [FIRST] })
const address = {
  minLength: 1,
  maxLength: 120,
  examples: ['bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
}
export const Address = Type.String(address)
export const addressOf = (description: string) => Type.String({ ...address, description })
export const CollectionSlug = Type.String({
  pattern: '^[a-z0-9_-]+$',
  maxLength: 200,
  examples: ['harbour-lamps'],
})
/** A slug in a request; the server converts it to lower case. */
export const CollectionSlugInput = Type.String({
  pattern: '^[A-Za-z0-9_-]+$',
  maxLength: 200,
  description: 'Case-insensitive.',
  examples: ['harbour-lamps'],
})
const publicKey = (description: string) =>
  Type.String({
    pattern: '^([a-f0-9]{64}|0[23][a-f0-9]{64})$',
    description,
    examples: ['a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c'],
  })
export const WalletPublicKey = publicKey(
  'Key of the address, for taproot the key before the tweak if the wallet has it. X-only (64 hex digits) or compressed (66), lower case.',
)
/** Key of a signing request. */
export const SignerPublicKey = publicKey(
  'The public key that you sent for this address, by which wallets find their inputs.',
)
export const Base64Psbt = Type.String({
  minLength: 1,
  pattern: '^[A-Za-z0-9+/]+={0,2}$',
  description:
    'The unsigned PSBT (BIP-174, version 0) in base64. Its inputs state the spent outputs, the sighash types and, for an escrow, the leaf.',
  examples: ['cHNidP8BAAoCAAAAAAAAAAAAAA=='],
})
/** A submitted PSBT. Allows white space because files and wallets wrap base64. */
export const SignedPsbt = Type.String({
  minLength: 1,
  pattern: '^[A-Za-z0-9+/\\s]+={0,2}\\s*$',
  description:
    'A signed PSBT of version 0 (BIP-174) in base64; white space is ignored. The market uses only the requested signatures, and neither stores nor forwards unknown and proprietary fields.',
  examples: ['cHNidP8BAAoCAAAAAAAAAAAAAA=='],
})
export const DateTime = Type.String({
  format: 'date-time',
  description: 'UTC with milliseconds.',
  examples: ['2026-11-21T12:00:00.000Z'],
})
export const Bytes32Hex = Type.String({ pattern: '^[a-f0-9]{64}$', examples: [FIRST] })
export const HexString = Type.String({ pattern: '^[a-f0-9]+$', examples: ['5120'] })
export const HexColor = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#1b1b2f'] })
export const Text = Type.String({ minLength: 1 })
export const Cursor = Type.String({
  minLength: 1,
  maxLength: 2000,
  examples: ['q0Zx9lQ3mYwq2v4tG7HkS1sxLDQ3XQ'],
})

/** Text that PostgreSQL can store. The pattern works in all regex engines; the server rejects lone surrogates separately. */
const STORABLE = '^[^\\x00]*$'

export const TraitText = Type.String({
  minLength: 1,
  maxLength: 520,
  pattern: STORABLE,
  description: 'Unicode text without U+0000 and lone surrogates.',
  examples: ['Hat'],
})

export const SearchText = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: STORABLE,
  examples: ['lamp'],
})

export const WalletBindingRequest = Type.Object(
  {
    walletBindingId: Type.String({
      format: 'uuid',
      description: "One of the caller's bindings.",
      examples: ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'],
    }),
  },
  { title: 'WalletBindingRequest' },
)

export const Generation = Type.Integer({
  minimum: 0,
  description:
    'Number of the leg on this escrow coin, from 0. The escrow input of its settlement has the sequence 0xfffffffd - generation.',
})

export const ErrorResponse = Type.Object(
  {
    error: Type.String({ description: 'The problem and its solution, for humans. The text can change.' }),
    code: Type.Optional(Type.String({ description: 'Stable error code.' })),
    retryable: Type.Optional(
      Type.Boolean({ description: 'Whether the same request can succeed later, unchanged.' }),
    ),
    docsUrl: Type.Optional(Type.String({ description: 'Reference entry of the code.' })),
  },
  { title: 'ErrorResponse' },
)
