import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import type {
  preflightPurchase as preflightOperation,
  submitPurchase as submitOperation,
} from '@ordbook/contract/purchases.ts'
import type { BindingRow } from '../auth/queries.ts'
import { type CollectionRow, listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { unpack } from '../db/pack.ts'
import { refuseBitcoin } from '../engine/refuse.ts'
import { conflict, invalid, missing } from '../errors.ts'
import { type ListingRow, listListingsById } from '../listings/queries.ts'
import type { PurchaseRow } from './queries.ts'

/** What is asked of a purchase request before anything is built from it, in preflight and again in submit. */
export type Request = BodyOf<typeof preflightOperation>

/** Where round-up donations go; null when this market takes none. */
export function initiativeOf({ donationName, donationUrl, donationAddress }: Context['config']) {
  return donationName && donationUrl && donationAddress ? { name: donationName, url: donationUrl } : null
}

/** The request makes sense by itself. Throws invalid or conflict. */
export function checkRequest({ config }: Context, input: Request, binding: BindingRow): void {
  const ids = input.listings.map((each) => each.listingId.toLowerCase())
  if (new Set(ids).size !== ids.length) throw invalid('listings: a listingId is there twice')
  if (new Set(input.listings.map((each) => each.inscriptionId)).size !== ids.length)
    throw invalid('listings: an inscriptionId is there twice')
  const coins = input.spendableUtxos?.map(formatOutpoint)
  if (coins && new Set(coins).size !== coins.length) throw invalid('spendableUtxos: a coin is there twice')
  if (!coins && binding.provider !== 'xverse')
    throw invalid('spendableUtxos is required: the confirmed coins of the payment address that may be spent')
  if (input.roundUpDonation && !initiativeOf(config))
    throw conflict('This market has no donation initiative: leave roundUpDonation out')
  refuseBitcoin(
    () => keySpendOf(binding.paymentScript, hexToBytes(input.paymentPublicKey)),
    'paymentPublicKey',
  )
}

/** The listings asked for, in that order, buyable now by this buyer. Throws missing, invalid or conflict. */
export async function buyableListings(
  { sql, clock }: Context,
  collection: CollectionRow,
  binding: BindingRow,
  { listings }: Request,
): Promise<ListingRow[]> {
  const rows = await listListingsById(
    sql,
    listings.map((each) => each.listingId),
  )
  const members = await listMembers(
    sql,
    collection.collectionId,
    listings.map((each) => each.inscriptionId),
  )
  for (const { listingId, inscriptionId } of listings) {
    const row = rows.find((each) => each.listingId === listingId.toLowerCase())
    if (!row) throw missing(`Listing ${listingId} is not known here`)
    if (row.inscriptionId !== inscriptionId) throw invalid(`Listing ${listingId} is of another inscription`)
    if (!members.has(inscriptionId))
      throw invalid(`${inscriptionId} is not in the collection ${collection.slug}`)
    if (row.walletBindingId === binding.walletBindingId) throw invalid(`Listing ${listingId} is your own`)
    if (row.state !== 'buyable' || (row.expiresAt && row.expiresAt <= clock()))
      throw conflict(`Listing ${listingId} is no longer buyable`)
  }
  return rows
}

/** What submit must repeat, in one form: absent and default are the same. */
export function canonical(input: Request): object {
  return {
    walletBindingId: input.walletBindingId.toLowerCase(),
    paymentPublicKey: input.paymentPublicKey,
    listings: input.listings.map(({ listingId, inscriptionId }) => ({
      listingId: listingId.toLowerCase(),
      inscriptionId,
    })),
    spendableUtxos: input.spendableUtxos?.map(plainCoin) ?? null,
    roundUpDonation: input.roundUpDonation ?? false,
  }
}

const plainCoin = ({ txid, vout, valueSats }: { txid: string; vout: number; valueSats: number }) => ({
  txid,
  vout,
  valueSats,
})

/** Submit repeats what the preflight was asked and what it answered. Throws invalid. */
export function checkEchoes(
  purchase: PurchaseRow,
  input: BodyOf<typeof submitOperation>,
  collection: CollectionRow,
): void {
  if (purchase.collectionId !== collection.collectionId)
    throw invalid('The purchase was prepared under another collection')
  const before = purchase.request as Record<string, unknown>
  for (const [field, value] of Object.entries(canonical(input)))
    if (!sameJson(before[field], value))
      throw invalid(`${field} differs from what the preflight was asked with`)
  const chosen = unpack<Coin[]>(purchase.selectedCoins).map(plainCoin)
  if (!sameJson(chosen, input.selectedPaymentUtxos.map(plainCoin)))
    throw invalid('selectedPaymentUtxos differs from what the preflight answered')
}

/** Equal as JSON, whatever the order of keys: PostgreSQL keeps its own. */
function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, i) => sameJson(each, b[i]))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  )
}

/** The inscription can still come: at its coin, or already in escrow by our own transfer. Throws conflict. */
export async function assertDeliverable({ node }: Context, listing: ListingRow): Promise<void> {
  const terms = unpack<ListingTerms>(listing.terms)
  if (listing.transferHeight !== null) {
    if (await node.txOut(escrowCoinOf(terms))) return
  } else {
    if (await node.txOut(terms.inscriptionCoin)) return
    if ((await node.spenderInMempool(terms.inscriptionCoin)) === listing.transferTxid) return
  }
  throw conflict(`Listing ${listing.listingId} is no longer buyable: its inscription is being moved`)
}
