import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { type BidAgreement, checkBids, checkFill } from './check-collection-offers.ts'
import {
  type CounterAgreement,
  checkAcceptance,
  checkCounter,
  checkCounterAcceptance,
  checkOffers,
  type OfferAgreement,
  type SaleAgreement,
} from './check-offers.ts'
import type { Answer, Body } from './operations.ts'
import type { Trader } from './trade.ts'
import type { InputToSign, Wallet } from './wallet.ts'

/** Bids: preflight, check, sign, submit. Everything is checked before it is signed; `prepare…` leaves the submit out. */
type Hours = 6 | 12 | 24 | 168 | 720 | 2160
type At = { id: string; offerId: string }

async function signed<S extends { psbtBase64: string; inputsToSign: InputToSign[] }>(
  wallet: Wallet,
  step: S,
): Promise<S> {
  return { ...step, psbtBase64: await wallet.signPsbt(step.psbtBase64, step.inputsToSign) }
}

async function allSigned<S extends { psbtBase64: string; inputsToSign: InputToSign[] }>(
  wallet: Wallet,
  steps: readonly S[],
): Promise<S[]> {
  const done: S[] = []
  for (const step of steps) done.push(await signed(wallet, step))
  return done
}

const plain = ({ txid, vout, valueSats }: { txid: string; vout: number; valueSats: number }) => ({
  txid,
  vout,
  valueSats,
})

/** The market's keys, asked once and held to from then on. */
async function keysOf(trader: Trader): Promise<{ cosignKey: string; guardianKey: string }> {
  if (!trader.cosignKey || !trader.guardianKey) {
    const keys = await trader.client.call('getMarketKeys')
    trader.cosignKey ??= keys.cosignKey
    trader.guardianKey ??= keys.guardianKey
  }
  return { cosignKey: trader.cosignKey, guardianKey: trader.guardianKey }
}

/** Offers one price on each of 1 to 20 inscriptions of a collection. */
export async function offer(
  trader: Trader,
  slug: string,
  agreement: OfferAgreement,
  validityHours?: Hours,
): Promise<Answer<'submitCollectionOffer'>> {
  const { body } = await prepareOffer(trader, slug, agreement, validityHours)
  return trader.client.call('submitCollectionOffer', { params: { slug }, body })
}

/** Everything of `offer` but the submit; with what would leave the coins for each item. */
export async function prepareOffer(
  { client, wallet, walletBindingId }: Trader,
  slug: string,
  agreement: OfferAgreement,
  validityHours?: Hours,
): Promise<{
  body: Body<'submitCollectionOffer'>
  answer: Answer<'preflightCollectionOffer'>
  costsSats: number[]
}> {
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    inscriptionIds: agreement.items.map((item) => item.inscriptionId),
    priceSats: agreement.priceSats,
    ...(validityHours ? { validityHours } : {}),
    spendableUtxos: agreement.coins.map(plain),
  }
  const answer = await client.call('preflightCollectionOffer', { params: { slug }, body: request })
  const costsSats = checkOffers(wallet, agreement, answer)
  const signedItems = []
  for (const { inscriptionId, expectedSettlementTxid, steps } of answer.items)
    signedItems.push({ inscriptionId, expectedSettlementTxid, signedSteps: await allSigned(wallet, steps) })
  const { selectedPaymentUtxos } = answer
  return { body: { ...request, selectedPaymentUtxos, signedItems }, answer, costsSats }
}

/** Takes an own offer or counter back. */
export function cancelOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'cancelOffer'>> {
  return client.call('cancelOffer', { params: at, body: { walletBindingId } })
}

/** Declines an offer on an own inscription. */
export function rejectOffer({ client, walletBindingId }: Trader, at: At): Promise<Answer<'rejectOffer'>> {
  return client.call('rejectOffer', { params: at, body: { walletBindingId } })
}

/** Declines a counter to an own offer. */
export function rejectCounter(
  { client, walletBindingId }: Trader,
  at: At,
): Promise<Answer<'rejectCounterOffer'>> {
  return client.call('rejectCounterOffer', { params: at, body: { walletBindingId } })
}

