import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quotePurchase as operation } from '@ordbook/contract/storefront/quotes.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getTradedCollection } from '@ordbook/market/collections/inscriptions.ts'
import type { CollectionRow } from '@ordbook/market/collections/queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { ListingRow } from '@ordbook/market/listings/queries.ts'
import { assertTailFree } from '@ordbook/market/market-coins/grants.ts'
import { rejectDuplicateListings } from '@ordbook/market/preflight/duplicates.ts'
import { assertBuyable, findRequested } from '@ordbook/market/purchases/checks.ts'
import type { FeeCoinPool } from '@ordbook/market/purchases/fee-coins.ts'
import { chainingOf, planPurchase } from '@ordbook/market/purchases/plan.ts'
import { describeEconomics } from '@ordbook/market/purchases/terms.ts'
import type { TradeEconomics } from '@ordbook/market/settlements/economics.ts'
import type { Buyer } from '@ordbook/market/settlements/payment-coins.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf, partOf, sumOf } from './bill.ts'
import { compare } from './comparison.ts'
import { listLiveListings } from './live-queries.ts'
import { quotedWallet, quoteFrom } from './wallet.ts'

type Answer = AnswerOf<typeof operation>
type Gone = Answer['gone'][number]

/**
 * Returns placeholder market coins, because quotes reserve none. The bill does not depend on the value of a sufficiently large tail coin.
 */
const placeholderPool = (context: Context): FeeCoinPool => {
  const { market } = context
  const coin = (valueSats: number, vout: number) => ({
    txid: 'ff'.repeat(32),
    vout,
    valueSats,
    script: market.coinScript,
  })
  return {
    async nameTail() {
      await assertTailFree(context)
      return coin(100_000_000, 0)
    },
    namePads: async (count) => Array.from({ length: count }, (_, n) => coin(ANCHOR_SATS, n)),
  }
}

/** Returns the bill of a purchase. Unavailable listings are excluded and reported in `gone`. Throws `missing` or `invalid`. */
export const quotePurchase: UseCase<typeof operation> = async (context, { session, params, body }) => {
  const { config } = context
  rejectDuplicateListings(body.listings)
  const collection = await getTradedCollection(context, params.slug)
  const wallet = await quotedWallet(context, session, body)
  const { listings, gone } = await splitByAvailability(context, collection, wallet.buyer, body.listings)
  const inscriptionIds = listings.map((listing) => listing.inscriptionId)
  const compared = (feeRateSatVb: number) =>
    compare(context, session, collection, { inscriptionIds, feeRateSatVb })
  if (listings.length === 0) {
    const feeRateSatVb = await settlementFeeRate(context)
    return { ...NOTHING, gone, targetFeeRateSatVb: feeRateSatVb, ...(await compared(feeRateSatVb)) }
  }
  const donates = (body.roundUpDonation ?? false) && config.donationAddress !== ''
  const trade = { listings, buyer: wallet.buyer, donates }
  const pool = placeholderPool(context)
  const { plan, funds } = await quoteFrom(context, wallet, {
    plan: (coins) => planPurchase(context, trade, coins, pool),
    chosenOf: ({ chosen }) => chosen,
    chaining: chainingOf(listings),
  })
  const { built, feeRateSatVb } = plan
  const economics = listings.map(describeEconomics)
  const royalties = listings.map((listing) => unpack<TradeEconomics>(listing.economics))
  return {
    listings: economics,
    gone,
    estimatedPackageVsize: built.packageVsize,
    estimatedNetworkFeeSats: built.networkFeeSats,
    cpfpFeeSats: built.cpfpFeeSats,
    listingTransferFeeSats: built.listingTransferFeeSats,
    donationSats: built.donationSats,
    totalBuyerCostSats: built.totalCostSats,
    ...billOf(
      {
        price: sumOf(economics, 'priceSats'),
        marketplaceFee: partOf(economics, 'buyerFeeSats', 'buyerFeeBps'),
        creatorRoyalty: partOf(royalties, 'buyerCreatorRoyaltySats', 'buyerRoyaltyBps'),
        postage: sumOf(economics, 'inscriptionUtxoValueSats'),
        networkFee: built.networkFeeSats,
        cpfpFee: built.cpfpFeeSats,
        sellerTransfers: built.listingTransferFeeSats,
        donation: built.donationSats,
      },
      'buyer',
    ),
    ...funds,
    targetFeeRateSatVb: feeRateSatVb,
    ...(await compared(feeRateSatVb)),
  }
}

const NOTHING = {
  listings: [],
  estimatedPackageVsize: 0,
  estimatedNetworkFeeSats: 0,
  cpfpFeeSats: 0,
  listingTransferFeeSats: 0,
  donationSats: 0,
  totalBuyerCostSats: 0,
  bill: [],
  totalSats: 0,
  exact: false,
  availableSats: null,
  missingSats: null,
  selectedPaymentUtxos: [],
  sharesCoinWith: [],
}

/** Separates buyable listings from unavailable ones, with the reason. */
async function splitByAvailability(
  context: Context,
  collection: CollectionRow,
  buyer: Buyer,
  listings: readonly { listingId: string; inscriptionId: string }[],
): Promise<{ listings: ListingRow[]; gone: Gone[] }> {
  const known = await findRequested(context, collection, { listings: [...listings] })
  const found: ListingRow[] = []
  const rejected: { asked: (typeof listings)[number]; code: string }[] = []
  for (const asked of listings)
    try {
      found.push(assertBuyable(context, { ...known, collection, buyer }, asked))
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === 'unavailable') throw error
      rejected.push({ asked, code: error.code })
    }
  const ids = rejected.map(({ asked }) => asked.inscriptionId)
  const now = context.clock()
  const live = new Map(
    (await listLiveListings(context.reads, ids, now)).map((row) => [row.inscriptionId, row]),
  )
  return {
    listings: found,
    gone: rejected.map(({ asked, code }) => {
      const row = known.rows.find((row) => row.listingId === asked.listingId.toLowerCase())
      const next = live.get(asked.inscriptionId)
      const replacedBy =
        next?.state === 'buyable' && next.listingId !== row?.listingId
          ? { listingId: next.listingId, priceSats: next.priceSats }
          : null
      return { ...asked, reason: replacedBy ? 'repriced' : reasonOf(code, row), replacedBy }
    }),
  }
}

function reasonOf(code: string, row: ListingRow | undefined): Gone['reason'] {
  if (!row || code === 'listing-mismatched' || code === 'not-in-collection') return 'unknown'
  if (code === 'own-order') return 'own'
  return REASONS[row.state]
}

const REASONS: Record<ListingRow['state'], Gone['reason']> = {
  // Still buyable in the table, but past its expiry.
  buyable: 'expired',
  hidden_locked: 'being-bought',
  pending_public: 'moved',
  sold: 'sold',
  cancelled: 'delisted',
  expired: 'expired',
  invalidated: 'moved',
  replaced: 'delisted',
}
