import { randomUUID } from 'node:crypto'
import { signaturesInSteps } from '@ordbook/bitcoin/psbt.ts'
import { checkSettlement, escrowInputsOf } from '@ordbook/bitcoin/trade/check.ts'
import { type Coin, changeOf, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase, type FeeCoins, feeCoinsOf } from '@ordbook/bitcoin/trade/purchase.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import type {
  preflightPurchase as preflightOperation,
  submitPurchase as submitOperation,
} from '@ordbook/contract/purchases.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict, Fault, invalid } from '@ordbook/db/process/errors.ts'
import { rejectRisenFees } from '@ordbook/indexer/node/fee-rates.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { moveListing } from '../listings/lifecycle.ts'
import type { ListingRow } from '../listings/queries.ts'
import { allowTransfers, type Charge, takeNamed } from '../market-coins/grants.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { type OpenPreflight, openPreflight, savePreflight } from '../preflight/preflights.ts'
import { deletePreflight, setPreflightAnswer } from '../preflight/queries.ts'
import { toFault, toFaultInSteps } from '../preflight/refuse.ts'
import { describeSteps } from '../preflight/steps.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins, payerOf, paymentStep, usableCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { getTrader } from '../settlements/trader.ts'
import type { UseCase } from '../use-case.ts'
import {
  assertDeliverable,
  buyableListings,
  canonical,
  checkRequest,
  initiativeOf,
  type Request,
} from './checks.ts'
import { marketPool } from './fee-coins.ts'
import { chainingOf, planPurchase } from './plan.ts'
import { insertPurchase } from './queries.ts'
import { purchaseKind } from './settlement-kind.ts'
import { describeEconomics, heldBy, previousTransactions, termsOf } from './terms.ts'

/**
 * Buys 1 to 20 listings in one settlement. The preflight builds the settlement and selects fee coins. The submit rebuilds it, verifies the
 * buyer's signatures, locks the listings, co-signs and stores the package before it is broadcast.
 */
type Answer = AnswerOf<typeof submitOperation>

interface Prepared {
  chosen: Coin[]
  feeCoins: FeeCoins
  feeRateSatVb: number
  feeSats: number
  settlementTxid: string
}

export const preflightPurchase: UseCase<typeof preflightOperation> = async (context, call) => {
  const { sql, config } = context
  const { body: input } = call
  const { collection, binding } = await getTrader(context, call)
  checkRequest(context, input, binding)
  const listings = await buyableListings(context, collection, binding, input)

  const otherContents = await describeOtherContents(context, listings.map(heldBy))
  const candidates = await usableCoins(context, binding, input.spendableUtxos, chainingOf(listings))
  const trade = tradeOf(input, listings, binding)
  const { feeCoins, chosen, built, feeRateSatVb } = await planPurchase(
    context,
    trade,
    candidates,
    marketPool(context, chargeOf(binding)),
  )
  const settlementTxid = txidOf(transactionOf(built.settlement))
  const purchaseId = randomUUID()
  const { feeSats } = built
  const prepared: Prepared = { chosen, feeCoins, feeRateSatVb, feeSats, settlementTxid }
  await savePreflight(context, sql, {
    handle: purchaseId,
    kind: 'purchase',
    walletBindingId: binding.walletBindingId,
    request: { ...canonical(input, collection), selectedPaymentUtxos: chosen.map(canonicalCoin) },
    prepared,
  })

  const economics = listings.map(describeEconomics)
  const previous = await previousTransactions(context, built, listings)
  return {
    listings: economics,
    selectedPaymentUtxos: chosen.map(canonicalCoin),
    targetFeeRateSatVb: feeRateSatVb,
    estimatedPackageVsize: built.packageVsize,
    estimatedNetworkFeeSats: built.networkFeeSats,
    cpfpFeeSats: built.cpfpFeeSats,
    listingTransferFeeSats: built.listingTransferFeeSats,
    totalBuyerCostSats: built.totalCostSats,
    donationInitiative: initiativeOf(config),
    donationSats: built.donationSats,
    purchaseAnchorUtxoId: purchaseId,
    steps: describeSteps(context, [paymentStep(built.settlement, binding, input.paymentPublicKey)], previous),
    expectedSettlementTxid: settlementTxid,
    expectedListingTransferTxids: listings.map((listing) => listing.transferTxid),
    ...otherContents,
  }
}

export const submitPurchase: UseCase<typeof submitOperation, SettlingContext> = async (context, call) => {
  const { sql } = context
  const { body: input } = call
  const { collection, binding } = await getTrader(context, call)
  checkRequest(context, input, binding)
  const purchaseId = input.purchaseAnchorUtxoId.toLowerCase()
  const preflightKey = {
    handle: purchaseId,
    field: 'purchaseAnchorUtxoId',
    kind: 'purchase',
    walletBindingId: binding.walletBindingId,
    echoes: {
      ...canonical(input, collection),
      selectedPaymentUtxos: input.selectedPaymentUtxos.map(canonicalCoin),
    },
  } as const
  const open = (tx: Transaction) => openPreflight<Prepared, Answer>(context, tx, preflightKey)
  const { prepared, answer: storedAnswer } = await inTransaction(sql, open)
  const submission = { collection, binding, purchaseId, prepared }
  const answer =
    storedAnswer ??
    (await storePurchase(context, submission, input, open).catch(async (error: unknown) => {
      // The preflight cannot succeed after a conflict.
      if (error instanceof Fault && error.kind === 'conflict') await deletePreflight(sql, purchaseId)
      throw error
    }))
  await broadcastSettlement(context, purchaseId)
  return answer
}

