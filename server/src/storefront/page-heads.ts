import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getCollection } from '@ordbook/contract/storefront/collections.ts'
import type { getInscription } from '@ordbook/contract/storefront/inscriptions.ts'
import type { getSettlement } from '@ordbook/contract/storefront/settlement.ts'
import { counted, cut, money } from './page-texts.ts'

/** A page as links to it show it: the title is the one that the page gives itself. */
export interface Described {
  title: string
  description?: string
  /** The inscription that shows what the page is about. */
  pictureId?: string | null
}

/** Pictures that the clients which preview links can show. */
const SHOWN = /^image\/(png|jpeg|gif|webp)\b/

const pictureOf = (id: string | null, contentType: string | null) =>
  id !== null && SHOWN.test(contentType ?? '') ? id : null

/** Most letters of a description. */
const MOST_LETTERS = 200

const countedNoun = (count: number, noun: string) => `${counted(count)} ${noun}${count === 1 ? '' : 's'}`

export function describeCollection(row: AnswerOf<typeof getCollection>): Described {
  const { name, floorSats, itemCount, listedCount, ownerCount } = row
  const floor = floorSats === null ? '' : ` from ${money(floorSats)}`
  const mark = row.verificationStatus === 'verified' ? 'Verified' : 'Not verified'
  const figures = `${mark}. ${countedNoun(itemCount, 'item')}, ${counted(listedCount)} listed${floor}, ${countedNoun(ownerCount, 'owner')}.`
  return {
    title: floorSats === null ? name : `${name}: floor ${money(floorSats)}`,
    description: cut(row.description ? `${figures} ${row.description}` : figures, MOST_LETTERS),
    pictureId: pictureOf(row.previewInscriptionId, row.previewContentType),
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
    pictureId: pictureOf(inscriptionId, contentType),
  }
}

export function describeSettlement({ items }: AnswerOf<typeof getSettlement>): Described {
  const [only, another] = items
  if (!only || another) return { title: `Receipt: ${countedNoun(items.length, 'item')}` }
  const price = only.priceSats === null ? '' : ` for ${money(only.priceSats)}`
  return {
    title: `Receipt: ${only.name}${price}`,
    pictureId: pictureOf(only.inscriptionId, only.contentType),
  }
}

export const describeAddress = (address: string): Described => ({
  title: `Address ${address.length > 18 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address}`,
})
