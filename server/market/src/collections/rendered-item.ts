import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import { formatSatpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { CollectionInscriptionItem } from '@ordbook/contract/collections.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { jsonOf, RawJson } from '@ordbook/http/responses/raw-json.ts'
import type { Static } from 'typebox'
import type { CollectionRow, ItemRendered, ItemRow } from './queries.ts'

export type Item = Static<typeof CollectionInscriptionItem>

/** Returns the content class of a media type. SVG counts as HTML, because it can run scripts. */
function contentClassOf(contentType: string | null): Item['contentType'] {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'text/html' || type === 'image/svg+xml') return 'html'
  if (type.startsWith('image/')) return 'image'
  return type.startsWith('video/') ? 'video' : 'text'
}

/** Returns the location fields of a response. */
export function locationOf(row: {
  sat: number | null
  txid: string | null
  vout: number | null
  satOffset: number | null
}) {
  const isIndexed = row.txid !== null && row.vout !== null && row.satOffset !== null
  return {
    sat: row.sat,
    locationTxid: row.txid,
    locationVout: row.vout,
    locationSatpoint: isIndexed ? formatSatpoint({ txid: row.txid!, vout: row.vout! }, row.satOffset!) : null,
  }
}

export function describeItem(row: {
  inscriptionId: string
  inscriptionNumber: number | null
  itemName: string | null
  slug: string | null
  collectionName: string | null
  kind: CollectionRow['kind']
  verificationStatus: CollectionRow['verificationStatus'] | null
}) {
  return {
    inscriptionId: row.inscriptionId,
    inscriptionNumber: String(row.inscriptionNumber ?? 0),
    inscriptionName: row.itemName ?? fallbackName(row.inscriptionNumber),
    collection: {
      slug: row.slug,
      name: row.collectionName,
      kind: row.kind,
      verificationStatus: row.verificationStatus,
    },
  }
}

const fallbackName = (inscriptionNumber: number | null) => `Inscription ${inscriptionNumber ?? 'unnumbered'}`

/** Placeholder for the server's public URL. JSON text never contains this character unescaped. */
const OWN_ADDRESS = '\u0001'

export const renderedImage = (inscriptionId: string) =>
  new RawJson<string>(`"${OWN_ADDRESS}/content/${inscriptionId}"`)

/** Replaces the placeholder with the server's public URL. */
export const placeImages = (rows: string, publicUrl: string) => rows.replaceAll(OWN_ADDRESS, publicUrl)

export type ShownChain = Pick<Config, 'chain' | 'addressNetwork'>

export const renderedItem = (row: ItemRow, chain: ShownChain): RawJson<Item> =>
  jsonOf<Item>({ image: renderedImage(row.inscriptionId), ...renderItem(row, chain) })

export const renderedRowOf = (row: ItemRow, chain: ShownChain): ItemRendered => ({
  id: row.inscriptionId,
  collectionId: row.collectionId,
  version: row.renderedVersion,
  text: renderedItem(row, chain).text,
  expiresAt: row.listingExpiresAt,
})

function renderItem(row: ItemRow, { chain, addressNetwork }: ShownChain): Omit<Item, 'image'> {
  return {
    id: row.inscriptionId,
    name: row.itemName,
    collection: row.slug,
    collectionHref: `/collection/${row.slug}`,
    collections: row.collections,
    inscription: row.inscriptionNumber ?? 0,
    inscriptionId: row.inscriptionId,
    listingId: row.listingId,
    listingState: row.listingState,
    priceSats: row.priceSats,
    price: row.priceSats === null ? null : btcOfSats(row.priceSats),
    listedAt: row.listedAt?.toISOString() ?? null,
    listingExpiresAt: row.listingExpiresAt?.toISOString() ?? null,
    lastSale: row.lastSaleSats === null ? null : btcOfSats(row.lastSaleSats),
    owner: row.ownerScript && addressOfScript(row.ownerScript, addressNetwork),
    contentType: contentClassOf(row.contentType),
    rawContentType: row.contentType || null,
    imageRenderingHint: row.imageRenderingHint,
    cardBackgroundColor: row.cardBackgroundColor,
    traits: row.traits.map(({ type, value }) => {
      const count = row.traitCounts[`${type}\x1f${value}`]
      return {
        type,
        value,
        ...(count === undefined
          ? {}
          : { count, percentage: Math.round((count / row.itemCount) * 10_000) / 100 }),
      }
    }),
    satributes: row.sat === null ? [] : satributesOf(row.sat, satRulesOf(chain)),
    ...locationOf(row),
  }
}
