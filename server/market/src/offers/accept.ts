import { randomUUID } from 'node:crypto'
import { dustLimitOf, type KeySpend, keySpendOf, kindOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import { changeOf, keySigned, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildOffer, buildPayoutLift, type OfferTerms } from '@ordbook/bitcoin/trade/offer.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type {
  preflightOfferAcceptance as preflightOperation,
  submitOfferAcceptance as submitOperation,
} from '@ordbook/contract/offers.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { lockListing } from '../listings/lock.ts'
import { sellerOf } from '../listings/owner.ts'
import { describeCarries } from '../preflight/other-contents.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import { acceptanceRate } from '../settlements/bid-economics.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { refuseRevoked } from '../settlements/revocations.ts'
import type { Sent } from '../settlements/sent.ts'
import type { UseCase } from '../use-case.ts'
import { assertActive, offeredTo } from './act.ts'
import { moveOffer } from './lifecycle.ts'
import { CHAINING } from './plan.ts'
import { findOffer, type OfferRow, setSettlement } from './queries.ts'
import { offerSettlementKinds } from './settlement-kind.ts'

/**
 * The owner accepts an offer by signing the settlement that the buyer signed when offering. The server stores nothing between
 * preflight and submit: both build it from the offer and a fee rate, so the seller may submit at another rate.
 */
export const preflightAcceptance: UseCase<typeof preflightOperation> = async (context, call) => {
  const { body: input } = call
  const { offer, binding } = await offeredTo(context, call)
  assertActive(context, offer)
  const estimate = await settlementFeeRate(context)
  const targetFeeRateSatVb = acceptanceRate(estimate)
  const acceptance = buildAcceptance(offer, binding, input.ordinalsPublicKey, targetFeeRateSatVb)
  await assertSpendable(context, acceptance.terms)
  return {
    offerId: offer.offerId,
    targetFeeRateSatVb,
    estimatedNetworkFeeSats: acceptance.liftFeeSats,
    expectedSettlementTxid: acceptance.settlementTxid,
    expectedPayoutTxid: acceptance.payoutTxid,
    steps: describeSteps(context, acceptance.steps),
    ...(await describeCarries(context, [
      { inscriptionId: offer.inscriptionId, coin: acceptance.terms.inscriptionCoin },
    ])),
  }
}

export const submitAcceptance: UseCase<typeof submitOperation, SettlingContext> = async (context, call) => {
  const { body: input } = call
  const { offer, binding } = await offeredTo(context, call)
  const acceptance = buildAcceptance(offer, binding, input.ordinalsPublicKey, input.targetFeeRateSatVb)
  const { settlementTxid, payoutTxid } = acceptance
  if (input.expectedSettlementTxid !== settlementTxid)
    throw conflict(
      'settlement-mismatched',
      'expectedSettlementTxid is not the settlement of this offer: prepare the acceptance again',
    )
  if (input.expectedPayoutTxid !== payoutTxid)
    throw conflict(
      'settlement-mismatched',
      'expectedPayoutTxid is not the payout at this targetFeeRateSatVb: prepare the acceptance again',
    )
  const signatures = await signaturesOf(input.signedSteps, acceptance.steps)
  const settlementId =
    offer.state === 'accepting' || offer.state === 'accepted'
      ? offer.settlementId!
      : await writeDown(context, offer, acceptance, signatures, binding.walletBindingId)
  await broadcastSettlement(context, settlementId)
  // An earlier submit may have chosen another rate.
  const accepted = (await findOffer(context.sql, offer.offerId))!
  if (accepted.payoutTxid !== payoutTxid)
    throw conflict('settlement-mismatched', 'This offer was accepted at another fee rate')
  return { offerId: offer.offerId, settlementTxid, payoutTxid, status: 'accepted' }
}

