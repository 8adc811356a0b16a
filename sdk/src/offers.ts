import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { keysOf } from './keys.ts'
import type {
  BidsDeclined,
  CounterPurchaseResult,
  CounterResult,
  OfferAction,
  OfferResult,
  SaleResult,
} from './results.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submit } from './submitting.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'
import { type CounterAgreement, verifyCounter, verifyCounterAcceptance } from './verify/counter.ts'
import { escrowFormOf } from './verify/listing.ts'
import { type OfferAgreement, type SaleAgreement, verifyAcceptance, verifyOffers } from './verify/offer.ts'

type At = { id: string; offerId: string }

/** Prepares, verifies and signs an `offer` without submitting it. Also returns the cost per item. */
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

/**
 * Offers the same price on each of 1 to 20 inscriptions of a collection. Verifies before signing.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const limits = { maxFeeBps: 500, maxNetworkSats: 20_000 }
 * const items = [{ inscriptionId, coin }]
 * const { costsSats } = await offer(trader, 'harbour-lamps', { items, priceSats: 40_000, coins, ...limits }, 24)
 * ```
 */
export function offer(
  trader: Trader,
  slug: string,
  agreement: OfferAgreement,
  validityHours?: ValidityHours,
): Promise<OfferResult> {
  return submit(trader, 'submitCollectionOffer', prepareOffer(trader, slug, agreement, validityHours))
}

/** Cancels an offer or counter of the wallet. */
export function cancelOffer({ client, walletBindingId }: Trader, at: At): Promise<OfferAction> {
  return client.call('cancelOffer', { params: at, body: { walletBindingId } })
}

/** Declines an offer on an inscription of the wallet. */
export function rejectOffer({ client, walletBindingId }: Trader, at: At): Promise<OfferAction> {
  return client.call('rejectOffer', { params: at, body: { walletBindingId } })
}

/** Declines all collection and trait offers on an inscription of the wallet; `declined: false` allows them again. */
export function declineBids(
  { client, walletBindingId }: Trader,
  inscriptionId: string,
  declined = true,
): Promise<BidsDeclined> {
  return client.call('declineBids', { params: { id: inscriptionId }, body: { walletBindingId, declined } })
}

/** Declines a counter to an offer of the wallet. */
export function rejectCounter({ client, walletBindingId }: Trader, at: At): Promise<OfferAction> {
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

/**
 * Accepts an offer on an inscription of the wallet. Verifies before signing. Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const limits = { maxFeeBps: 500, maxNetworkSats: 20_000 }
 * const { payoutSats } = await acceptOffer(trader, offerId, { inscriptionId, priceSats, coin, ...limits })
 * ```
 */
export function acceptOffer(trader: Trader, offerId: string, agreement: SaleAgreement): Promise<SaleResult> {
  return submit(trader, 'submitOfferAcceptance', prepareAcceptance(trader, offerId, agreement))
}

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

/**
 * Counters an offer on an inscription of the wallet with another price. Verifies before signing.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const limits = { maxFeeBps: 500, maxNetworkSats: 20_000 }
 * await counter(trader, offerId, { inscriptionId, priceSats: 60_000, coin, ...limits })
 * ```
 */
export function counter(
  trader: Trader,
  offerId: string,
  agreement: SaleAgreement,
  validityHours?: ValidityHours,
): Promise<CounterResult> {
  return submit(trader, 'submitCounterOffer', prepareCounter(trader, offerId, agreement, validityHours))
}

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

/**
 * Accepts a counter to an offer of the wallet. Verifies before signing. Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * const limits = { maxFeeBps: 500, maxNetworkSats: 20_000 }
 * const { costSats } = await acceptCounter(trader, offerId, { inscriptionId, priceSats: 60_000, coin, coins, ...limits })
 * ```
 */
export function acceptCounter(
  trader: Trader,
  offerId: string,
  agreement: CounterAgreement,
): Promise<CounterPurchaseResult> {
  return submit(trader, 'submitCounterOfferAcceptance', prepareCounterAcceptance(trader, offerId, agreement))
}

export const assertSameOffer = (answer: { offerId: string } | null, offerId: string) =>
  assert(
    String(answer?.offerId).toLowerCase() === offerId.toLowerCase(),
    'the market prepared a different offer',
  )
