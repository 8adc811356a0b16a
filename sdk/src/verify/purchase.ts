import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { escrowInputsOf } from '@ordbook/bitcoin/trade/check.ts'
import { type Coin, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import {
  buildPurchase,
  type FeeCoins,
  type Purchase,
  type PurchaseItem,
  type PurchaseTerms,
} from '@ordbook/bitcoin/trade/purchase.ts'
import { type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { preflightPurchase } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import { OverBudget } from '../errors.ts'
import type { PurchasePreflight } from '../results.ts'
import {
  assertAmounts,
  assertCosts,
  assertDestination,
  assertOffsetInside,
  type CostLimits,
  demandSplit,
} from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { escrowTermsOf } from './escrow-facts.ts'
import { chosenOf, type Market, marketCoinOf, marketOf, openStep, spendOf } from './facts.ts'
import { type InscriptionCoin, type MarketKeys, type OwnCoin, type Owner, paymentSpendOf } from './owner.ts'
import { type CostPlan, planStep } from './plan.ts'

export interface PurchaseAgreement extends CostLimits {
  items: readonly {
    inscriptionId: string
    listingId: string
    priceSats: number
    /** The inscription's coin, from a trusted source. */
    coin: InscriptionCoin
  }[]
  coins: readonly OwnCoin[]
  /** Maximum total cost in sats, including donation and postage. */
  maxTotalSats?: number
  /** Rounds the cost up to whole thousands of sats, as a donation to the market's initiative. */
  roundUpDonation?: boolean
}

/**
 * Verifies a purchase preflight. Returns the plan and the total cost. Throws CheckFailed, or OverBudget if only `maxTotalSats` is exceeded.
 */
export function verifyPurchase(
  owner: Owner,
  keys: MarketKeys,
  agreement: PurchaseAgreement,
  answer: PurchasePreflight,
): CostPlan {
  assertAnswer(preflightPurchase, answer)
  const [step] = answer.steps
  assert(step !== undefined && answer.steps.length === 1, 'a purchase has one signing step')
  const opened = openStep(step)
  const terms = termsOf(owner, marketOf(owner, keys), { agreement, answer, opened })
  const built = rebuilt(terms, answer.estimatedPackageVsize)
  const { settlement } = built
  const plan = {
    steps: [
      planStep(owner, step, {
        name: 'the purchase',
        layout: settlement,
        indexes: positionsOf(settlement.inputs, 'payment'),
        stepIndex: 0,
      }),
    ],
  }
  assertDestination(owner, opened, settlement, escrowInputsOf(settlement))
  demandStated(answer, built, terms)
  demandLimits(agreement, built)
  return { ...plan, costSats: built.totalCostSats }
}

interface PurchaseRequest {
  agreement: PurchaseAgreement
  answer: PurchasePreflight
  opened: PreparedPsbt
}

/**
 * Builds the terms of the settlement from the agreement. The market's coins and the sellers' scripts come from the PSBT. Throws
 * CheckFailed.
 */
function termsOf(
  owner: Owner,
  market: Market,
  { agreement, answer, opened }: PurchaseRequest,
): PurchaseTerms {
  const { inputs, outputs } = opened.tx
  const { items, coins, roundUpDonation } = agreement
  const payments = chosenOf(owner, coins, answer.selectedPaymentUtxos)
  assert(answer.listings.length === items.length, 'the market prepared a different number of items')
  const isByTail = inputs.length === payments.length + items.length + 1
  const firstEscrow = isByTail ? payments.length : items.length + 1
  const feeCoins: FeeCoins = isByTail
    ? { by: 'tail', tail: marketCoinOf(opened, inputs.length - 1, market) }
    : { by: 'pads', pads: Array.from({ length: firstEscrow }, (_, i) => marketCoinOf(opened, i, market)) }
  assert(
    feeCoins.by === 'tail' || feeCoins.pads.every((pad) => pad.valueSats === ANCHOR_SATS),
    'the market’s coins before the inscriptions are not pads',
  )
  // The remaining outputs after payouts, inscriptions and the market's change: market, creators, donation.
  const feeOutputs = isByTail
    ? outputs.filter(
        (_, i) =>
          (i < firstEscrow || i >= firstEscrow + items.length) && i < outputs.length - 1 - items.length,
      )
    : outputs.slice(firstEscrow + items.length)
  const creators = creatorsOf(
    feeOutputs,
    market,
    sumSats(answer.listings.map((listing) => listing.creatorRevenueSats)),
  )
  const donation = roundUpDonation ? feeOutputs[creators.next] : undefined
  const purchaseItems = items.map((item, i): PurchaseItem => {
    const economics = answer.listings[i]!
    const { inscriptionId, listingId, priceSats, coin } = item
    assert(
      economics.inscriptionId === inscriptionId && economics.listingId === listingId,
      'the market prepared a different listing',
    )
    assertOffsetInside(coin, inscriptionId)
    demandSplit(economics, { inscriptionId, priceSats, valueSats: coin.valueSats })
    assert(
      economics.buyerPayTotalSats ===
        priceSats + economics.buyerFeeSats + economics.buyerCreatorRoyaltySats &&
        economics.listingFeeSats === 0,
      `the fees on ${inscriptionId} do not add up`,
    )
    const payout = outputs[firstEscrow + i]
    assert(payout !== undefined, 'the settlement does not pay the seller')
    return {
      terms: {
        ...escrowTermsOf(opened, firstEscrow + i, { inscriptionId, coin }, market, 'purchase'),
        recoveryCoin: NO_COIN,
        payoutSats: economics.sellerReceiveSats + coin.valueSats,
        payoutScript: payout.script,
      },
      transferConfirmed: false,
      marketplaceRevenueSats: economics.marketplaceRevenueSats,
      royalty: creators.royalties[i] ?? null,
    }
  })
  return {
    items: purchaseItems,
    payments,
    payer: paymentSpendOf(owner),
    buyerScript: owner.ordinalsScript,
    changeScript: owner.paymentScript,
    market: spendOf(opened, isByTail ? inputs.length - 1 : 0),
    marketScript: market.script,
    feeCoins,
    feeRateSatVb: answer.targetFeeRateSatVb,
    donationScript: donation?.script ?? null,
  }
}

/** A purchase does not use the listing's recovery. */
const NO_COIN: Coin = { txid: '00'.repeat(32), vout: 0, valueSats: ANCHOR_SATS, script: new Uint8Array() }

/** Returns the creators' outputs, which follow the market's first output and equal the royalties of the items. Throws CheckFailed. */
function creatorsOf(
  outputs: readonly TxOutput[],
  market: Market,
  owedSats: number,
): { royalties: TxOutput[]; next: number } {
  const service = outputs.findIndex((output) => equalBytes(output.script, market.script))
  assert(service !== -1, 'the settlement does not pay the market')
  const royalties: TxOutput[] = []
  for (let leftSats = owedSats; leftSats > 0; ) {
    const output = outputs[service + 1 + royalties.length]
    assert(
      output !== undefined && output.valueSats <= leftSats,
      'the settlement pays the creators a wrong amount',
    )
    royalties.push(output)
    leftSats -= output.valueSats
  }
  return { royalties, next: service + 1 + royalties.length }
}

/** Rebuilds the settlement. Finds the number of confirmed transfers by the package size in the response. Throws CheckFailed. */
function rebuilt(terms: PurchaseTerms, packageVsize: number): Purchase {
  let lastError: BitcoinError | undefined
  for (let confirmed = 0; confirmed <= terms.items.length; confirmed++) {
    const items = terms.items.map((item, i) => ({ ...item, transferConfirmed: i < confirmed }))
    try {
      const built = buildPurchase({ ...terms, items })
      if (built.packageVsize === packageVsize) return built
    } catch (error) {
      if (!(error instanceof BitcoinError)) throw error
      lastError = error
    }
  }
  return asCheckFailed(() => {
    throw (
      lastError ??
      new BitcoinError('transaction-changed', 'the size of the purchase does not match its transaction')
    )
  })
}

/** Checks the amounts and txids in the response. Throws CheckFailed. */
function demandStated(answer: PurchasePreflight, built: Purchase, { items }: PurchaseTerms): void {
  assert(
    built.totalCostSats === answer.totalBuyerCostSats,
    `the purchase costs ${built.totalCostSats} sats, but the market stated ${answer.totalBuyerCostSats}`,
  )
  const { networkFeeSats: estimatedNetworkFeeSats, cpfpFeeSats, listingTransferFeeSats, donationSats } = built
  assertAmounts(
    answer,
    { estimatedNetworkFeeSats, cpfpFeeSats, listingTransferFeeSats, donationSats },
    'the market misstates the network fees or the donation',
  )
  assert(
    txidOf(transactionOf(built.settlement)) === answer.expectedSettlementTxid,
    'the settlement is not the announced transaction',
  )
  const announced = answer.expectedListingTransferTxids
  assert(
    announced.length === items.length &&
      items.every(({ terms }, i) => terms.movedTo !== null || escrowCoinOf(terms).txid === announced[i]),
    'the transfers are not the announced transactions',
  )
}

function demandLimits(agreement: PurchaseAgreement, built: Purchase): void {
  const { totalCostSats, donationSats } = built
  const { items, maxTotalSats = totalCostSats } = agreement
  const pricesSats = items.map((item) => item.priceSats)
  const postageSats = sumSats(items.map((item) => item.coin.valueSats))
  assert(
    totalCostSats <= maxTotalSats,
    new OverBudget(
      `The purchase costs ${totalCostSats} sats, which exceeds the agreed maximum of ${maxTotalSats} sats.`,
    ),
  )
  const networkSats = built.networkFeeSats + built.cpfpFeeSats + built.listingTransferFeeSats
  const feesSats = totalCostSats - sumSats(pricesSats) - postageSats - networkSats - donationSats
  assertCosts(agreement, pricesSats, { feesSats, networkSats })
}
