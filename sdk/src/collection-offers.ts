import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { BelowTopOffer } from './errors.ts'
import { keysOf } from './keys.ts'
import { assertSameOffer } from './offers.ts'
import type { Body } from './operations.ts'
import type { BidCancelled, BidResult, FillResult, KeptOffer } from './results.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submit } from './submitting.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'
import { type BidAgreement, verifyBids, verifyFillPreflight } from './verify/collection-offer.ts'
import type { SaleAgreement } from './verify/offer.ts'

/** Prepares, verifies and signs a `bid` without submitting it. */
export async function prepareBid(
  trader: Trader,
  slug: string,
  agreement: BidAgreement,
  validityHours?: ValidityHours,
): Promise<Prepared<'submitCollectionWideOffer', 'preflightCollectionWideOffer'> & { kept: KeptOffer[] }> {
  const { client, wallet, walletBindingId } = trader
  const { offerCount, ladderStepSats, priceSats } = agreement
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    paymentPublicKey: wallet.paymentPublicKey,
    target: agreement.target as Body<'preflightCollectionWideOffer'>['target'],
    priceSats,
    ...(offerCount ? { offerCount } : {}),
    ...(ladderStepSats ? { ladderStepSats } : {}),
    ...(validityHours ? { validityHours } : {}),
    spendableUtxos: agreement.coins.map(plain),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightCollectionWideOffer', { params: { slug }, body: request })
  const signed = await signPlan(wallet, verifyBids(wallet, keys, slug, agreement, answer))
  const offers = answer.offers.map((offer, k) => {
    const { expectedFundingParentTxid, fundingParentVout, preflightToken, selectedPaymentUtxos } = offer
    return {
      priceSats: offer.priceSats,
      selectedPaymentUtxos,
      expectedFundingParentTxid,
      fundingParentVout,
      preflightToken,
      signedFundingParentStep: { ...offer.fundingParentStep, psbtBase64: signed[k]! },
    }
  })
  const { offerCriteriaHash, eligibleRoot, buyerReceiveScriptHex } = answer
  const kept = offers.map(({ expectedFundingParentTxid: fundingParentTxid, priceSats }) => ({
    offerCriteriaHash,
    eligibleRoot,
    buyerReceiveScriptHex,
    fundingParentTxid,
    priceSats,
  }))
  return { params: { slug }, body: { ...request, offers }, answer, kept }
}

/**
 * Makes offers on any inscription of a collection, or on any with a trait. Verifies before signing.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * await bid(trader, 'harbour-lamps', { target: { kind: 'all' }, priceSats: 30_000, offerCount: 3, coins }, 24)
 * ```
 */
export function bid(
  trader: Trader,
  slug: string,
  agreement: BidAgreement,
  validityHours?: ValidityHours,
): Promise<BidResult> {
  return submit(trader, 'submitCollectionWideOffer', prepareBid(trader, slug, agreement, validityHours))
}

/** Cancels a collection or trait offer of the wallet. */
export function cancelBid(
  { client, walletBindingId }: Trader,
  slug: string,
  offerId: string,
): Promise<BidCancelled> {
  return client.call('cancelCollectionWideOffer', { params: { slug, offerId }, body: { walletBindingId } })
}

/** Terms of a seller for a collection or trait offer. */
export interface FillAgreement extends SaleAgreement {
  /** Allows a sale below a better offer: true for any offer, or the id of an offer that the seller has seen. */
  evenBelowTopOffer?: boolean | string
}

/** Prepares, verifies and signs a `fill` without submitting it. */
export async function prepareFill(
  trader: Trader,
  slug: string,
  offerId: string,
  agreement: FillAgreement,
): Promise<Prepared<'submitCollectionOfferFill', 'preflightCollectionOfferFill'> & { payoutSats: number }> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const params = { slug, offerId }
  const { inscriptionId, evenBelowTopOffer } = agreement
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey, offerId, inscriptionId }
  const answer = await client.call('preflightCollectionOfferFill', { params, body: request })
  assertSameOffer(answer, offerId)
  const { belowTopOfferWarning } = answer
  const topOfferId = belowTopOfferWarning?.topOffer.offerId
  assert(
    topOfferId === undefined || evenBelowTopOffer === true || evenBelowTopOffer === topOfferId,
    new BelowTopOffer(topOfferId ?? ''),
  )
  const plan = verifyFillPreflight(wallet, keys, agreement, answer)
  const { payoutSats } = plan
  const [signedSellerStep] = withSigned([answer.sellerStep], await signPlan(wallet, plan))
  const { targetFeeRateSatVb, expectedSettlementTxid, admissionAnchorUtxoId } = answer
  return {
    params,
    body: {
      ...request,
      ...(belowTopOfferWarning ? { belowTopOfferConfirmation: belowTopOfferWarning } : {}),
      targetFeeRateSatVb,
      expectedSettlementTxid,
      admissionAnchorUtxoId,
      signedSellerStep: signedSellerStep!,
    },
    answer,
    payoutSats,
  }
}

/**
 * Sells an inscription to a collection or trait offer. Throws CheckFailed (BelowTopOffer if another offer pays more) and ApiError.
 *
 * ```ts
 * const limits = { maxFeeBps: 500, maxNetworkSats: 20_000 }
 * const { payoutSats } = await fill(trader, 'harbour-lamps', offerId, { inscriptionId, priceSats, coin, ...limits })
 * ```
 */
export function fill(
  trader: Trader,
  slug: string,
  offerId: string,
  agreement: FillAgreement,
): Promise<FillResult> {
  return submit(trader, 'submitCollectionOfferFill', prepareFill(trader, slug, offerId, agreement))
}
