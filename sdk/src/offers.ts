import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { keysOf } from './keys.ts'
import type { Answer } from './operations.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submitting } from './submitting.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'
import { type CounterAgreement, verifyCounter, verifyCounterAcceptance } from './verify/counter.ts'
import { escrowFormOf } from './verify/listing.ts'
import { type OfferAgreement, type SaleAgreement, verifyAcceptance, verifyOffers } from './verify/offer.ts'

type At = { id: string; offerId: string }

/** Prepares, verifies and signs an `offer` without submitting it. Also returns the cost of each item. */
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

/** Offers the same price on each of 1 to 20 inscriptions of a collection. */
export const offer = submitting('submitCollectionOffer', prepareOffer)

/** Cancels an offer or counter of the wallet. */
export function cancelOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'cancelOffer'>> {
  return client.call('cancelOffer', { params: at, body: { walletBindingId } })
}

/** Declines an offer on an inscription of the wallet. */
export function rejectOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'rejectOffer'>> {
  return client.call('rejectOffer', { params: at, body: { walletBindingId } })
}

/** Declines all collection and trait offers on an inscription of the wallet; `declined: false` allows them again. */
export function declineBids(
  { client, walletBindingId }: Trader,
  inscriptionId: string,
  declined = true,
): Promise<Answer<'declineBids'>> {
  return client.call('declineBids', { params: { id: inscriptionId }, body: { walletBindingId, declined } })
}

/** Declines a counter to an offer of the wallet. */
export function rejectCounter(
  { client, walletBindingId }: Trader,
  at: At,
): Promise<Answer<'rejectCounterOffer'>> {
  return client.call('rejectCounterOffer', { params: at, body: { walletBindingId } })
}

/** Prepares, verifies and signs an `acceptOffer` without submitting it. */
export async function prepareAcceptance(
  { client, wallet, walletBindingId }: Trader,
  offerId: string,
  agreement: SaleAgreement,
): Promise<Prepared<'submitOfferAcceptance', 'preflightOfferAcceptance'> & { payoutSats: number }> {
  const params = { id: agreement.inscriptionId, offerId }
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const answer = await client.call('preflightOfferAcceptance', { params, body: request })
  assertSameOffer(answer, offerId)
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

/** Accepts an offer on an inscription of the wallet. Returns the market's response and the seller's proceeds. */
export const acceptOffer = submitting('submitOfferAcceptance', prepareAcceptance)

/** Prepares, verifies and signs a `counter` without submitting it. */
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

/** Counters an offer on an inscription of the wallet with another price. */
export const counter = submitting('submitCounterOffer', prepareCounter)

/** Prepares, verifies and signs an `acceptCounter` without submitting it. */
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
  assertSameOffer(answer, offerId)
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

/** Accepts a counter to an offer of the wallet. Returns the market's response and the total cost. */
export const acceptCounter = submitting('submitCounterOfferAcceptance', prepareCounterAcceptance)

export const assertSameOffer = (answer: { offerId: string } | null, offerId: string) =>
  assert(
    String(answer?.offerId).toLowerCase() === offerId.toLowerCase(),
    'the market prepared a different offer',
  )
