import { randomUUID } from 'node:crypto'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Coin, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildOffer, type OfferTerms } from '@ordbook/bitcoin/trade/offer.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { DEFAULT_VALIDITY_HOURS } from '@ordbook/contract/durations.ts'
import type {
  preflightCollectionOffer as preflightOperation,
  submitCollectionOffer as submitOperation,
} from '@ordbook/contract/offers.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict, Fault, invalid } from '@ordbook/db/process/errors.ts'
import { listSpentInMempool, lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { BindingRow } from '../auth/queries.ts'
import { type CollectionRow, listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { assertUnique } from '../preflight/duplicates.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { type OpenPreflight, openPreflights, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, parentsOf, signaturesOf } from '../preflight/steps.ts'
import { insertBacking } from '../settlements/backing-queries.ts'
import type { TradeEconomics } from '../settlements/economics.ts'
import {
  assertConfirmedCoins,
  payerWithCoins,
  paymentStep,
  usableCoins,
} from '../settlements/payment-coins.ts'
import { getTrader } from '../settlements/trader.ts'
import type { UseCase } from '../use-case.ts'
import { describeOfferEconomics, takingOfOffer } from './economics.ts'
import { openOffer } from './lifecycle.ts'
import { minimumOffer } from './minimums.ts'
import { CHAINING, planOffers, type SellerSide, sellerSide } from './plan.ts'
import type { Minimums } from './queries.ts'

/**
 * Offers on single inscriptions. Each is a complete settlement without the owner's signature. All offers of a request share their coins, so
 * the first acceptance ends the others.
 */
type Request = BodyOf<typeof preflightOperation>
type Answer = AnswerOf<typeof submitOperation>

interface Prepared {
  inscriptionId: string
  terms: OfferTerms
  economics: TradeEconomics
  settlementTxid: string
}

export const preflightOffers: UseCase<typeof preflightOperation> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { collection, binding } = await getTrader(context, call)
  const payer = payerWithCoins(binding, input)
  await checkItems(context, collection, input)
  const sides: SellerSide[] = []
  for (const inscriptionId of input.inscriptionIds) {
    const side = await sellerSide(context, session, collection, inscriptionId)
    refuseBelow(context, side.minimums, input.priceSats, inscriptionId, 'price-out-of-range')
    sides.push(side)
  }
  const otherContents = await describeOtherContents(
    context,
    sides.map(({ coin }, i) => ({ inscriptionId: input.inscriptionIds[i]!, coin })),
  )
  const candidates = await usableCoins(context, binding, input.spendableUtxos, CHAINING)
  const trade = { collection, priceSats: input.priceSats, sides, buyer: { ...binding, payer } }
  const { economics, feeRateSatVb, chosen, built } = await planOffers(context, trade, candidates)
  const selectedPaymentUtxos = chosen.map(canonicalCoin)
  const request = { ...canonical(input), selectedPaymentUtxos, collectionId: collection.collectionId }
  const previous = await parentsOf(
    context,
    built.map(({ offer }) => offer.settlement),
  )
  const answers = []
  for (const [i, { terms, offer }] of built.entries()) {
    const inscriptionId = input.inscriptionIds[i]!
    const settlementTxid = txidOf(transactionOf(offer.settlement))
    const prepared: Prepared = { inscriptionId, terms, economics, settlementTxid }
    await savePreflight(context, sql, {
      handle: settlementTxid,
      kind: 'offer',
      walletBindingId: binding.walletBindingId,
      request,
      prepared,
    })
    answers.push({
      ...describeOfferEconomics(economics, terms.inscriptionCoin.valueSats),
      inscriptionId,
      targetFeeRateSatVb: feeRateSatVb,
      estimatedNetworkFeeSats: offer.feeSats,
      expectedSettlementTxid: settlementTxid,
      steps: describeSteps(
        context,
        [paymentStep(offer.settlement, binding, input.paymentPublicKey)],
        previous,
      ),
    })
  }
  return { selectedPaymentUtxos, items: answers, ...otherContents }
}

export const submitOffers: UseCase<typeof submitOperation> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { collection, binding } = await getTrader(context, call)
  await checkItems(context, collection, input)
  const { signedItems, inscriptionIds } = input
  if (
    signedItems.length !== inscriptionIds.length ||
    signedItems.some((item, i) => item.inscriptionId !== inscriptionIds[i])
  )
    throw invalid(
      'entries-mismatched',
      'signedItems must have one entry for each of inscriptionIds, in the same order.',
    )
  const { spendableUtxos, ...echoed } = canonical(input)
  const preflightKey = {
    handles: signedItems.map((item) => item.expectedSettlementTxid),
    kind: 'offer',
    walletBindingId: binding.walletBindingId,
    echoes: {
      ...echoed,
      ...(spendableUtxos === null ? {} : { spendableUtxos }),
      selectedPaymentUtxos: input.selectedPaymentUtxos.map(canonicalCoin),
      collectionId: collection.collectionId,
    },
  } as const
  const open = (tx: Transaction) =>
    openPreflights<Prepared, Answer['items'][number]>(context, tx, preflightKey)
  const preflights = await inTransaction(sql, open)
  const answered = answerOf(preflights)
  if (answered) return answered

  const checked: { prepared: Prepared; signatures: Uint8Array[]; minimums: Minimums }[] = []
  for (const [i, { prepared }] of preflights.entries()) {
    const { inscriptionId, terms } = prepared
    if (inscriptionId !== inscriptionIds[i])
      throw invalid(
        'entries-mismatched',
        `signedItems[${i}]: expectedSettlementTxid is for another inscription`,
      )
    const step = paymentStep(buildOffer(terms).settlement, binding, input.paymentPublicKey)
    const [signatures] = await signaturesOf(
      signedItems[i]!.signedSteps,
      [step],
      `signedItems[${i}].signedSteps`,
    )
    const { coin, minimums } = await sellerSide(context, session, collection, inscriptionId)
    if (formatOutpoint(coin) !== formatOutpoint(terms.inscriptionCoin))
      throw conflict(
        'preflight-outdated',
        `${inscriptionId} has moved since the preflight. Request a new preflight.`,
      )
    refuseBelow(context, minimums, input.priceSats, inscriptionId, 'minimum-risen')
    checked.push({ prepared, signatures: signatures!, minimums })
  }
  await assertConfirmedCoins(context, preflights[0]!.prepared.terms.payments, CHAINING)

  return inTransaction(sql, async (tx) => {
    const storedAnswer = answerOf(await open(tx))
    if (storedAnswer) return storedAnswer
    await lockMempoolView(tx)
    const items: Answer['items'] = []
    for (const offer of checked) items.push(await publish(context, tx, { collection, binding, input }, offer))
    return { items, status: 'active' as const }
  })
}

