import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import type { preflightPurchase as preflightOperation } from '@ordbook/contract/purchases.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid, missing } from '@ordbook/db/process/errors.ts'
import type { BindingRow } from '../auth/queries.ts'
import { type CollectionRow, listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { type ListingRow, listListingsById } from '../listings/queries.ts'
import { rejectDuplicateListings } from '../preflight/duplicates.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { assertPaymentCoins, payerOf } from '../settlements/payment-coins.ts'

export type Request = BodyOf<typeof preflightOperation>

/** Returns the recipient of round-up donations. */
export function initiativeOf({ donationName, donationUrl, donationAddress }: Context['config']) {
  return donationName && donationUrl && donationAddress ? { name: donationName, url: donationUrl } : null
}

/** Validates a request without the database. */
export function checkRequest({ config }: Context, input: Request, binding: BindingRow): void {
  rejectDuplicateListings(input.listings)
  assertPaymentCoins(binding, input.spendableUtxos)
  if (input.roundUpDonation && !initiativeOf(config))
    throw conflict('donation-not-offered', 'This market does not collect donations. Omit roundUpDonation.')
  payerOf(binding, input.paymentPublicKey)
}

/** Returns the requested listings in order. Throws unless this buyer can buy each of them. */
export async function buyableListings(
  context: Context,
  collection: CollectionRow,
  buyer: Pick<BindingRow, 'ordinalsScript'>,
  { listings }: Pick<Request, 'listings'>,
): Promise<ListingRow[]> {
  const requested = await findRequested(context, collection, { listings })
  return listings.map((item) => assertBuyable(context, { ...requested, collection, buyer }, item))
}

/** Returns the requested listings, and which inscriptions are in the collection. */
export async function findRequested(
  { sql }: Context,
  { collectionId }: CollectionRow,
  { listings }: Pick<Request, 'listings'>,
): Promise<{ rows: ListingRow[]; members: Set<string> }> {
  const rows = await listListingsById(
    sql,
    listings.map(({ listingId }) => listingId),
  )
  const members = await listMembers(
    sql,
    collectionId,
    listings.map(({ inscriptionId }) => inscriptionId),
  )
  return { rows, members }
}

/** Returns a listing. Throws unless this buyer can buy it. */
export function assertBuyable(
  { clock, policy }: Pick<Context, 'clock' | 'policy'>,
  {
    rows,
    members,
    collection,
    buyer,
  }: Awaited<ReturnType<typeof findRequested>> & {
    collection: CollectionRow
    buyer: Pick<BindingRow, 'ordinalsScript'>
  },
  { listingId, inscriptionId }: Request['listings'][number],
): ListingRow {
  const row = rows.find((each) => each.listingId === listingId.toLowerCase())
  if (!row) throw missing('listing-unknown', `Listing ${listingId} not found.`)
  if (!row.inscriptionIds.includes(inscriptionId))
    throw invalid('listing-mismatched', `Listing ${listingId} is for another inscription.`)
  if (!members.has(inscriptionId))
    throw invalid('not-in-collection', `${inscriptionId} is not in collection ${collection.slug}.`)
  if (equalBytes(row.sellerScript, buyer.ordinalsScript))
    throw invalid('own-order', `Listing ${listingId} is your own listing.`)
  if (row.state !== 'buyable' || (row.expiresAt && row.expiresAt <= clock()))
    throw conflict('listing-not-buyable', `Listing ${listingId} is no longer available.`)
  if (row.transferHeight === null) policy.assertTraded('listings')
  return { ...row, inscriptionId }
}

/** Returns the fields that a submit must repeat. */
export function canonical(input: Request, { collectionId }: CollectionRow): Record<string, unknown> {
  return {
    collectionId,
    walletBindingId: input.walletBindingId.toLowerCase(),
    paymentPublicKey: input.paymentPublicKey,
    listings: input.listings.map(({ listingId, inscriptionId }) => ({
      listingId: listingId.toLowerCase(),
      inscriptionId,
    })),
    spendableUtxos: input.spendableUtxos?.map(canonicalCoin) ?? null,
    roundUpDonation: input.roundUpDonation ?? false,
  }
}

/** Throws `conflict` if the listed coin is spent, except by its transfer into escrow. */
export async function assertDeliverable({ node }: Context, listing: ListingRow): Promise<void> {
  const terms = unpack<ListingTerms>(listing.terms)
  if (listing.transferHeight !== null) {
    if (await node.txOut(escrowCoinOf(terms))) return
  } else {
    if (await node.txOut(terms.inscriptionCoin)) return
    if ((await node.spenderInMempool(terms.inscriptionCoin)) === listing.transferTxid) return
  }
  throw conflict(
    'listing-not-buyable',
    `Listing ${listing.listingId} is no longer available, because its inscription is being moved.`,
  )
}
