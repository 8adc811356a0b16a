import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { verifySignature } from '@ordbook/bitcoin/psbt.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { Steps } from '@ordbook/bitcoin/steps.ts'
import { checkSettlement, escrowInputsOf } from '@ordbook/bitcoin/trade/check.ts'
import { buildCounterAcceptance } from '@ordbook/bitcoin/trade/counter.ts'
import { checkFill, type FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { generationOf } from '@ordbook/bitcoin/trade/generation.ts'
import {
  type Coin,
  feeOfLayout,
  type Layout,
  type LayoutOutput,
  positionsOf,
  signedVsizeOf,
  transactionOf,
} from '@ordbook/bitcoin/trade/layout.ts'
import {
  ANCHOR_SATS,
  buildReclaim,
  buildTransfer,
  type TransferTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import { buildPaidMove } from '@ordbook/bitcoin/trade/paid-move.ts'
import { buildPurchase, feeCoinsOf } from '@ordbook/bitcoin/trade/purchase.ts'
import { decodeTransaction, encodeOutput, type Tx, txidOf, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import {
  type CoinsRequest,
  type CounterRequest,
  type MarketKeys,
  type MoveRequest,
  type ReclaimRequest,
  type Release,
  type SettlementRequest,
  SignerRefusal,
} from './requests.ts'
import type { Leg } from './signer-state.ts'

/**
 * The policy for all uses of the market's keys. Requests contain only terms, and layouts are rebuilt from them. So if a listing pays its
 * seller less, its leg signature is invalid; if the buyer did not see the settlement, so is the payment signature; and the market's own
 * coins can only go back to the market. The market signs with taproot's SIGHASH_DEFAULT, which commits to value and script of every spent
 * coin: a signature made on a false value or script is invalid on chain.
 */
export interface Policy {
  /** Maximum fee rate of a transaction, in sat/vB. */
  maxFeeRateSatVb: number
  /** Maximum sats of the market that one call may pay as fees. */
  mostCallSats: number
}

/** A checked transaction for the market to sign, with all other signatures. */
export interface ToSign {
  layout: Layout
  /** Signatures of the seller and the buyer, each in input order. */
  seller?: readonly Uint8Array[]
  buyer?: readonly Uint8Array[]
  release?: Release
  /** Market sats that become fees if only this transaction is mined. */
  burnsSats?: number
  /** The legs that it settles. */
  legs?: readonly Leg[]
}

function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new SignerRefusal(reason)
}

/** Checks a purchase and returns its package, transfers first. Throws SignerRefusal, or BitcoinError if the kernel rejects the terms. */
export function* checkedSettlement(
  { terms, sellers, buyerSignatures }: SettlementRequest,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  const feeCoins = feeCoinsOf(terms)
  demand(sellers.length === terms.items.length, 'each item needs its seller’s signatures')
  demandRate(terms.feeRateSatVb, policy)
  demand(
    equalBytes(terms.marketScript, keys.coinScript) && feeCoins.every((coin) => isOwn(coin, keys)),
    'the market’s side of the settlement is not the market’s',
  )
  demandSpend(terms.market, keys)
  for (const { terms: listing, transferConfirmed } of terms.items) {
    demandTransfer(listing, keys)
    demandAnchor(listing.recoveryCoin, keys)
    demand(!listing.movedTo || transferConfirmed, 'an escrow coin that was moved needs no transfer')
  }

  const { settlement, feeSats } = buildPurchase(terms)
  demandDistinct(settlement)
  checkSettlement(settlement, {
    inscriptionInputs: escrowInputsOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats,
  })
  const marketIn = sumSats(feeCoins.map((coin) => coin.valueSats)) + ANCHOR_SATS * terms.items.length
  const marketOut = sumSats(
    settlement.outputs
      .filter((each) => equalBytes(each.script, keys.coinScript))
      .map((each) => each.valueSats),
  )
  demand(marketOut >= marketIn, `the settlement would cost the market ${marketIn - marketOut} sats`)

  const payments = positionsOf(settlement.inputs, 'payment')
  demand(buyerSignatures.length === payments.length, 'each payment needs the buyer’s signature')
  for (const [n, index] of payments.entries()) {
    verifySignature(buyerSignatures[n]!, settlement, index, null)
    yield
  }
  const escrows = positionsOf(settlement.inputs, 'escrow')
  const transfers: ToSign[] = []
  for (const [n, item] of terms.items.entries()) {
    const { transferSignature, legSignature } = sellers[n]!
    verifySignature(legSignature, settlement, escrows[n]!, SIGHASH.SINGLE_ANYONECANPAY)
    yield
    if (item.transferConfirmed) continue
    const layout = buildTransfer(item.terms)
    verifySignature(transferSignature, layout, 0, SIGHASH.DEFAULT)
    transfers.push(transferToSign(layout, transferSignature))
    yield
  }
  return [
    ...transfers,
    {
      layout: settlement,
      seller: sellers.map((each) => each.legSignature),
      buyer: buyerSignatures,
      legs: escrows.map((index) => legOf(settlement, index, [settlement.outputs[index]!])),
    },
  ]
}

/** Checks an accepted counter and returns its package in broadcast order. */
export function* checkedCounter(request: CounterRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  const { terms, from, feeRateSatVb } = request
  demandRate(feeRateSatVb, policy)
  demandTransfer(terms, keys)
  demandAnchor(terms.recoveryCoin, keys)
  demand(!terms.movedTo, 'the escrow coin of a counter is the output of its transfer')
  demand(
    equalBytes(terms.marketScript, keys.coinScript),
    'the market’s side of the settlement is not the market’s',
  )
  const transfer = buildTransfer(terms)
  const {
    funding: { layout: funding },
    settlement,
  } = buildCounterAcceptance(terms, from, feeRateSatVb)
  demandDistinct(funding)
  checkSettlement(settlement, {
    inscriptionInputs: escrowInputsOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats: feeOfLayout(settlement),
  })
  const payments = positionsOf(funding.inputs, 'payment')
  demand(request.fundingSignatures.length === payments.length, 'each payment needs the buyer’s signature')
  verifySignature(request.transferSignature, transfer, 0, SIGHASH.DEFAULT)
  yield
  verifySignature(request.legSignature, settlement, 0, SIGHASH.ALL_ANYONECANPAY)
  for (const [n, index] of payments.entries()) {
    yield
    verifySignature(request.fundingSignatures[n]!, funding, index, null)
  }
  yield
  verifySignature(request.buyerSignature, settlement, 1, null)
  return [
    transferToSign(transfer, request.transferSignature),
    { layout: funding, buyer: request.fundingSignatures },
    {
      layout: settlement,
      seller: [request.legSignature],
      buyer: [request.buyerSignature],
      legs: [legOf(settlement, 0, settlement.outputs)],
    },
  ]
}

/** Checks a fill that the guardian released, and returns its package. */
export function* checkedFill(
  request: FillRequest & Release,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  const { terms } = request
  demandRate(terms.feeRateSatVb, policy)
  demand(equalBytes(terms.offer.marketKey, keys.cosignKey), 'the offer is co-signed by another key')
  demand(equalBytes(terms.marketScript, keys.coinScript), 'the market’s fee goes somewhere else')
  const { fundingParent, settlement } = checkFill(request, request.secret)
  yield
  demandDistinct(fundingParent)
  verifySignature(
    request.guardianSignature,
    settlement,
    positionsOf(settlement.inputs, 'funding')[0]!,
    SIGHASH.DEFAULT,
  )
  return [
    { layout: fundingParent, buyer: request.makerSignatures },
    { layout: settlement, seller: [request.sellerSignature], release: request },
  ]
}

/** Checks a reclaim. Its layout can only pay the sellers, so generation floors do not apply. */
export function* checkedReclaim(request: ReclaimRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  return yield* checkedReturn(request, buildReclaim(request.escrows, request.feeCoins), keys, policy)
}

/** Checks a move. Its layout can only pay new escrows of the same owner, and spends no coin of the market. */
export function* checkedMove(request: MoveRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  const { escrows, form, from, feeRateSatVb, signatures, paymentSignatures } = request
  demandRate(feeRateSatVb, policy)
  for (const escrow of escrows) demandTransfer(escrow, keys)
  const { layout } = buildPaidMove(escrows, form, from, feeRateSatVb)
  demandDistinct(layout)
  demand(signatures.length === escrows.length, 'each escrow coin needs its seller’s signature')
  for (const [index, signature] of signatures.entries()) {
    verifySignature(signature, layout, index, SIGHASH.ALL)
    yield
  }
  const payments = positionsOf(layout.inputs, 'payment')
  demand(paymentSignatures.length === payments.length, 'each payment needs its owner’s signature')
  for (const [n, index] of payments.entries()) {
    verifySignature(paymentSignatures[n]!, layout, index, SIGHASH.ALL)
    yield
  }
  demand(
    layout.inputs.every(({ coin }) => !isOwn(coin, keys)),
    'a coin of the market pays for the move',
  )
  return [{ layout, seller: [...signatures, ...paymentSignatures] }]
}

function* checkedReturn(
  { escrows, feeCoins, signatures }: ReclaimRequest,
  layout: Layout,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  for (const escrow of escrows) demandTransfer(escrow, keys)
  demand(
    feeCoins.every((coin) => isOwn(coin, keys)),
    'not every coin that pays the fee is the market’s',
  )
  demandDistinct(layout)
  const feeSats = demandFee(layout, signedVsizeOf(layout), policy)
  demand(signatures.length === escrows.length, 'each escrow coin needs its seller’s signature')
  for (const [index, signature] of signatures.entries()) {
    verifySignature(signature, layout, index, SIGHASH.ALL)
    yield
  }
  return [{ layout, seller: signatures, burnsSats: feeSats }]
}

/** Maximum vB of the transactions that one child bumps: Core's ancestor limit. */
const MAX_PARENTS_VSIZE = 101_000

/** Checks a transaction that spends and pays only the market's own coins. */
export function* checkedCoins(
  { coins, outputSats, parents }: CoinsRequest,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
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
  demandDistinct(layout)
  const parentsVsize = vsizeOfAncestors(coins, parents)
  demand(
    parentsVsize <= MAX_PARENTS_VSIZE,
    `the transactions to speed up have ${parentsVsize} vB, above the ${MAX_PARENTS_VSIZE} of a mempool`,
  )
  const feeSats = demandFee(layout, signedVsizeOf(layout) + parentsVsize, policy)
  demand(
    outputSats.every((sats) => sats >= ANCHOR_SATS),
    'an output is below the dust limit',
  )
  return [{ layout, burnsSats: feeSats }]
}

/** Size in vB of the unconfirmed parents. Throws if one of them is not an ancestor of a coin. */
function vsizeOfAncestors(coins: readonly Coin[], parents: readonly string[]): number {
  const byTxid = new Map(
    parents.map((hex): [string, Tx] => {
      const tx = decodeTransaction(hex)
      return [txidOf(tx), tx]
    }),
  )
  const ancestors = new Set<string>()
  const waiting = coins.map((coin) => coin.txid)
  for (let txid = waiting.pop(); txid !== undefined; txid = waiting.pop()) {
    const parent = byTxid.get(txid)
    if (!parent || ancestors.has(txid)) continue
    ancestors.add(txid)
    waiting.push(...new Set(parent.inputs.map((input) => input.txid)))
  }
  for (const txid of byTxid.keys())
    demand(
      ancestors.has(txid),
      `${txid}, which this transaction should speed up, is not an ancestor of its coins`,
    )
  return sumSats([...byTxid.values()].map(vsizeOf))
}

/** The transfer of a sale. If only the transfer is mined, the market loses its anchor; the buyer repays it in the settlement. */
const transferToSign = (layout: Layout, signature: Uint8Array): ToSign => ({
  layout,
  seller: [signature],
  burnsSats: ANCHOR_SATS,
})

/** The leg on an escrow input: its generation, from the sequence, and a hash of the outputs that the seller signed. */
function legOf(settlement: Layout, index: number, paid: readonly LayoutOutput[]): Leg {
  const { txid, vout, sequence } = transactionOf(settlement).inputs[index]!
  return {
    outpoint: `${txid}:${vout}`,
    generation: generationOf(sequence),
    price: bytesToHex(sha256(joinBytes(paid.map(encodeOutput)))).slice(0, 32),
  }
}

/** Checks that the market's keys in an escrow are ours, and that its anchor has exactly ANCHOR_SATS. */
function demandTransfer(terms: TransferTerms, keys: MarketKeys): void {
  demand(equalBytes(terms.marketKey, keys.cosignKey), 'the escrow is co-signed by another key')
  demandSpend(terms.market, keys)
  demandAnchor(terms.anchor, keys)
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

function demandRate(feeRateSatVb: number, policy: Policy): void {
  demand(feeRateSatVb <= policy.maxFeeRateSatVb, 'the fee rate is above what the policy allows')
}

/** Returns the fee of a layout that the market pays for, after checking it against the policy. */
function demandFee(layout: Layout, vsize: number, policy: Policy): number {
  const feeSats = feeOfLayout(layout)
  demand(
    feeSats >= 0 && feeSats <= feeOf(vsize, policy.maxFeeRateSatVb),
    `a fee of ${feeSats} sats for ${vsize} vB is outside what the policy allows`,
  )
  return feeSats
}

/** Rejects a coin that is listed twice: its sats would be counted twice. */
function demandDistinct(layout: Layout): void {
  const outpoints = layout.inputs.map(({ coin }) => `${coin.txid}:${coin.vout}`)
  demand(new Set(outpoints).size === outpoints.length, 'a coin is spent twice')
}

const isOwn = (coin: Coin, keys: MarketKeys) => equalBytes(coin.script, keys.coinScript)