/** Stores an offer with its backing coins. Throws `conflict` for a spent coin or an identical offer. */
async function publish(
  { clock }: Context,
  tx: Transaction,
  { collection, binding, input }: { collection: CollectionRow; binding: BindingRow; input: Request },
  offer: { prepared: Prepared; signatures: Uint8Array[]; minimums: Minimums },
): Promise<Answer['items'][number]> {
  const { inscriptionId, terms, economics, settlementTxid } = offer.prepared
  const { minimums, signatures } = offer
  const offerId = randomUUID()
  const createdAt = clock()
  const hours = input.validityHours ?? DEFAULT_VALIDITY_HOURS
  const coins: Coin[] = [terms.inscriptionCoin, ...terms.payments]
  const [spent] = await listSpentInMempool(tx, coins)
  if (spent)
    throw conflict(
      'coin-spent',
      `Another transaction is spending coin ${formatOutpoint(spent)}. Request a new preflight.`,
    )
  await openOffer(tx, {
    offerId,
    kind: 'buyer_offer',
    parentOfferId: null,
    collectionId: collection.collectionId,
    inscriptionId,
    buyerBindingId: binding.walletBindingId,
    buyerScript: binding.ordinalsScript,
    sellerScript: terms.inscriptionCoin.script,
    sellerBindingId: null,
    priceSats: input.priceSats,
    postageSats: terms.inscriptionCoin.valueSats,
    economics: pack(economics),
    terms: pack(terms),
    signatures: pack(signatures),
    feeRateSatVb: terms.feeRateSatVb,
    floorSats: minimums.selectedFloorSats,
    topOfferSats: minimums.topOfferSats,
    settlementTxid,
    anchorUtxoId: null,
    recoveryHandle: null,
    transferTxid: null,
    taking: takingOfOffer(terms, economics),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + hours * 3_600_000),
  }).catch((error: { code?: string }) => {
    // An active offer has the same settlement.
    if (error.code === '23505')
      throw conflict('order-duplicate', `An identical offer on ${inscriptionId} is already active.`)
    throw error
  })
  await insertBacking(tx, offerId, coins)
  const answer = { inscriptionId, offerId, status: 'active' as const }
  await setPreflightAnswer(tx, settlementTxid, answer)
  return answer
}

/** Returns the stored response of a repeated submit. */
function answerOf(preflights: readonly OpenPreflight<Prepared, Answer['items'][number]>[]): Answer | null {
  const items = preflights.flatMap((preflight) => (preflight.answer ? [preflight.answer] : []))
  return items.length === preflights.length ? { items, status: 'active' } : null
}

/** Returns the fields that a submit must repeat. */
const canonical = (input: Request) => ({
  paymentPublicKey: input.paymentPublicKey,
  inscriptionIds: input.inscriptionIds,
  priceSats: input.priceSats,
  validityHours: input.validityHours ?? DEFAULT_VALIDITY_HOURS,
  spendableUtxos: input.spendableUtxos?.map(canonicalCoin) ?? null,
})

export async function checkItems(
  { sql }: Context,
  collection: CollectionRow,
  { inscriptionIds }: Pick<Request, 'inscriptionIds'>,
): Promise<void> {
  assertUnique(inscriptionIds, 'inscriptionId', 'inscriptionIds')
  const members = await listMembers(sql, collection.collectionId, inscriptionIds)
  const [nonMember] = inscriptionIds.filter((id) => !members.has(id))
  if (nonMember)
    throw invalid('not-in-collection', `inscriptionIds: ${nonMember} is not in collection ${collection.slug}`)
}

function refuseBelow(
  { config }: Context,
  minimums: Minimums,
  priceSats: number,
  inscriptionId: string,
  code: 'price-out-of-range' | 'minimum-risen',
): void {
  const minimum = minimumOffer(config, minimums)
  if (priceSats < minimum.sats)
    throw new Fault(
      code,
      `priceSats: the current minimum for an offer on ${inscriptionId} is ${minimum.sats} sats (${minimum.reason})`,
    )
}
