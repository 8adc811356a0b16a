import { type BidAgreement, checkBids, checkFill } from './check-collection-offers.ts'
import type { SaleAgreement } from './check-offers.ts'
import type { Hours } from './offers.ts'
import type { Answer, Body } from './operations.ts'
import { keysOf, plain, signed } from './signing.ts'
import type { Trader } from './trade.ts'

/** Offers on any inscription of a collection or a trait. */
export async function bid(
  trader: Trader,
  slug: string,
  agreement: BidAgreement,
  validityHours?: Hours,
): Promise<Answer<'submitCollectionWideOffer'>> {
  const { body } = await prepareBid(trader, slug, agreement, validityHours)
  return trader.client.call('submitCollectionWideOffer', { params: { slug }, body })
}

/** Everything of `bid` but the submit. */
export async function prepareBid(
  trader: Trader,
  slug: string,
  agreement: BidAgreement,
  validityHours?: Hours,
): Promise<{ body: Body<'submitCollectionWideOffer'>; answer: Answer<'preflightCollectionWideOffer'> }> {
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
  const answer = await client.call('preflightCollectionWideOffer', { params: { slug }, body: request })
  checkBids(wallet, slug, agreement, answer, await keysOf(trader))
  const offers = []
  for (const each of answer.offers) {
    const { expectedFundingParentTxid, fundingParentVout, preflightToken, selectedPaymentUtxos } = each
    offers.push({
      priceSats: each.priceSats,
      selectedPaymentUtxos,
      expectedFundingParentTxid,
      fundingParentVout,
      preflightToken,
      signedFundingParentStep: await signed(wallet, each.fundingParentStep),
    })
  }
  return { body: { ...request, offers }, answer }
}

/** Takes an own collection-wide or trait offer back. */
export function cancelBid(
  { client, walletBindingId }: Trader,
  slug: string,
  offerId: string,
): Promise<Answer<'cancelCollectionWideOffer'>> {
  return client.call('cancelCollectionWideOffer', { params: { slug, offerId }, body: { walletBindingId } })
}

/** Sells an own inscription into a collection-wide or trait offer. Gives the market's answer and what the seller is paid. */
export async function fill(
  trader: Trader,
  slug: string,
  offerId: string,
  agreement: SaleAgreement & { evenBelowTopOffer?: boolean },
): Promise<Answer<'submitCollectionOfferFill'> & { payoutSats: number }> {
  const { body, payoutSats } = await prepareFill(trader, slug, offerId, agreement)
  const params = { slug, offerId }
  return { ...(await trader.client.call('submitCollectionOfferFill', { params, body })), payoutSats }
}

/** Everything of `fill` but the submit. */
export async function prepareFill(
  { client, wallet, walletBindingId }: Trader,
  slug: string,
  offerId: string,
  agreement: SaleAgreement & { evenBelowTopOffer?: boolean },
): Promise<{
  body: Body<'submitCollectionOfferFill'>
  answer: Answer<'preflightCollectionOfferFill'>
  payoutSats: number
}> {
  const params = { slug, offerId }
  const { inscriptionId, evenBelowTopOffer } = agreement
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey, offerId, inscriptionId }
  const answer = await client.call('preflightCollectionOfferFill', { params, body: request })
  const payoutSats = checkFill(wallet, agreement, answer)
  const { targetFeeRateSatVb, expectedSettlementTxid, admissionAnchorUtxoId, belowTopOfferWarning } = answer
  return {
    body: {
      ...request,
      ...(evenBelowTopOffer && belowTopOfferWarning
        ? { belowTopOfferConfirmation: belowTopOfferWarning }
        : {}),
      targetFeeRateSatVb,
      expectedSettlementTxid,
      admissionAnchorUtxoId,
      signedSellerStep: await signed(wallet, answer.sellerStep),
    },
    answer,
    payoutSats,
  }
}