interface Submission {
  collection: CollectionRow
  binding: BindingRow
  purchaseId: string
  prepared: Prepared
}

/** Repeats the checks, takes locks, co-signs the package and stores it before it is broadcast. */
async function storePurchase(
  context: Context,
  submission: Submission,
  input: BodyOf<typeof submitOperation>,
  open: (tx: Transaction) => Promise<OpenPreflight<Prepared, Answer>>,
): Promise<Answer> {
  const { sql, clock } = context
  const { collection, binding, purchaseId } = submission
  const { chosen, feeSats, settlementTxid } = submission.prepared
  const now = clock()
  const { listings, terms, built, signatures, carries } = await checkPurchase(context, submission, input)

  const sold = listings.map(({ listingId, inscriptionId }) => ({
    listingId,
    inscriptionId,
    pendingSaleId: randomUUID(),
  }))
  const answer: Answer = {
    settlementTxid,
    listingTransferTxids: listings.map((listing) => listing.transferTxid),
    pendingSaleIds: sold.map((sale) => sale.pendingSaleId),
    listings: listings.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
  }
  return inSigningTransaction(sql, async (tx) => {
    const { answer: storedAnswer } = await open(tx)
    if (storedAnswer) return storedAnswer
    // Fixed order, so that overlapping purchases do not deadlock.
    for (const { listingId } of listings.toSorted((a, b) => (a.listingId < b.listingId ? -1 : 1)))
      if (
        !(await moveListing(tx, listingId, 'hidden_locked', {
          reason: `bought in ${settlementTxid}`,
          now,
        }))
      )
        throw conflict('listing-not-buyable', `Listing ${listingId} is no longer available.`)
    if (!(await claimCoins(tx, purchaseId, chosen)))
      throw conflict('coin-spent', 'Another of your purchases already spends a payment coin.')
    const charge = chargeOf(binding)
    const { walletBindingId: causedBy } = charge
    const transfers = listings.filter((listing) => listing.transferHeight === null).length
    await allowTransfers(context, tx, charge, transfers)
    await takeNamed(context, tx, charge, feeCoinsOf(terms), purchaseId)
    const settlement = {
      terms,
      sellers: listings.map(sellerSignaturesOf),
      buyerSignatures: [...signatures.values()],
    }
    const signed = await context.signer.signSettlement(settlement)
    const { collectionId } = collection
    await insertPurchase(
      tx,
      { purchaseId, walletBindingId: causedBy, collectionId, settlement: pack(settlement) },
      sold,
    )
    await insertSettlement(tx, {
      settlementId: purchaseId,
      kind: purchaseKind.name,
      settlementTxid,
      inscriptionIds: listings.map((listing) => listing.inscriptionId),
      causedBy,
      refundSats: ANCHOR_SATS * listings.length,
      // Runes would move to the change, so it must confirm before it is spent.
      change: carries?.length ? [] : changeOf(built.settlement),
      transactions: signed.map((transaction) =>
        transaction.txid === settlementTxid
          ? { ...transaction, feeSats }
          : { ...transaction, feeSats: ANCHOR_SATS, transfers: true },
      ),
    })
    await setPreflightAnswer(tx, purchaseId, answer)
    return answer
  })
}

async function checkPurchase(
  context: Context,
  { collection, binding, prepared }: Submission,
  input: BodyOf<typeof submitOperation>,
) {
  const { chosen, feeCoins, feeRateSatVb, feeSats, settlementTxid } = prepared
  await rejectRisenFees(context, feeRateSatVb)
  const listings = await buyableListings(context, collection, binding, input)
  const facts = { ...tradeOf(input, listings, binding), feeCoins, feeRateSatVb }
  const terms = termsOf(context, facts, chosen)
  const built = toFault(() => buildPurchase(terms), 'selectedPaymentUtxos')
  if (txidOf(transactionOf(built.settlement)) !== settlementTxid)
    throw conflict(
      'preflight-outdated',
      'A listing has changed since the preflight. Request a new preflight.',
    )
  const step = input.signedSteps[0]!
  if (step.stepIndex !== 0)
    throw invalid('entries-mismatched', 'signedSteps must contain one step with stepIndex 0.')
  const signatures = await toFaultInSteps(
    () =>
      signaturesInSteps(step.psbtBase64, built.settlement, {
        indexes: positionsOf(built.settlement.inputs, 'payment'),
      }),
    'signedSteps[0]',
  )
  checkSettlement(built.settlement, {
    inscriptionInputs: escrowInputsOf(built.settlement),
    ownerScript: binding.ordinalsScript,
    feeSats,
  })
  await assertConfirmedCoins(context, chosen, chainingOf(listings))
  for (const listing of listings) await assertDeliverable(context, listing)
  const { carries } = await describeOtherContents(context, listings.map(heldBy))
  return { listings, terms, built, signatures, carries }
}

const tradeOf = (input: Request, listings: readonly ListingRow[], binding: BindingRow) => ({
  listings,
  buyer: { ...binding, payer: payerOf(binding, input.paymentPublicKey) },
  donates: input.roundUpDonation ?? false,
})

/** Purchases reserve market coins only until they confirm, so they are not charged. */
const chargeOf = ({ walletBindingId }: BindingRow): Charge => ({
  use: 'purchase',
  walletBindingId,
  takenBy: null,
})

const sellerSignaturesOf = ({ transferSignature, legSignature }: ListingRow) => ({
  transferSignature,
  legSignature,
})
