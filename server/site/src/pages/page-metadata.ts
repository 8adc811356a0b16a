import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getCollection } from '@ordbook/contract/storefront/collections.ts'
import type { getInscription } from '@ordbook/contract/storefront/inscriptions.ts'
import type { getSettlement } from '@ordbook/contract/storefront/settlement.ts'
import type { getProposal } from '@ordbook/contract/web.ts'
import type { CardTexts } from '../thumbnails/card.ts'
import { bitcoin, counted, cut, money } from './page-texts.ts'

/** Metadata for links. The title equals the title that the page sets. */
export interface Described {
  title: string
  description?: string
  picture?: Pictured | null
  /** OG image. Its subject is the canonical path of the page. */
  card?: DescribedCard
  /** Subject as schema.org data, for search engines. */
  data?: Readonly<Record<string, unknown>>
  isPrivate?: boolean
  /** Path of its Atom feed. */
  feed?: string
}

interface DescribedCard {
  subject: string
  texts: Omit<CardTexts, 'market'>
}

interface Pictured {
  inscriptionId: string
  contentType: string | null
}

const pictureOf = (inscriptionId: string | null, contentType: string | null = null): Pictured | null =>
  inscriptionId === null ? null : { inscriptionId, contentType }

/** Maximum characters of a description or a line of a card. */
const MAX_LETTERS = 200
const MAX_IN_CARD = 80

const markOf = (status: 'verified' | 'unverified') => (status === 'verified' ? 'Verified' : 'Not verified')
const floorOf = (sats: number | null) => (sats === null ? null : `Floor ${money(sats)}`)

const countedNoun = (count: number, noun: string) => `${counted(count)} ${noun}${count === 1 ? '' : 's'}`

export function describeCollection(row: AnswerOf<typeof getCollection>): Described {
  const { name, floorSats, itemCount, listedCount, ownerCount } = row
  const floor = floorSats === null ? '' : ` from ${money(floorSats)}`
  const mark = markOf(row.verificationStatus)
  const figures = `${mark}. ${countedNoun(itemCount, 'item')}, ${counted(listedCount)} listed${floor}, ${countedNoun(ownerCount, 'owner')}.`
  return {
    title: floorSats === null ? name : `${name}: floor ${money(floorSats)}`,
    description: cut(row.description ? `${figures} ${row.description}` : figures, MAX_LETTERS),
    picture: pictureOf(row.previewInscriptionId, row.previewContentType),
    feed: `/feeds/collection/${row.slug}.atom`,
    card: {
      subject: `/collection/${row.slug}`,
      texts: {
        heading: `Collection · ${mark}`,
        name: cut(name, MAX_IN_CARD),
        label: floorSats === null ? 'Nothing listed' : 'Floor',
        amount: floorSats === null ? null : money(floorSats),
        note: countedNoun(itemCount, 'item'),
      },
    },
    data: {
      '@type': 'Collection',
      name,
      collectionSize: itemCount,
      ...(floorSats === null
        ? {}
        : {
            offers: {
              '@type': 'AggregateOffer',
              lowPrice: bitcoin(floorSats),
              offerCount: listedCount,
              priceCurrency: 'BTC',
            },
          }),
    },
  }
}

export function describeInscription(item: AnswerOf<typeof getInscription>): Described {
  const { inscriptionId, inscriptionNumber, name, contentType, listing, collections } = item
  const [collection] = collections
  const price = listing === null ? 'Not listed' : `For sale at ${money(listing.priceSats)}`
  const floor =
    collection && collection.floorSats !== null ? `, collection floor ${money(collection.floorSats)}` : ''
  const number = inscriptionNumber === null ? '' : ` Inscription ${counted(inscriptionNumber)}.`
  return {
    title: collection ? `${name}, ${collection.name}` : name,
    description: `${price}${floor}.${number}`,
    picture: pictureOf(inscriptionId, contentType),
    card: {
      subject: `/inscription/${inscriptionId}`,
      texts: {
        heading: collection
          ? `${cut(collection.name, MAX_IN_CARD / 2)} · ${markOf(collection.verificationStatus)}`
          : 'Inscription',
        name: cut(name, MAX_IN_CARD),
        label: listing === null ? 'Not listed' : 'Price',
        amount: listing === null ? null : money(listing.priceSats),
        note: collection ? floorOf(collection.floorSats) : null,
      },
    },
    data: {
      '@type': 'Product',
      name,
      sku: inscriptionId,
      ...(collection ? { category: collection.name } : {}),
      ...(listing === null
        ? {}
        : {
            offers: {
              '@type': 'Offer',
              price: bitcoin(listing.priceSats),
              priceCurrency: 'BTC',
              availability: 'https://schema.org/InStock',
            },
          }),
    },
  }
}

export function describeSettlement({ txid, items }: AnswerOf<typeof getSettlement>): Described {
  const [only, another] = items
  if (!only || another) return { title: `Receipt: ${countedNoun(items.length, 'item')}` }
  const price = only.priceSats === null ? '' : ` for ${money(only.priceSats)}`
  return {
    title: `Receipt: ${only.name}${price}`,
    picture: pictureOf(only.inscriptionId, only.contentType),
    card: {
      subject: `/receipt/${txid}`,
      texts: {
        heading: 'Receipt',
        name: cut(only.name, MAX_IN_CARD),
        label: only.priceSats === null ? 'Moved on chain' : 'Sold for',
        amount: only.priceSats === null ? null : money(only.priceSats),
        note: null,
      },
    },
  }
}

/** Describes one side of a swap: its items, by name if there is one, and its bitcoin. */
const sideOf = (count: number, name: string | undefined, sats: number) =>
  [
    ...(count === 0 ? [] : [count === 1 && name ? name : countedNoun(count, 'item')]),
    ...(sats === 0 ? [] : [money(sats)]),
  ].join(' and ')

export function describeTrade(proposal: AnswerOf<typeof getProposal>): Described {
  const { offeredItems, offeredBtcSats, wantedLegs, requestedBtcSats, state, visibility } = proposal
  const [first] = offeredItems
  const requestedCount = wantedLegs.reduce((sum, leg) => sum + leg.quantity, 0)
  const [named, another] = wantedLegs.flatMap((leg) => leg.specificItems)
  const offeredSide = sideOf(offeredItems.length, first?.inscriptionTitle, offeredBtcSats)
  const got = sideOf(requestedCount, another ? undefined : named?.inscriptionTitle, requestedBtcSats)
  return {
    title: `Trade: ${offeredSide} for ${got}`,
    description: `A trade proposal between two collectors. Status: ${state}.`,
    picture: first ? pictureOf(first.inscriptionId, first.rawContentType) : null,
    isPrivate: visibility === 'private',
  }
}

export const describeAddress = (address: string): Described => ({
  title: `Address ${address.length > 18 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address}`,
  feed: `/feeds/address/${encodeURIComponent(address)}.atom`,
})
