import type { TSchema } from 'typebox'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  examples?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
  minItems?: number
  default?: unknown
}

const TXID = '6fb976ab49dcec017f1e201e84395983204ae1a7c2abf7ced0a85d692e442799'
const COIN = `${TXID}:0`

/** Examples of strings whose schemas have none, by the name of the member. */
const EXAMPLES: Readonly<Record<string, string>> = {
  address: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  amount: '250.5',
  avatarUrl: 'https://example.org/avatar.png',
  bannerUrl: 'https://example.org/banner.png',
  bio: 'I collect lamps.',
  blockHash: '00000000000000000001d2ba9db0e0e2cb3b6b3f4d3c2f2f7b1f6f0c3a5e7d91',
  chain: 'mainnet',
  charms: 'uncommon',
  client: 'Firefox on Linux',
  code: 'inscription-in-escrow',
  collectionHref: '/collection/harbour-lamps',
  collectionName: 'Harbour Lamps',
  collectionSlug: 'harbour-lamps',
  collections: 'harbour-lamps,night-watch',
  contentType: 'image/png',
  contentUrl: 'https://content.market.example',
  criteriaCanonicalJson: '{"collection":"harbour-lamps","target":{"kind":"all"},"v":1}',
  currency: 'USD',
  description: 'Lamps of a harbour at night.',
  error: 'The inscription is in escrow already. Relist it, or withdraw it first.',
  explorerUrl: 'https://explorer.example',
  from: 'buyable',
  id: '3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58',
  image: `https://market.example/content/${TXID}i0`,
  imageRenderingHint: 'pixelated',
  inscriptionName: 'Harbour Lamp #7',
  inscriptionNumber: '71204418',
  inscriptionTitle: 'Harbour Lamp #7',
  label: 'Wallet',
  landing: `${COIN}:0`,
  locationSatpoint: `${COIN}:0`,
  locationTxid: TXID,
  metaprotocol: 'brc-20',
  minimumReason: '20% of the floor',
  name: 'Harbour Lamps',
  network: 'mainnet',
  notice: 'Back at 14:00 UTC',
  openapi: '3.1.0',
  output: COIN,
  payoutTxid: TXID,
  placeholder:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  previewContentType: 'image/png',
  provider: 'unknown',
  q: 'lamp',
  rawContentType: 'image/png',
  reason: 'delisted by its seller',
  saleId: '1042',
  satpoint: `${COIN}:0`,
  satribute: 'uncommon',
  satributes: 'uncommon',
  scopeLabel: 'Hat: Cap or None',
  sessionToken: 'Yk3nP0dR7sVwX1zB5cF9hJ2mQ6tU8aE4gL0iN7oS2pW',
  settlementTxid: TXID,
  since: '81204-48213',
  slug: 'harbour-lamps',
  state: 'buyable',
  to: 'cancelled',
  traitFloorOf: 'Cap',
  traits: '[{"type":"Hat","values":["Cap","None"]}]',
  txid: TXID,
  type: 'Hat',
  username: 'lamplighter',
  value: 'Cap',
}

/** Builds a deterministic example from the examples of a schema's scalars, or else from the names of its members. */
export function exampleOf(schema: TSchema, name = 'text'): unknown {
  return sampleOf(schema as Schema, name)
}

function sampleOf(schema: Schema, name: string): unknown {
  if (schema.examples) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.default ?? schema.enum[0]
  if (schema.anyOf) return sampleOf(schema.anyOf.at(0)!, name)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, property]) => [
          member,
          sampleOf(property, member),
        ]),
      )
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sampleOf(schema.items!, name))
    case 'integer':
    case 'number':
      return schema.default ?? schema.minimum ?? 1
    case 'boolean':
      return schema.default ?? false
    case 'null':
      return null
    case 'string':
      return EXAMPLES[name] ?? name
    // Any JSON.
    default:
      return {}
  }
}
