import { randomUUID } from 'node:crypto'
import {
  buildCounterAcceptance,
  type CounterAcceptance,
  type CounterTerms,
} from '@ordbook/bitcoin/trade/counter.ts'
import { changeOf, feeOfLayout, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, buildTransfer, escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import type { Payer } from '@ordbook/bitcoin/trade/payment.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/counters.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { SessionCall } from '@ordbook/http/operations/operations.ts'
import { rejectRisenFees, settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { lockListing } from '../listings/lock.ts'
import { allowTransfers } from '../market-coins/grants.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { openPreflight, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, parentsOf, type Step, signaturesOf } from '../preflight/steps.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import {
  assertConfirmedCoins,
  type Buyer,
  type PayingCoins,
  payerWithCoins,
  paymentStep,
  usableCoins,
} from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import type { UseCase } from '../use-case.ts'
import { assertActive, assertBuyer, getOfferBy, type OfferPath, offerPathOf } from './act.ts'
import type { CounterSignatures } from './counter.ts'
import { moveOffer } from './lifecycle.ts'
import { findOffer, type OfferRow, setSettlement } from './queries.ts'
import { offerSettlementKinds } from './settlement-kind.ts'

/**
 * Acceptances of counter-offers. The buyer signs a funding transaction with the exact amount, and the settlement that the owner has already
 * signed. Transfer, funding and settlement are broadcast as a package.
 */
/** Transfer, funding and settlement. */
export const CHAINING = { added: 3 }

type Answer = AnswerOf<typeof operations.submitCounterOfferAcceptance>

interface Prepared {
  from: Payer
  feeRateSatVb: number
}

export const preflightCounterAcceptance: UseCase<
  typeof operations.preflightCounterOfferAcceptance,
  SettlingContext
> = async (context, call) => {
  const { sql } = context
  const { body: input } = call
  const at = offerPathOf(call.params)
  const { counter, binding, terms } = await countered(context, call)
  assertActive(context, counter)
  const payer = payerWithCoins(binding, input)
  await assertConfirmedCoins(context, [terms.inscriptionCoin])
  const { inscriptionId } = counter
  const otherContents = await describeOtherContents(context, [{ inscriptionId, coin: terms.inscriptionCoin }])
  const candidates = await usableCoins(context, binding, input.spendableUtxos, CHAINING)
  const { chosen, built, from, feeRateSatVb } = await planCounterAcceptance(
    context,
    terms,
    { ...binding, payer },
    candidates,
  )
  const ids = idsOf(built)
  const selectedPaymentUtxos = chosen.map(canonicalCoin)
  const prepared: Prepared = { from, feeRateSatVb }
  await savePreflight(context, sql, {
    handle: ids.expectedSettlementTxid,
    kind: 'counter-acceptance',
    walletBindingId: binding.walletBindingId,
    request: { ...canonical(at, input), selectedPaymentUtxos, ...ids },
    prepared,
  })
  const previous = await parentsOf(context, [built.funding.layout])
  // Unsigned parents, so that wallets can show the inputs.
  previous.set(escrowCoinOf(terms).txid, transactionOf(buildTransfer(terms)))
  previous.set(ids.expectedFundingTxid, transactionOf(built.funding.layout))
  return {
    offerId: counter.offerId,
    selectedPaymentUtxos,
    targetFeeRateSatVb: feeRateSatVb,
    estimatedNetworkFeeSats: built.packageFeeSats,
    ...ids,
    steps: describeSteps(context, stepsOf(built, binding, input.paymentPublicKey), previous),
    ...otherContents,
  }
}

export const submitCounterAcceptance: UseCase<
  typeof operations.submitCounterOfferAcceptance,
  SettlingContext
> = async (context, call) => {
  const { sql, clock } = context
  const { body: input } = call
  const at = offerPathOf(call.params)
  const { counter, binding, terms } = await countered(context, call)
  const preflightKey = {
    handle: input.expectedSettlementTxid,
    kind: 'counter-acceptance',
    walletBindingId: binding.walletBindingId,
    echoes: {
      ...canonical(at, input),
      selectedPaymentUtxos: input.selectedPaymentUtxos.map(canonicalCoin),
      expectedFundingTxid: input.expectedFundingTxid,
    },
  } as const
  const open = (tx: Transaction) => openPreflight<Prepared, Answer>(context, tx, preflightKey)
  const preflight = await inTransaction(sql, open)
  if (preflight.answer) {
    await broadcastSettlement(context, (await findOffer(sql, counter.offerId))!.settlementId!)
    return preflight.answer
  }
  assertActive(context, counter)
  const { from, feeRateSatVb } = preflight.prepared
  await rejectRisenFees(context, feeRateSatVb)
  const built = buildCounterAcceptance(terms, from, feeRateSatVb)
  const [fundingSignatures, settlementSignatures] = await signaturesOf(
    input.signedSteps,
    stepsOf(built, binding, input.paymentPublicKey),
  )
  await assertConfirmedCoins(context, [terms.inscriptionCoin])
  await assertConfirmedCoins(context, from.payments, CHAINING)
  const settlementTxid = input.expectedSettlementTxid
  const settlementId = randomUUID()
  const answer: Answer = { offerId: counter.offerId, settlementTxid, payoutTxid: null, status: 'accepted' }
  await inSigningTransaction(sql, async (tx) => {
    if ((await open(tx)).answer) return
    const why = { reason: `a counter is accepted in ${settlementTxid}`, now: clock() }
    if (!(await moveOffer(tx, counter.offerId, 'accepting', why)))
      throw conflict('offer-not-active', 'This counter-offer is no longer active.')
    await lockListing(tx, counter.inscriptionId, why)
    if (!(await claimCoins(tx, settlementId, [terms.inscriptionCoin, ...from.payments])))
      throw conflict('coin-spent', 'Another transaction is spending a coin of this trade.')
    const { walletBindingId } = binding
    const transfers = counter.transferHeight === null ? 1 : 0
    await allowTransfers(context, tx, { use: 'counter-acceptance', walletBindingId }, transfers)
    const { transfer, leg } = unpack<CounterSignatures>(counter.signatures)
    const signed = await context.signer.signCounter({
      terms,
      from,
      feeRateSatVb,
      transferSignature: transfer,
      legSignature: leg,
      fundingSignatures: fundingSignatures!,
      buyerSignature: settlementSignatures![0]!,
    })
    const fees = [ANCHOR_SATS, built.funding.feeSats, feeOfLayout(built.settlement)]
    await setSettlement(tx, counter.offerId, { settlementId, settlementTxid, payoutTxid: null })
    await insertSettlement(tx, {
      settlementId,
      kind: offerSettlementKinds[counter.kind].name,
      settlementTxid,
      inscriptionIds: [counter.inscriptionId],
      causedBy: walletBindingId,
      refundSats: ANCHOR_SATS,
      change: changeOf(built.funding.layout),
      transactions: signed.map((transaction, i) => ({
        ...transaction,
        feeSats: fees[i]!,
        ...(i === 0 ? { transfers: true as const } : {}),
      })),
    })
    await setPreflightAnswer(tx, settlementTxid, answer)
  })
  await broadcastSettlement(context, (await findOffer(sql, counter.offerId))!.settlementId!)
  return answer
}

/** Builds an acceptance at the current fee rate, for preflights and quotes. */
export async function planCounterAcceptance(
  context: Context,
  terms: CounterTerms,
  buyer: Buyer,
  coins: PayingCoins,
) {
  const feeRateSatVb = await settlementFeeRate(context)
  const { payer, paymentScript: changeScript } = buyer
  const { chosen, built } = await coins.pay((payments) =>
    buildCounterAcceptance(terms, { payments, payer, changeScript }, feeRateSatVb),
  )
  return { chosen, built, from: { payments: chosen, payer, changeScript }, feeRateSatVb }
}

/** Returns a counter-offer and the buyer's binding. */
export async function countered(
  context: Context,
  {
    session,
    params,
    body,
  }: Pick<SessionCall<typeof operations.preflightCounterOfferAcceptance>, 'session' | 'params'> & {
    body: { walletBindingId: string }
  },
): Promise<{ counter: OfferRow; binding: BindingRow; terms: CounterTerms }> {
  const counter = await getOfferBy(context, 'seller', offerPathOf(params))
  const binding = await getOwnBinding(context, session, body.walletBindingId)
  assertBuyer(counter, binding)
  if (counter.transferHeight !== null && counter.state === 'active')
    throw conflict(
      'inscription-leaving-escrow',
      'The inscription of this counter-offer is being returned to its owner.',
    )
  return { counter, binding, terms: unpack<CounterTerms>(counter.terms) }
}

const canonical = (at: OfferPath, input: BodyOf<typeof operations.preflightCounterOfferAcceptance>) => ({
  inscriptionId: at.inscriptionId,
  offerId: at.offerId.toLowerCase(),
  paymentPublicKey: input.paymentPublicKey,
  spendableUtxos: input.spendableUtxos?.map(canonicalCoin) ?? null,
})

const idsOf = ({ funding, settlement }: CounterAcceptance) => ({
  expectedFundingTxid: txidOf(transactionOf(funding.layout)),
  expectedSettlementTxid: txidOf(transactionOf(settlement)),
})

function stepsOf({ funding, settlement }: CounterAcceptance, binding: BindingRow, publicKey: string): Step[] {
  return [
    paymentStep(funding.layout, binding, publicKey),
    {
      layout: settlement,
      indexes: positionsOf(settlement.inputs, 'funding'),
      signerScript: binding.paymentScript,
      publicKey,
    },
  ]
}
