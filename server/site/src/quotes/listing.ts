import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quoteListing as operation } from '@ordbook/contract/storefront/seller-quotes.ts'
import { conflict, Fault, missing } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import { getTradedCollection } from '@ordbook/market/collections/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { listEscrowsOf } from '@ordbook/market/escrows/queries.ts'
import { checkItems } from '@ordbook/market/listings/items.ts'
import { loadOwnedCoin } from '@ordbook/market/listings/owner.ts'
import { findInTrade } from '@ordbook/market/listings/placement-queries.ts'
import { describeOfferEconomics } from '@ordbook/market/offers/economics.ts'
import { tradeEconomics } from '@ordbook/market/settlements/economics.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf, partOf, sumOf } from './bill.ts'
import { compare } from './comparison.ts'
import { listPostage } from './live-queries.ts'

type Refused = AnswerOf<typeof operation>['items'][number]['refused']

/** Returns the bill of listing inscriptions. With a binding, also returns why an item cannot be listed. Throws `missing` or `invalid`. */
export const quoteListing: UseCase<typeof operation> = async (context, { session, params, body }) => {
  const { config, reads } = context
  const collection = await getTradedCollection(context, params.slug)
  await checkItems(context, collection, body)
  const binding =
    body.walletBindingId === undefined ? null : await getOwnBinding(context, session, body.walletBindingId)
  const inscriptionIds = body.items.map((item) => item.inscriptionId)
  const postage = new Map(
    (await listPostage(reads, inscriptionIds)).map((row) => [row.inscriptionId, row.valueSats]),
  )
  const items: AnswerOf<typeof operation>['items'] = []
  for (const { inscriptionId, priceSats } of body.items) {
    const economics = tradeEconomics(context, collection, priceSats, 'listing')
    const valueSats = postage.get(inscriptionId)
    if (valueSats === undefined)
      throw missing('inscription-unknown', `Inscription ${inscriptionId} is not indexed yet`)
    items.push({
      inscriptionId,
      ...describeOfferEconomics(economics, valueSats),
      refused: binding && (await refusalOf(context, binding, inscriptionId)),
    })
  }
  const listed = items.filter((item) => item.refused === null)
  const feeRateSatVb = await settlementFeeRate(context)
  return {
    items,
    inscriptionUtxoValueSats: sumOf(listed, 'inscriptionUtxoValueSats'),
    listingMinimumSats: config.listingMinSats,
    ...billOf(
      {
        price: sumOf(listed, 'priceSats'),
        marketplaceFee: partOf(listed, 'sellerMarketplaceFeeSats', 'sellerMarketplaceFeeBps'),
        creatorRoyalty: partOf(listed, 'sellerCreatorRoyaltySats', 'sellerCreatorRoyaltyBps'),
      },
      'seller',
    ),
    ...(await compare(context, session, collection, { inscriptionIds, feeRateSatVb })),
  }
}

/** Returns why an inscription cannot be listed, or null. Inscriptions in escrow can be repriced. */
async function refusalOf(
  context: Context,
  binding: Parameters<typeof loadOwnedCoin>[1],
  inscriptionId: string,
): Promise<Refused> {
  try {
    if (await findInTrade(context.sql, [inscriptionId]))
      throw conflict('inscription-in-trade', `${inscriptionId} is being bought right now`)
    const [escrow] = await listEscrowsOf(context.sql, [inscriptionId], binding.ordinalsScript)
    if (!escrow) await loadOwnedCoin(context, binding, inscriptionId, { pending: true })
    return null
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'unavailable') throw error
    return { code: error.code, error: error.message }
  }
}