/** Checks everything again, locks offer and listing, and stores the package: the intent to send it. */
async function writeDown(
  context: Context,
  offer: OfferRow,
  acceptance: Acceptance,
  signatures: Uint8Array[][],
  causedBy: string,
): Promise<string> {
  const { sql, clock } = context
  const { terms, built, lift, settlementTxid, payoutTxid } = acceptance
  assertActive(context, offer)
  await refuseRevoked(context, [offer.offerId])
  checkSettlement(built.settlement, {
    inscriptionInputs: positionsOf(built.settlement.inputs, 'inscription'),
    ownerScript: offer.buyerScript,
    feeSats: built.feeSats,
  })
  await assertSpendable(context, terms)
  const settlement = keySigned(built.settlement, [
    signatures[0]![0]!,
    ...unpack<Uint8Array[]>(offer.signatures),
  ])
  const transactions: Sent[] = [
    { txid: settlementTxid, hex: hexOfTransaction(settlement), feeSats: built.feeSats },
    ...(lift
      ? [
          {
            txid: payoutTxid!,
            hex: hexOfTransaction(keySigned(lift.layout, signatures[1]!)),
            feeSats: lift.feeSats,
          },
        ]
      : []),
  ]
  const settlementId = randomUUID()
  return inTransaction(sql, async (tx) => {
    const why = { reason: `an offer is accepted in ${settlementTxid}`, now: clock() }
    const moved = await moveOffer(tx, offer.offerId, 'accepting', why)
    if (!moved) {
      const now = await findOffer(tx, offer.offerId)
      if (now?.state === 'accepting' || now?.state === 'accepted') return now.settlementId!
      throw conflict('offer-not-active', 'This offer is no longer active')
    }
    await lockListing(tx, offer.inscriptionId, why)
    if (!(await claimCoins(tx, settlementId, [terms.inscriptionCoin, ...terms.payments])))
      throw conflict('coin-spent', 'A coin of this offer is being spent by another trade')
    await setSettlement(tx, offer.offerId, { settlementId, settlementTxid, payoutTxid })
    await insertSettlement(tx, {
      settlementId,
      kind: offerSettlementKinds[offer.kind].name,
      settlementTxid,
      inscriptionIds: [offer.inscriptionId],
      causedBy,
      refundSats: 0,
      change: changeOf(built.settlement),
      transactions,
    })
    return settlementId
  })
}

type Acceptance = ReturnType<typeof buildAcceptance>

/** The settlement of an acceptance at a fee rate, the seller's child that may lift it, and their steps. */
export function buildAcceptance(
  offer: OfferRow,
  binding: BindingRow,
  ordinalsPublicKey: string,
  feeRateSatVb: number,
) {
  const seller = sellerOf(binding, ordinalsPublicKey)
  const terms: OfferTerms = { ...unpack<OfferTerms>(offer.terms), seller }
  const built = buildOffer(terms)
  const settlementTxid = txidOf(transactionOf(built.settlement))
  const paid = equalBytes(terms.payoutScript, binding.ordinalsScript)
    ? seller
    : payoutKeyOf(terms.payoutScript, binding)
  const lift =
    paid &&
    toFault(
      () =>
        buildPayoutLift(
          { txid: settlementTxid, layout: built.settlement, vsize: built.vsize, feeSats: built.feeSats },
          paid,
          { feeRateSatVb, leastSats: dustLimitOf(terms.payoutScript) },
        ),
      'targetFeeRateSatVb',
    )
  const steps: Step[] = [
    {
      layout: built.settlement,
      indexes: positionsOf(built.settlement.inputs, 'inscription'),
      sighash: SIGHASH.DEFAULT,
      signerScript: binding.ordinalsScript,
      publicKey: ordinalsPublicKey,
    },
  ]
  if (lift)
    steps.push({
      layout: lift.layout,
      indexes: [0],
      signerScript: terms.payoutScript,
      ...(paid.kind === 'p2tr' && !paid.internalKey
        ? {}
        : {
            publicKey: equalBytes(terms.payoutScript, binding.ordinalsScript)
              ? ordinalsPublicKey
              : bytesToHex(paid.internalKey ?? paid.publicKey),
          }),
    })
  return {
    terms,
    built,
    lift,
    liftFeeSats: lift?.feeSats ?? 0,
    settlementTxid,
    payoutTxid: lift ? txidOf(transactionOf(lift.layout)) : null,
    steps,
  }
}

/** The seller's key spend of the payout; null until the market has seen the key of that address. */
function payoutKeyOf(payoutScript: Uint8Array, binding: BindingRow): KeySpend | null {
  if (kindOfScript(payoutScript) === 'p2tr') return keySpendOf(payoutScript, payoutScript.slice(2))
  const known = equalBytes(payoutScript, binding.paymentScript) ? binding.paymentKey : null
  return known && keySpendOf(payoutScript, known)
}

async function assertSpendable(context: Context, { inscriptionCoin, payments }: OfferTerms): Promise<void> {
  await assertConfirmedCoins(context, [inscriptionCoin])
  await assertConfirmedCoins(context, payments, CHAINING)
}
