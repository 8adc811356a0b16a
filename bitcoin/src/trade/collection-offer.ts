import type { KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import { type TxOutput, txidOf } from '../transaction.ts'
import { type BidOutput, buildBidOutput } from './bid-output.ts'
import { type Coin, type Layout, signedVsizeOf, transactionOf } from './layout.ts'
import { sideOutputs } from './offer.ts'
import { insufficient, MINIMUM_CHANGE_SATS, type Payer, paymentInputs } from './payment.ts'

/** Terms of a collection or trait offer. */
export interface CollectionOfferTerms extends Payer {
  /** Ordinals script of the maker. */
  makerScript: Uint8Array
  guardianKey: Uint8Array
  marketKey: Uint8Array
  secretHash: Uint8Array
  priceSats: number
}

export function bidOutputOf(terms: CollectionOfferTerms): BidOutput {
  return buildBidOutput(terms.makerScript, terms)
}

/**
 * Builds F, the funding parent: the maker's coins into X, plus change. It has version 3 and no fee, so it is valid only in a package with a
 * settlement (BIP-431). Change below `MINIMUM_CHANGE_SATS` is added to X. Throws `coins-insufficient`.
 */
export function buildFundingParent(terms: CollectionOfferTerms): Layout {
  const leftSats = sumSats(terms.payments.map((coin) => coin.valueSats)) - terms.priceSats
  if (leftSats < 0) throw insufficient(-leftSats)
  const change = leftSats >= MINIMUM_CHANGE_SATS
  return {
    version: 3,
    inputs: paymentInputs(terms),
    outputs: [
      {
        role: 'funding',
        valueSats: terms.priceSats + (change ? 0 : leftSats),
        script: bidOutputOf(terms).script,
      },
      ...(change ? [{ role: 'change', valueSats: leftSats, script: terms.changeScript } as const] : []),
    ],
  }
}

/** Terms of a fill: one inscription sold to an offer. */
export interface FillTerms {
  offer: CollectionOfferTerms
  inscriptionCoin: Coin
  seller: KeySpend
  /** Seller's proceeds before the network fee. */
  sellerReceiveSats: number
  payoutScript: Uint8Array
  marketplaceRevenueSats: number
  marketScript: Uint8Array
  royalty: TxOutput | null
  feeRateSatVb: number
  /** Dust limit of the payout. */
  leastPayoutSats: number
}

export interface Fill {
  fundingParent: Layout
  settlement: Layout
  packageVsize: number
  /** Fee of both transactions, paid by the seller. */
  feeSats: number
  payoutSats: number
}

/**
 * Builds the settlement of a fill. Inputs: the inscription's coin (seller), X (guardian and market). Outputs: the inscription at the same
 * value, payout, market, royalty. Version 3 like its parent. Throws `payout-too-small`.
 */
export function buildFill(terms: FillTerms): Fill {
  const fundingParent = buildFundingParent(terms.offer)
  const funding = transactionOf(fundingParent)
  const bid = { txid: txidOf(funding), vout: 0, ...funding.outputs[0]! }
  const { inscriptionCoin, seller, offer, marketplaceRevenueSats } = terms
  const layoutWith = (payoutSats: number): Layout => ({
    version: 3,
    inputs: [
      { role: 'inscription', coin: inscriptionCoin, signer: 'seller', spend: { by: 'key', ...seller } },
      { role: 'funding', coin: bid, signer: 'market', spend: { by: 'bid', ...bidOutputOf(offer) } },
    ],
    outputs: [
      { role: 'inscription', valueSats: inscriptionCoin.valueSats, script: offer.makerScript },
      ...sideOutputs({ ...terms, payoutSats }, marketplaceRevenueSats),
    ],
  })
  const packageVsize = signedVsizeOf(fundingParent) + signedVsizeOf(layoutWith(0))
  // Excess sats in X, which were too few for change, reduce the seller's fee.
  const neededSats = Math.max(feeOf(packageVsize, terms.feeRateSatVb) - (bid.valueSats - offer.priceSats), 0)
  const payoutSats = terms.sellerReceiveSats - neededSats
  if (payoutSats < terms.leastPayoutSats)
    throw new BitcoinError(
      'payout-too-small',
      'the network fee would leave the seller less than the minimum payout',
      {
        feeSats: neededSats,
      },
    )
  return { fundingParent, settlement: layoutWith(payoutSats), packageVsize, feeSats: neededSats, payoutSats }
}
