import { keySpendOf, kindOfScript } from '@ordbook/bitcoin/address.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { buildOffer } from '@ordbook/bitcoin/trade/offer.ts'
import { conflict, invalid, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { inscriptionCoin } from '@ordbook/indexer/coins/inscription-coin.ts'
import { findInscription } from '@ordbook/indexer/inscriptions/queries.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { findBindingOfOwner } from '../auth/queries.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { royaltyOf, tradeEconomics } from '../settlements/economics.ts'
import type { Buyer, PayingCoins } from '../settlements/payment-coins.ts'
import { findMinimums, type Minimums } from './queries.ts'

/** The settlement and the seller's CPFP child. */
export const CHAINING = { added: 2 }

export interface SellerSide {
  coin: Coin
  payoutScript: Uint8Array
  minimums: Minimums
}

/** Returns an inscription's coin, its owner's payout script and the minimum prices. */
export async function sellerSide(
  context: Context,
  session: Session,
  collection: CollectionRow,
  inscriptionId: string,
): Promise<SellerSide> {
  const { sql, clock } = context
  if (!(await findInscription(sql, inscriptionId)))
    throw missing('inscription-unknown', `Inscription ${inscriptionId} is not indexed.`)
  const { coin } = await inscriptionCoin(context, inscriptionId)
  if (kindOfScript(coin.script) !== 'p2tr')
    throw conflict(
      'owner-not-taproot',
      `${inscriptionId} is not at a taproot (P2TR) address, so its owner cannot accept offers.`,
    )
  const owner = await findBindingOfOwner(sql, coin.script)
  if (owner?.profileId === session.profileId) throw invalid('own-order', `You already own ${inscriptionId}.`)
  const minimums = await findMinimums(sql, {
    inscriptionId,
    collectionId: collection.collectionId,
    ownerScript: coin.script,
    now: clock(),
  })
  // An owner who never signed in is paid at the inscription's address.
  return { coin, payoutScript: owner?.paymentScript ?? coin.script, minimums }
}

/** Builds offers at the current fee rate, for preflights and quotes. All spend the same coins. */
export async function planOffers(
  context: Context,
  trade: { collection: CollectionRow; priceSats: number; sides: readonly SellerSide[]; buyer: Buyer },
  coins: PayingCoins,
) {
  const { collection, priceSats, sides, buyer } = trade
  const economics = tradeEconomics(context, collection, priceSats, 'offer')
  const feeRateSatVb = await settlementFeeRate(context)
  const paid = await coins.pay((payments) =>
    sides.map(({ coin, payoutScript }) => {
      const terms = {
        payments,
        inscriptionCoin: coin,
        seller: keySpendOf(coin.script, coin.script.slice(2)),
        payoutSats: economics.sellerReceiveSats + coin.valueSats,
        payoutScript,
        marketplaceRevenueSats: economics.marketplaceRevenueSats,
        marketScript: context.market.coinScript,
        royalty: royaltyOf(economics),
        payer: buyer.payer,
        buyerScript: buyer.ordinalsScript,
        changeScript: buyer.paymentScript,
        feeRateSatVb,
      }
      return { terms, offer: buildOffer(terms) }
    }),
  )
  return { ...paid, economics, feeRateSatVb }
}
