import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { keysOf } from './keys.ts'
import type { Answer } from './operations.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submitting } from './submitting.ts'
import type { Trader } from './trader.ts'
import { type CounterAgreement, verifyCounter, verifyCounterAcceptance } from './verify/counter.ts'
import { demand } from './verify/demand.ts'
import { escrowFormOf } from './verify/listing.ts'
import { type OfferAgreement, type SaleAgreement, verifyAcceptance, verifyOffers } from './verify/offer.ts'

/** Bids: preflight, verify, sign, submit. Everything is verified before signing; `prepare…` functions do not submit. */
type At = { id: string; offerId: string }

/** Prepares and verifies offers without submitting them. Also returns what would leave the coins for each item. */
export async function prepareOffer(
  trader: Trader,
  slug: string,
  agreement: OfferAgreement,
  validityHours?: ValidityHours,
): Promise<Prepared<'submitCollectionOffer', 'preflightCollectionOffer'> & { costsSats: number[] }> {
  const { client, wallet, walletBindingId } = trader
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    inscriptionIds: agreement.items.map((item) => item.inscriptionId),
    priceSats: agreement.priceSats,
    ...(validityHours ? { validityHours } : {}),
    spendableUtxos: agreement.coins.map(plain),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightCollectionOffer', { params: { slug }, body: request })
  const plan = verifyOffers(wallet, keys, agreement, answer)
  const signed = await signPlan(wallet, plan)
  const signedItems = answer.items.map(({ inscriptionId, expectedSettlementTxid, steps }, i) => ({
    inscriptionId,
    expectedSettlementTxid,
    signedSteps: withSigned(steps, [signed[i]!]),
  }))
  const { selectedPaymentUtxos } = answer
  return {
    params: { slug },
    body: { ...request, selectedPaymentUtxos, signedItems },
    answer,
    costsSats: plan.costsSats,
  }
}

/** Offers one price on each of 1 to 20 inscriptions of a collection. */
export const offer = submitting('submitCollectionOffer', prepareOffer)

/** Cancels an own offer or counter. */
export function cancelOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'cancelOffer'>> {
  return client.call('cancelOffer', { params: at, body: { walletBindingId } })
}

/** Declines an offer on an own inscription. */
export function rejectOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'rejectOffer'>> {
  return client.call('rejectOffer', { params: at, body: { walletBindingId } })
}

/** Turns all collection and trait offers on an own inscription off; `declined: false` turns them on again. */
export function declineBids(
  { client, walletBindingId }: Trader,
  inscriptionId: string,
  declined = true,
): Promise<Answer<'declineBids'>> {
  return client.call('declineBids', { params: { id: inscriptionId }, body: { walletBindingId, declined } })
}

/** Declines a counter to an own offer. */
export function rejectCounter(
  { client, walletBindingId }: Trader,
  at: At,
): Promise<Answer<'rejectCounterOffer'>> {
  return client.call('rejectCounterOffer', { params: at, body: { walletBindingId } })
}

/** Everything of `acceptOffer` but the submit. */
export async function prepareAcceptance(
  { client, wallet, walletBindingId }: Trader,
  offerId: string,
  agreement: SaleAgreement,
): Promise<Prepared<'submitOfferAcceptance', 'preflightOfferAcceptance'> & { payoutSats: number }> {
  const params = { id: agreement.inscriptionId, offerId }
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const answer = await client.call('preflightOfferAcceptance', { params, body: request })
  demandSame(answer, offerId)
  const plan = verifyAcceptance(wallet, agreement, answer)
  const { payoutSats } = plan
  const { targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return {
    params,
    body: { ...request, targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid, signedSteps },
    answer,
    payoutSats,
  }
}

/** Accepts an offer on an own inscription. Returns the market's response and the seller's proceeds. */
export const acceptOffer = submitting('submitOfferAcceptance', prepareAcceptance)

/** Everything of `counter` but the submit. */
export async function prepareCounter(
  trader: Trader,
  offerId: string,
  agreement: SaleAgreement,
  validityHours?: ValidityHours,
): Promise<Prepared<'submitCounterOffer', 'preflightCounterOffer'>> {
  const { client, wallet, walletBindingId, escrowForm = escrowFormOf(trader.wallet) } = trader
  const keys = await keysOf(trader)
  const params = { id: agreement.inscriptionId, offerId }
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    escrowForm,
    priceSats: agreement.priceSats,
    ...(validityHours ? { validityHours } : {}),
  }
  const answer = await client.call('preflightCounterOffer', { params, body: request })
  const plan = verifyCounter(wallet, keys, agreement, answer, escrowForm)
  const { anchorUtxoId, expectedTransferTxid, expectedSettlementTxid } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return {
    params,
    body: { ...request, anchorUtxoId, expectedTransferTxid, expectedSettlementTxid, signedSteps },
    answer,
  }
}

/** Replies to an offer on an own inscription with another price. */
export const counter = submitting('submitCounterOffer', prepareCounter)

/** Everything of `acceptCounter` but the submit. */
export async function prepareCounterAcceptance(
  trader: Trader,
  offerId: string,
  agreement: CounterAgreement,
): Promise<
  Prepared<'submitCounterOfferAcceptance', 'preflightCounterOfferAcceptance'> & { costSats: number }
> {
  const { client, wallet, walletBindingId } = trader
  const keys = await keysOf(trader)
  const params = { id: agreement.inscriptionId, offerId }
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    spendableUtxos: agreement.coins.map(plain),
  }
  const answer = await client.call('preflightCounterOfferAcceptance', { params, body: request })
  demandSame(answer, offerId)
  const plan = verifyCounterAcceptance(wallet, keys, agreement, answer)
  const { costSats } = plan
  const { selectedPaymentUtxos, expectedFundingTxid, expectedSettlementTxid } = answer
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  return {
    params,
    body: { ...request, selectedPaymentUtxos, expectedFundingTxid, expectedSettlementTxid, signedSteps },
    answer,
    costSats,
  }
}

/** Accepts a counter to an own offer. Returns the market's response and the amount that left the buyer's coins. */
export const acceptCounter = submitting('submitCounterOfferAcceptance', prepareCounterAcceptance)

/** Checks that the response is about the requested offer. */
export const demandSame = (answer: { offerId: string } | null, asked: string) =>
  demand(
    String(answer?.offerId).toLowerCase() === asked.toLowerCase(),
    'the market prepared another offer than was agreed',
  )
