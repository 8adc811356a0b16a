import { randomUUID } from 'node:crypto'
import { signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { carriersOf, checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import { type Coin, changeOf, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase, type Carrier, carrierCoinsOf } from '@ordbook/bitcoin/trade/purchase.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import type {
  preflightPurchase as preflightOperation,
  submitPurchase as submitOperation,
} from '@ordbook/contract/purchases.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import { refuseOutbid, settlementFeeRate } from '../chain/fee-rates.ts'
import { getTradedCollection } from '../collections/inscriptions.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { pack, unpack } from '../db/pack.ts'
import { conflict, Fault, invalid } from '../errors.ts'
import type { Session } from '../http/operations.ts'
import { moveListing } from '../listings/lifecycle.ts'
import type { ListingRow } from '../listings/queries.ts'
import { holdNamed } from '../market-coins/anchors.ts'
import { assertMayStrand } from '../market-coins/budgets.ts'
import { describeCarries } from '../preflight/carries.ts'
import { refuseBitcoin } from '../preflight/refuse.ts'
import { describeSteps } from '../preflight/steps.ts'
import { broadcastSettlement, type SettlingContext } from '../settlements/broadcast.ts'
import { assertConfirmedCoins, usableCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { withCarrier } from './carrier.ts'
import {
  assertDeliverable,
  buyableListings,
  canonical,
  checkRequest,
  checkSubmit,
  initiativeOf,
  type Request,
} from './checks.ts'
import {
  deleteExpired,
  deleteOldestPrepared,
  deletePrepared,
  findPurchase,
  insertPurchase,
  listPurchaseListings,
  lockPurchase,
  type PurchaseRow,
  setSubmitted,
} from './queries.ts'
import { describeEconomics, type Facts, heldBy, previousTransactions, termsOf } from './terms.ts'

/**
 * Buying 1..20 listings in one settlement. Preflight builds it, names the market's coins for it and writes down what was
 * asked; submit rebuilds the same settlement from what was written, takes the buyer's signatures, locks the listings,
 * co-signs, writes the whole package to the database, and only then sends it.
 */

export async function preflightPurchase(
  context: Context,
  session: Session,
  slug: string,
  input: Request,
): Promise<AnswerOf<typeof preflightOperation>> {
  const { sql, clock, config } = context
  const collection = await getTradedCollection(context, slug)
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  checkRequest(context, input, binding)
  const listings = await buyableListings(context, collection, binding, input)
  const { walletBindingId } = binding
  await deleteOldestPrepared(sql, walletBindingId, config.preparedPurchases - 1)

  const carried = await describeCarries(context, listings.map(heldBy))
  const feeRateSatVb = await settlementFeeRate(context)
  const candidates = await usableCoins(context, binding, input.spendableUtxos, chainingOf(listings))
  const purchaseId = randomUUID()
  const expiresAt = new Date(clock().getTime() + config.handleSeconds * 1000)
  const { carrier, chosen, built } = await withCarrier(context, listings.length, (carrier) => {
    const facts = factsOf(input, { listings, binding, carrier, feeRateSatVb })
    return candidates.pay((coins) => buildPurchase(termsOf(context, facts, coins)))
  })
  const settlementTxid = txidOf(transactionOf(built.settlement))
  await inTransaction(sql, (tx) =>
    insertPurchase(
      tx,
      {
        purchaseId,
        walletBindingId,
        collectionId: collection.collectionId,
        request: canonical(input),
        selectedCoins: pack(chosen),
        carrier: pack(carrier),
        feeRateSatVb,
        feeSats: built.feeSats,
        settlementTxid,
        expiresAt,
      },
      listings.map(({ listingId }) => ({ listingId, pendingSaleId: randomUUID() })),
    ),
  )

  const economics = listings.map(describeEconomics)
  const previous = await previousTransactions(context, built, listings)
  return {
    listings: economics,
    selectedPaymentUtxos: chosen.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
    targetFeeRateSatVb: feeRateSatVb,
    estimatedPackageVsize: built.packageVsize,
    estimatedNetworkFeeSats: built.networkFeeSats,
    cpfpFeeSats: built.cpfpFeeSats,
    listingTransferFeeSats: built.listingTransferFeeSats,
    totalBuyerCostSats: built.totalCostSats,
    donationInitiative: initiativeOf(config),
    donationSats: built.donationSats,
    purchaseAnchorUtxoId: purchaseId,
    steps: describeSteps(
      context,
      [
        {
          layout: built.settlement,
          indexes: positionsOf(built.settlement.inputs, 'payment'),
          signerScript: binding.paymentScript,
          publicKey: input.paymentPublicKey,
        },
      ],
      previous,
    ),
    expectedSettlementTxid: settlementTxid,
    expectedListingTransferTxids: listings.map((listing) => listing.transferTxid),
    ...carried,
  }
}

export async function submitPurchase(
  context: SettlingContext,
  session: Session,
  slug: string,
  input: BodyOf<typeof submitOperation>,
): Promise<AnswerOf<typeof submitOperation>> {
  const { sql } = context
  const collection = await getTradedCollection(context, slug)
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  checkRequest(context, input, binding)
  const purchase = await findPurchase(sql, input.purchaseAnchorUtxoId)
  if (!purchase || purchase.walletBindingId !== binding.walletBindingId)
    throw conflict(
      'preflight-expired',
      'purchaseAnchorUtxoId is unknown or expired: prepare the purchase again',
    )
  checkSubmit(purchase, input, collection)
  const known = { collection, binding, purchase }
  const answer =
    answerOf(purchase) ??
    (await writeDown(context, known, input).catch((error: unknown) => dropPrepared(context, purchase, error)))
  await broadcastSettlement(context, purchase.purchaseId)
  return answer
}

/** A prepared purchase is dropped after a conflict. Throws the error on. */
async function dropPrepared({ sql }: Context, { purchaseId }: PurchaseRow, error: unknown): Promise<never> {
  if (error instanceof Fault && error.kind === 'conflict') await deletePrepared(sql, purchaseId)
  throw error
}

/** Checks everything once more, locks the listings, has the package signed and writes it down: the intent to send it. */
async function writeDown(
  context: Context,
  known: { collection: CollectionRow; binding: BindingRow; purchase: PurchaseRow },
  input: BodyOf<typeof submitOperation>,
): Promise<AnswerOf<typeof submitOperation>> {
  const { sql, clock } = context
  const { collection, binding, purchase } = known
  const now = clock()
  if (purchase.expiresAt <= now)
    throw conflict('preflight-expired', 'The preflight expired: prepare the purchase again')
  await refuseOutbid(context, purchase.feeRateSatVb)
  const listings = await buyableListings(context, collection, binding, input)
  const chosen = unpack<Coin[]>(purchase.selectedCoins)
  const carrier = unpack<Carrier>(purchase.carrier)
  const facts = factsOf(input, { listings, binding, carrier, feeRateSatVb: purchase.feeRateSatVb })
  const terms = termsOf(context, facts, chosen)
  const built = refuseBitcoin(() => buildPurchase(terms), 'selectedPaymentUtxos')
  if (txidOf(transactionOf(built.settlement)) !== purchase.settlementTxid)
    throw conflict(
      'preflight-outdated',
      'The listing has changed since the preflight: prepare the purchase again',
    )
  const step = input.signedSteps[0]!
  if (step.stepIndex !== 0) throw invalid('entries-mismatched', 'signedSteps: the one step has stepIndex 0')
  const signatures = refuseBitcoin(
    () =>
      signaturesFrom(step.psbtBase64, built.settlement, {
        indexes: positionsOf(built.settlement.inputs, 'payment'),
      }),
    'signedSteps[0]',
  )
  checkSettlement(built.settlement, {
    carriers: carriersOf(built.settlement),
    ownerScript: binding.ordinalsScript,
    feeSats: purchase.feeSats,
  })
  await assertConfirmedCoins(context, chosen, chainingOf(listings))
  for (const listing of listings) await assertDeliverable(context, listing)
  const { carries } = await describeCarries(context, listings.map(heldBy))

  const sales = await listPurchaseListings(sql, purchase.purchaseId)
  const answer: AnswerOf<typeof submitOperation> = {
    settlementTxid: purchase.settlementTxid,
    listingTransferTxids: listings.map((listing) => listing.transferTxid),
    pendingSaleIds: sales.map((sale) => sale.pendingSaleId),
    listings: listings.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
  }
  return inTransaction(sql, async (tx) => {
    const locked = await lockPurchase(tx, purchase.purchaseId)
    if (!locked) throw conflict('preflight-expired', 'The preflight expired: prepare the purchase again')
    const answeredMeanwhile = answerOf(locked)
    if (answeredMeanwhile) return answeredMeanwhile
    // One order for everybody, so that two buyers of the same batch wait for each other instead of deadlocking.
    for (const { listingId } of listings.toSorted((a, b) => (a.listingId < b.listingId ? -1 : 1)))
      if (
        !(await moveListing(tx, listingId, 'hidden_locked', {
          reason: `bought in ${purchase.settlementTxid}`,
          now,
        }))
      )
        throw conflict('listing-not-buyable', `Listing ${listingId} is no longer buyable: someone was faster`)
    if (!(await claimCoins(tx, purchase.purchaseId, chosen)))
      throw conflict('coin-spent', 'A payment coin is already spent by another purchase of yours')
    const { walletBindingId: causedBy } = binding
    const transfers = listings.filter((listing) => listing.transferHeight === null).length
    await assertMayStrand(context, tx, { walletBindingId: causedBy, transfers })
    await holdNamed(context, tx, carrierCoinsOf(terms), { handle: purchase.purchaseId, causedBy })
    const settlement = {
      terms,
      sellers: listings.map(sellerSignaturesOf),
      buyerSignatures: [...signatures.values()],
    }
    const signed = await context.signer.signSettlement(settlement)
    const { purchaseId: settlementId, settlementTxid, feeSats } = purchase
    await setSubmitted(tx, settlementId, { settlement: pack(settlement), answer })
    await insertSettlement(tx, {
      settlementId,
      kind: 'purchase',
      settlementTxid,
      inscriptionIds: listings.map((listing) => listing.inscriptionId),
      causedBy,
      refundSats: ANCHOR_SATS * listings.length,
      // Runes in the coins of the inscriptions would be in the change, which is the first output.
      change: carries?.length ? [] : changeOf(built.settlement),
      transactions: signed.map((each) =>
        each.txid === settlementTxid
          ? { ...each, feeSats }
          : { ...each, feeSats: ANCHOR_SATS, transfers: true },
      ),
    })
    return answer
  })
}

/** The settlement, and the transfers that are not confirmed. */
const chainingOf = (listings: readonly ListingRow[]) => ({
  added: 1 + listings.filter((listing) => listing.transferHeight === null).length,
})

const factsOf = (input: Request, known: Omit<Facts, 'paymentPublicKey' | 'donates'>): Facts => ({
  ...known,
  paymentPublicKey: input.paymentPublicKey,
  donates: input.roundUpDonation ?? false,
})

const sellerSignaturesOf = ({ transferSignature, legSignature }: ListingRow) => ({
  transferSignature,
  legSignature,
})

/** The same submit answers the same; null while it is prepared. */
const answerOf = (purchase: PurchaseRow) => purchase.answer as AnswerOf<typeof submitOperation> | null

/** Drops preflights whose time is over. */
export async function expirePurchases({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  await deleteExpired(sql, clock())
}