/** Accepts an offer on an own inscription. Gives the market's answer and what the seller is paid in the end. */
export async function acceptOffer(
  trader: Trader,
  offerId: string,
  agreement: SaleAgreement,
): Promise<Answer<'submitOfferAcceptance'> & { payoutSats: number }> {
  const { body, payoutSats } = await prepareAcceptance(trader, offerId, agreement)
  const params = { id: agreement.inscriptionId, offerId }
  return { ...(await trader.client.call('submitOfferAcceptance', { params, body })), payoutSats }
}

/** Everything of `acceptOffer` but the submit. */
export async function prepareAcceptance(
  { client, wallet, walletBindingId }: Trader,
  offerId: string,
  agreement: SaleAgreement,
): Promise<{
  body: Body<'submitOfferAcceptance'>
  answer: Answer<'preflightOfferAcceptance'>
  payoutSats: number
}> {
  const params = { id: agreement.inscriptionId, offerId }
  const request = { walletBindingId, ordinalsPublicKey: wallet.ordinalsPublicKey }
  const answer = await client.call('preflightOfferAcceptance', { params, body: request })
  const payoutSats = checkAcceptance(wallet, agreement, answer)
  const { targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid } = answer
  const signedSteps = await allSigned(wallet, answer.steps)
  return {
    body: { ...request, targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid, signedSteps },
    answer,
    payoutSats,
  }
}

/** Answers an offer on an own inscription with a price of one's own. */
export async function counter(
  trader: Trader,
  offerId: string,
  agreement: SaleAgreement,
  validityHours?: Hours,
): Promise<Answer<'submitCounterOffer'>> {
  const { body } = await prepareCounter(trader, offerId, agreement, validityHours)
  const params = { id: agreement.inscriptionId, offerId }
  return trader.client.call('submitCounterOffer', { params, body })
}

/** Everything of `counter` but the submit. */
export async function prepareCounter(
  trader: Trader,
  offerId: string,
  agreement: SaleAgreement,
  validityHours?: Hours,
): Promise<{ body: Body<'submitCounterOffer'>; answer: Answer<'preflightCounterOffer'> }> {
  const { client, wallet, walletBindingId } = trader
  const { cosignKey } = await keysOf(trader)
  const params = { id: agreement.inscriptionId, offerId }
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    priceSats: agreement.priceSats,
    ...(validityHours ? { validityHours } : {}),
  }
  const answer = await client.call('preflightCounterOffer', { params, body: request })
  checkCounter(wallet, agreement, answer, { cosignKey: hexToBytes(cosignKey) })
  const { anchorUtxoId, expectedTransferTxid, expectedSettlementTxid } = answer
  const signedSteps = await allSigned(wallet, answer.steps)
  return {
    body: { ...request, anchorUtxoId, expectedTransferTxid, expectedSettlementTxid, signedSteps },
    answer,
  }
}

/** Accepts a counter to an own offer. Gives the market's answer and what left the buyer's coins. */
export async function acceptCounter(
  trader: Trader,
  offerId: string,
  agreement: CounterAgreement,
): Promise<Answer<'submitCounterOfferAcceptance'> & { costSats: number }> {
  const { body, costSats } = await prepareCounterAcceptance(trader, offerId, agreement)
  const params = { id: agreement.inscriptionId, offerId }
  return { ...(await trader.client.call('submitCounterOfferAcceptance', { params, body })), costSats }
}

/** Everything of `acceptCounter` but the submit. */
export async function prepareCounterAcceptance(
  { client, wallet, walletBindingId }: Trader,
  offerId: string,
  agreement: CounterAgreement,
): Promise<{
  body: Body<'submitCounterOfferAcceptance'>
  answer: Answer<'preflightCounterOfferAcceptance'>
  costSats: number
}> {
  const params = { id: agreement.inscriptionId, offerId }
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    spendableUtxos: agreement.coins.map(plain),
  }
  const answer = await client.call('preflightCounterOfferAcceptance', { params, body: request })
  const costSats = checkCounterAcceptance(wallet, agreement, answer)
  const { selectedPaymentUtxos, expectedFundingTxid, expectedSettlementTxid } = answer
  const signedSteps = await allSigned(wallet, answer.steps)
  return {
    body: { ...request, selectedPaymentUtxos, expectedFundingTxid, expectedSettlementTxid, signedSteps },
    answer,
    costSats,
  }
}

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
