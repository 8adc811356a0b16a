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
import { refuseDuplicateListings } from '../preflight/duplicates.ts'
import { plainCoin } from '../preflight/echoes.ts'
import { demandCoins, payerOf } from '../settlements/payment-coins.ts'

/** Checks a purchase request before it is built, in preflight and submit. */
export type Request = BodyOf<typeof preflightOperation>

/** The receiver of round-up donations; null if this market has none. */
export function initiativeOf({ donationName, donationUrl, donationAddress }: Context['config']) {
  return donationName && donationUrl && donationAddress ? { name: donationName, url: donationUrl } : null
}

/** Checks a request without reading the database. Throws invalid or conflict. */
export function checkRequest({ config }: Context, input: Request, binding: BindingRow): void {
  refuseDuplicateListings(input.listings)
  demandCoins(binding, input.spendableUtxos)
  if (input.roundUpDonation && !initiativeOf(config))
    throw conflict('donation-not-offered', 'This market does not collect donations. Omit roundUpDonation')
  payerOf(binding, input.paymentPublicKey)
}

/** The requested listings in their order, each buyable now by this buyer. Throws missing, invalid or conflict. */
export async function buyableListings(
  context: Context,
  collection: CollectionRow,
  buyer: Pick<BindingRow, 'ordinalsScript'>,
  { listings }: Pick<Request, 'listings'>,
): Promise<ListingRow[]> {
  const known = await findRequested(context, collection, { listings })
  return listings.map((asked) => assertBuyable(context, { ...known, collection, buyer }, asked))
}

/** The rows of requested listings, and which of their inscriptions the collection holds. */
export async function findRequested(
  { sql }: Context,
  { collectionId }: CollectionRow,
  { listings }: Pick<Request, 'listings'>,
): Promise<{ rows: ListingRow[]; members: Set<string> }> {
  const rows = await listListingsById(
    sql,
    listings.map((each) => each.listingId),
  )
  const members = await listMembers(
    sql,
    collectionId,
    listings.map((each) => each.inscriptionId),
  )
  return { rows, members }
}

/** A requested listing that this buyer can buy now, with the inscription that the buyer named. Throws missing, invalid or conflict. */
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
  if (!row) throw missing('listing-unknown', `Listing ${listingId} is not known here`)
  if (!row.inscriptionIds.includes(inscriptionId))
    throw invalid('listing-mismatched', `Listing ${listingId} is of another inscription`)
  if (!members.has(inscriptionId))
    throw invalid('not-in-collection', `${inscriptionId} is not in the collection ${collection.slug}`)
  if (equalBytes(row.sellerScript, buyer.ordinalsScript))
    throw invalid('own-order', `Listing ${listingId} is your own`)
  if (row.state !== 'buyable' || (row.expiresAt && row.expiresAt <= clock()))
    throw conflict('listing-not-buyable', `Listing ${listingId} is no longer available`)
  if (row.transferHeight === null) policy.assertTraded('listings')
  return { ...row, inscriptionId }
}

/** The fields that a submit repeats, in one form: absent and default are equal. */
export function canonical(input: Request, { collectionId }: CollectionRow): Record<string, unknown> {
  return {
    collectionId,
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

/** Throws conflict unless the inscription is at its coin, or in escrow by the listing's transfer. */
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
    `Listing ${listing.listingId} is no longer available: its inscription is being moved`,
  )
}
