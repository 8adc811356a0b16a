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
import { describeOtherContents } from '../preflight/other-contents.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import { acceptanceRate } from '../settlements/bid-economics.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { rejectRevoked } from '../settlements/revocations.ts'
import type { Sent } from '../settlements/sent.ts'
import type { UseCase } from '../use-case.ts'
import { assertActive, offeredTo } from './act.ts'
import { moveOffer } from './lifecycle.ts'
import { CHAINING } from './plan.ts'
import { findOffer, type OfferRow, setSettlement } from './queries.ts'
import { offerSettlementKinds } from './settlement-kind.ts'

/**
 * Acceptances of offers. The owner signs the settlement that the buyer signed with the offer. No preflight is stored: the submit rebuilds
 * the settlement, possibly at another fee rate.
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
    ...(await describeOtherContents(context, [
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
      'expectedSettlementTxid differs from the settlement of this offer. Request a new preflight.',
    )
  if (input.expectedPayoutTxid !== payoutTxid)
    throw conflict(
      'settlement-mismatched',
      'expectedPayoutTxid differs from the payout at this targetFeeRateSatVb. Request a new preflight.',
    )
  const signatures = await signaturesOf(input.signedSteps, acceptance.steps)
  const settlementId =
    offer.state === 'accepting' || offer.state === 'accepted'
      ? offer.settlementId!
      : await storeAcceptance(context, offer, acceptance, signatures, binding.walletBindingId)
  await broadcastSettlement(context, settlementId)
  const accepted = (await findOffer(context.sql, offer.offerId))!
  if (accepted.payoutTxid !== payoutTxid)
    throw conflict('settlement-mismatched', 'This offer was already accepted at another fee rate.')
  return { offerId: offer.offerId, settlementTxid, payoutTxid, status: 'accepted' }
}

/** Repeats the checks, takes locks and stores the package before it is broadcast. */
async function storeAcceptance(
  context: Context,
  offer: OfferRow,
  acceptance: Acceptance,
  signatures: Uint8Array[][],
  causedBy: string,
): Promise<string> {
  const { sql, clock } = context
  const { terms, built, lift, settlementTxid, payoutTxid } = acceptance
  assertActive(context, offer)
  await rejectRevoked(context, [offer.offerId])
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
    if (!(await moveOffer(tx, offer.offerId, 'accepting', why))) {
      const current = await findOffer(tx, offer.offerId)
      if (current?.state === 'accepting' || current?.state === 'accepted') return current.settlementId!
      throw conflict('offer-not-active', 'This offer is no longer active.')
    }
    await lockListing(tx, offer.inscriptionId, why)
    if (!(await claimCoins(tx, settlementId, [terms.inscriptionCoin, ...terms.payments])))
      throw conflict('coin-spent', 'Another trade is spending a coin of this offer.')
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

/** Builds the settlement of an offer, and a CPFP child if the fee rate requires one. */
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

/** Returns the key that spends the seller's payout, or null if it is unknown. */
function payoutKeyOf(payoutScript: Uint8Array, binding: BindingRow): KeySpend | null {
  if (kindOfScript(payoutScript) === 'p2tr') return keySpendOf(payoutScript, payoutScript.slice(2))
  const paymentKey = equalBytes(payoutScript, binding.paymentScript) ? binding.paymentKey : null
  return paymentKey && keySpendOf(payoutScript, paymentKey)
}

async function assertSpendable(context: Context, { inscriptionCoin, payments }: OfferTerms): Promise<void> {
  await assertConfirmedCoins(context, [inscriptionCoin])
  await assertConfirmedCoins(context, payments, CHAINING)
}
