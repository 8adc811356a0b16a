import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifySignature } from '@ordbook/bitcoin/psbt.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { carriersOf, checkSettlement } from '@ordbook/bitcoin/trade/check.ts'
import type { Fill } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { buildCounterAcceptance } from '@ordbook/bitcoin/trade/counter.ts'
import { checkFill, type FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import {
  type Coin,
  feeOfLayout,
  type Layout,
  positionsOf,
  prevoutsOf,
  signedVsizeOf,
} from '@ordbook/bitcoin/trade/layout.ts'
import {
  ANCHOR_SATS,
  buildRecovery,
  buildTransfer,
  escrowCoinOf,
  type TransferTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import { buildPurchase, carrierCoinsOf, type Purchase } from '@ordbook/bitcoin/trade/purchase.ts'
import { decodeTransaction, txidOf, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import {
  type CoinsRequest,
  type CounterRequest,
  type MarketKeys,
  type RecoveryRequest,
  type Release,
  type SettlementRequest,
  SignerRefusal,
} from './requests.ts'

/**
 * What the market's keys sign, whoever asks. Terms are all that is taken: layouts are rebuilt from them, so a listing
 * that pays its seller less has no valid leg, a settlement that the buyer did not see no valid payment, and the
 * market's own coins have nowhere to go but back. A lie about a coin's value or script makes the signature worthless.
 */
export interface Policy {
  /** Most that a transaction may pay, in sat/vB. */
  maxFeeRateSatVb: number
}

function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new SignerRefusal(reason)
}

/** Checks a settlement; gives what to sign. Throws SignerRefusal, or BitcoinError where the kernel says no. */
export function checkedSettlement(
  { terms, sellers, buyerSignatures }: SettlementRequest,
  keys: MarketKeys,
  policy: Policy,
): { built: Purchase; transfers: readonly (Layout | null)[] } {
  const carried = carrierCoinsOf(terms)
  demand(terms.items.length >= 1 && terms.items.length <= 20, 'a settlement has 1 to 20 items')
  demand(sellers.length === terms.items.length, 'each item needs its seller’s signatures')
  demand(terms.feeRateSatVb <= policy.maxFeeRateSatVb, 'the fee rate is above what the policy allows')
  demand(
    equalBytes(terms.marketScript, keys.coinScript) && carried.every((coin) => isOwn(coin, keys)),
    'the market’s side of the settlement is not the market’s',
  )
  demandSpend(terms.market, keys)
  for (const { terms: listing } of terms.items) demandListing(listing, keys)

  const built = buildPurchase(terms)
  const { settlement } = built
  checkSettlement(settlement, {
    carriers: carriersOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats: built.feeSats,
  })
  const marketIn = sumSats(carried.map((coin) => coin.valueSats)) + ANCHOR_SATS * terms.items.length
  const marketOut = sumSats(
    settlement.outputs
      .filter((each) => equalBytes(each.script, keys.coinScript))
      .map((each) => each.valueSats),
  )
  demand(marketOut >= marketIn, `the settlement would cost the market ${marketIn - marketOut} sats`)

  const payments = positionsOf(settlement.inputs, 'payment')
  demand(buyerSignatures.length === payments.length, 'each payment needs the buyer’s signature')
  for (const [n, index] of payments.entries()) verifySignature(buyerSignatures[n]!, settlement, index, null)
  const transfers = terms.items.map((item, n) => {
    const { transferSignature, legSignature } = sellers[n]!
    const escrow = positionsOf(settlement.inputs, 'escrow')[n]!
    verifySignature(legSignature, settlement, escrow, SIGHASH.SINGLE_ANYONECANPAY)
    if (item.transferConfirmed) return null
    const transfer = buildTransfer(item.terms)
    verifySignature(transferSignature, transfer, 0, SIGHASH.DEFAULT)
    return transfer
  })
  return { built, transfers }
}

/** The transfers that a settlement rests on, by txid. */
export function transfersOf({ terms }: SettlementRequest): string[] {
  return terms.items.map((item) => escrowCoinOf(item.terms).txid)
}

/** Checks a recovery: by its layout it pays nobody but the sellers. */
export function checkedRecovery({ batch, signatures }: RecoveryRequest, keys: MarketKeys): Layout {
  demand(
    batch.length >= 1 && batch.length <= 20 && signatures.length === batch.length,
    'a recovery has 1 to 20 items',
  )
  for (const listing of batch) demandListing(listing, keys)
  const layout = buildRecovery(batch)
  for (const index of signatures.keys()) verifySignature(signatures[index]!, layout, index, SIGHASH.ALL)
  return layout
}

/** Checks an accepted counter; gives what to sign, in broadcast order. */
export function checkedCounter(request: CounterRequest, keys: MarketKeys, policy: Policy): Layout[] {
  const { terms, from, feeRateSatVb } = request
  demand(feeRateSatVb <= policy.maxFeeRateSatVb, 'the fee rate is above what the policy allows')
  demandTransfer(terms, keys)
  demand(
    equalBytes(terms.marketScript, keys.coinScript),
    'the market’s side of the settlement is not the market’s',
  )
  const transfer = buildTransfer(terms)
  const { funding, settlement } = buildCounterAcceptance(terms, from, feeRateSatVb)
  checkSettlement(settlement, {
    carriers: carriersOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats: feeOfLayout(settlement),
  })
  const payments = positionsOf(funding.layout.inputs, 'payment')
  demand(request.fundingSignatures.length === payments.length, 'each payment needs the buyer’s signature')
  verifySignature(request.transferSignature, transfer, 0, SIGHASH.DEFAULT)
  verifySignature(request.legSignature, settlement, 0, SIGHASH.ALL_ANYONECANPAY)
  for (const [n, index] of payments.entries())
    verifySignature(request.fundingSignatures[n]!, funding.layout, index, null)
  verifySignature(request.buyerSignature, settlement, 1, null)
  return [transfer, funding.layout, settlement]
}

/** Checks a fill; the guardian has agreed to it. */
export function checkedFill(request: FillRequest & Release, keys: MarketKeys, policy: Policy): Fill {
  const { terms } = request
  demand(terms.feeRateSatVb <= policy.maxFeeRateSatVb, 'the fee rate is above what the policy allows')
  demand(equalBytes(terms.offer.marketKey, keys.cosignKey), 'the offer is co-signed by another key')
  demand(equalBytes(terms.marketScript, keys.coinScript), 'the market’s fee goes somewhere else')
  const fill = checkFill(request, request.secret)
  verifySignature(
    request.guardianSignature,
    fill.settlement,
    positionsOf(fill.settlement.inputs, 'funding')[0]!,
    SIGHASH.DEFAULT,
  )
  return fill
}

/** Checks a transaction among the market's own coins. */
export function checkedCoins(
  { coins, outputSats, parents }: CoinsRequest,
  keys: MarketKeys,
  policy: Policy,
): Layout {
  demand(coins.length >= 1 && outputSats.length >= 1, 'a transaction has inputs and outputs')
  demand(
    coins.every((coin) => isOwn(coin, keys)),
    'not every coin is the market’s',
  )
  const layout: Layout = {
    version: 2,
    inputs: coins.map((coin) => ({
      role: 'anchor',
      coin,
      signer: 'market',
      spend: { by: 'key', ...keys.coins },
    })),
    outputs: outputSats.map((valueSats) => ({ role: 'anchor', valueSats, script: keys.coinScript })),
  }
  const bumped = parents.map((hex) => decodeTransaction(hex))
  const made = new Set(bumped.map(txidOf))
  demand(
    bumped.length === 0 || coins.some((coin) => made.has(coin.txid)),
    'the transaction spends nothing of what it should speed up',
  )
  const vsize = signedVsizeOf(layout) + sumSats(bumped.map(vsizeOf))
  const feeSats = sumSats(prevoutsOf(layout).map((each) => each.valueSats)) - sumSats(outputSats)
  demand(
    feeSats >= 0 && feeSats <= feeOf(vsize, policy.maxFeeRateSatVb),
    `a fee of ${feeSats} sats for ${vsize} vB is outside of what the policy allows`,
  )
  demand(
    outputSats.every((sats) => sats >= ANCHOR_SATS),
    'an output is below the dust limit',
  )
  return layout
}

/** The market's part of a transfer is the market's, and its anchor burns no more than an anchor holds. */
function demandTransfer(terms: TransferTerms, keys: MarketKeys): void {
  demand(equalBytes(terms.marketKey, keys.cosignKey), 'the escrow is co-signed by another key')
  demandSpend(terms.market, keys)
  demandAnchor(terms.anchor, keys)
}

function demandListing(listing: TransferTerms & { recoveryCoin: Coin }, keys: MarketKeys): void {
  demandTransfer(listing, keys)
  demandAnchor(listing.recoveryCoin, keys)
}

function demandAnchor(coin: Coin, keys: MarketKeys): void {
  demand(isOwn(coin, keys) && coin.valueSats === ANCHOR_SATS, 'an anchor is not a 330-sat coin of the market')
}

function demandSpend(spend: KeySpend, keys: MarketKeys): void {
  demand(
    spend.kind === keys.coins.kind && equalBytes(spend.publicKey, keys.coins.publicKey),
    'the market’s coins are spent in another way',
  )
}

const isOwn = (coin: Coin, keys: MarketKeys) => equalBytes(coin.script, keys.coinScript)
