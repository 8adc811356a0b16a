import type { Carried } from '../ui/carried.tsx'

/** What else a coin contains. */
export interface Contents extends Omit<Carried, 'inscriptionId'> {
  /** Inscription in whose coin it is. */
  of: string
  /** Position of another inscription in the coin, in sats; null if it is not known. */
  offset: number | null
  /** Of another inscription; null if it is not known. */
  item: {
    name: string
    contentType: string | null
    collectionName: string | null
    verificationStatus: 'verified' | 'unverified' | null
  } | null
}

/** An inscription of a trade, and its coin. */
export interface TradedItem {
  inscriptionId: string
  name: string
  contentType: string | null
  collection: {
    collectionName: string
    verificationStatus: 'verified' | 'unverified'
  } | null
  /** `txid:vout` */
  outpoint: string
  offset: number
  valueSats: number
  /** Other contents of the coin. `unchecked`: this market has no index of runes. `failed`: it could not report them now. */
  carries: readonly Contents[] | 'unchecked' | 'failed'
  /** Price of the coin's active listing, or null. */
  listedForSats: number | null
  /** Direction of the coin for the signer. */
  goes: 'leaves' | 'arrives' | 'stays'
}

interface PricedItem {
  item: TradedItem
  priceSats: number
}

/** What the signer agreed to. Titles and sentences of the review are derived from it. */
export type Agreement =
  | { kind: 'buy'; bought: readonly PricedItem[] }
  | { kind: 'list'; listed: readonly PricedItem[]; isInEscrow: boolean; days: number }
  | { kind: 'offer'; item: TradedItem; priceSats: number }
  | { kind: 'bid'; about: string; pricesSats: readonly number[] }
  | { kind: 'accept' | 'sell' | 'counter' | 'accept-counter'; item: TradedItem; priceSats: number }
  | {
      kind: 'swap'
      gives: readonly TradedItem[]
      gets: readonly TradedItem[]
      /** Sats to receive without fees; negative if the signer pays. */
      netSats: number
      /** False if the other side signs last. */
      completes: boolean
      /** When the proposal ends if the other side does not sign; null if the signer completes it. */
      endsAt: string | null
    }
  | {
      kind: 'withdraw' | 'move' | 'exit' | 'split'
      items: readonly TradedItem[]
      /** 0 if the market pays. */
      maxNetworkSats: number
    }

/** Returns the inscriptions of a trade, those that leave first. */
export function itemsOf(agreement: Agreement): readonly TradedItem[] {
  switch (agreement.kind) {
    case 'buy':
      return agreement.bought.map(({ item }) => item)
    case 'list':
      return agreement.listed.map(({ item }) => item)
    case 'bid':
      return []
    case 'swap':
      return [...agreement.gives, ...agreement.gets]
    case 'withdraw':
    case 'move':
    case 'exit':
    case 'split':
      return agreement.items
    default:
      return [agreement.item]
  }
}

/** Whether the market broadcasts the transaction immediately. */
export function settles(agreement: Agreement): boolean {
  switch (agreement.kind) {
    case 'list':
    case 'offer':
    case 'bid':
    case 'counter':
    // The market does not follow the transaction.
    case 'split':
      return false
    case 'swap':
      return agreement.completes
    default:
      return true
  }
}

/** Counts the collections of the items that the market has not verified. */
export const unverifiedIn = (agreement: Agreement): number =>
  new Set(
    itemsOf(agreement).flatMap(({ collection }) =>
      collection?.verificationStatus === 'unverified' ? [collection.collectionName] : [],
    ),
  ).size
