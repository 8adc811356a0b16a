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
 * Policy for all uses of the market's keys. Requests contain only terms, from which layouts are rebuilt. So a leg signature is invalid if
 * the listing pays its seller less, a payment signature is invalid if the buyer saw a different settlement, and market coins can only go
 * back to the market.
 *
 * The market signs with SIGHASH_DEFAULT, which commits to value and script of every spent coin, so a signature on a false value or script
 * is invalid on chain.
 */
export interface Policy {
  /** In sat/vB. */
  maxFeeRateSatVb: number
  /** Maximum market sats that one call can spend on fees. */
  mostCallSats: number
}

/** A checked transaction that lacks only the market's signatures. */
export interface ToSign {
  layout: Layout
  /** The seller's and buyer's signatures, in input order. */
  seller?: readonly Uint8Array[]
  buyer?: readonly Uint8Array[]
  release?: Release
  /** Market sats lost to fees if only this transaction is mined. */
  burnsSats?: number
  /** Legs that the transaction settles. */
  legs?: readonly Leg[]
}

function assert(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new SignerRefusal(reason)
}

/** Checks a purchase and returns its package, transfers first. Throws SignerRefusal, or BitcoinError if the terms are invalid. */
export function* checkedSettlement(
  { terms, sellers, buyerSignatures }: SettlementRequest,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  const feeCoins = feeCoinsOf(terms)
  assert(sellers.length === terms.items.length, 'each item requires signatures of its seller')
  assertRate(terms.feeRateSatVb, policy)
  assert(
    equalBytes(terms.marketScript, keys.coinScript) && feeCoins.every((coin) => isOwn(coin, keys)),
    'the market’s script or fee coins have a different key',
  )
  assertSpend(terms.market, keys)
  for (const { terms: listing, transferConfirmed } of terms.items) {
    assertTransfer(listing, keys)
    assertAnchor(listing.recoveryCoin, keys)
    assert(!listing.movedTo || transferConfirmed, 'a moved escrow coin cannot have an unconfirmed transfer')
  }

  const { settlement, feeSats } = buildPurchase(terms)
  assertDistinct(settlement)
  checkSettlement(settlement, {
    inscriptionInputs: escrowInputsOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats,
  })
  const marketIn = sumSats(feeCoins.map((coin) => coin.valueSats)) + ANCHOR_SATS * terms.items.length
  const marketOut = sumSats(
    settlement.outputs
      .filter((output) => equalBytes(output.script, keys.coinScript))
      .map((output) => output.valueSats),
  )
  assert(marketOut >= marketIn, `the settlement would cost the market ${marketIn - marketOut} sats`)

  const payments = positionsOf(settlement.inputs, 'payment')
  assert(buyerSignatures.length === payments.length, 'each payment requires a signature of the buyer')
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
      seller: sellers.map((seller) => seller.legSignature),
      buyer: buyerSignatures,
      legs: escrows.map((index) => legOf(settlement, index, [settlement.outputs[index]!])),
    },
  ]
}

/** Checks an accepted counter and returns its package in broadcast order. */
export function* checkedCounter(request: CounterRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  const { terms, from, feeRateSatVb } = request
  assertRate(feeRateSatVb, policy)
  assertTransfer(terms, keys)
  assertAnchor(terms.recoveryCoin, keys)
  assert(!terms.movedTo, 'the escrow coin of a counter cannot be a moved coin')
  assert(equalBytes(terms.marketScript, keys.coinScript), 'the market’s script has a different key')
  const transfer = buildTransfer(terms)
  const {
    funding: { layout: funding },
    settlement,
  } = buildCounterAcceptance(terms, from, feeRateSatVb)
  assertDistinct(funding)
  checkSettlement(settlement, {
    inscriptionInputs: escrowInputsOf(settlement),
    ownerScript: terms.buyerScript,
    feeSats: feeOfLayout(settlement),
  })
  const payments = positionsOf(funding.inputs, 'payment')
  assert(
    request.fundingSignatures.length === payments.length,
    'each payment requires a signature of the buyer',
  )
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

/** Checks a fill released by the guardian, and returns its package. */
export function* checkedFill(
  request: FillRequest & Release,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  const { terms } = request
  assertRate(terms.feeRateSatVb, policy)
  assert(equalBytes(terms.offer.marketKey, keys.cosignKey), 'the offer has a different co-signing key')
  assert(equalBytes(terms.marketScript, keys.coinScript), 'the market’s script has a different key')
  const { fundingParent, settlement } = checkFill(request, request.secret)
  yield
  assertDistinct(fundingParent)
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

/** Checks a reclaim. Generation floors do not apply, because it can only pay the sellers. */
export function* checkedReclaim(request: ReclaimRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  return yield* checkedReturn(request, buildReclaim(request.escrows, request.feeCoins), keys, policy)
}

/** Checks a move. It can only pay new escrows of the same owner, and spends no market coins. */
export function* checkedMove(request: MoveRequest, keys: MarketKeys, policy: Policy): Steps<ToSign[]> {
  const { escrows, form, from, feeRateSatVb, signatures, paymentSignatures } = request
  assertRate(feeRateSatVb, policy)
  for (const escrow of escrows) assertTransfer(escrow, keys)
  const { layout } = buildPaidMove(escrows, form, from, feeRateSatVb)
  assertDistinct(layout)
  assert(signatures.length === escrows.length, 'each escrow coin requires a signature of its seller')
  for (const [index, signature] of signatures.entries()) {
    verifySignature(signature, layout, index, SIGHASH.ALL)
    yield
  }
  const payments = positionsOf(layout.inputs, 'payment')
  assert(paymentSignatures.length === payments.length, 'each payment requires a signature of its owner')
  for (const [n, index] of payments.entries()) {
    verifySignature(paymentSignatures[n]!, layout, index, SIGHASH.ALL)
    yield
  }
  assert(
    layout.inputs.every(({ coin }) => !isOwn(coin, keys)),
    'the move spends a market coin',
  )
  return [{ layout, seller: [...signatures, ...paymentSignatures] }]
}

function* checkedReturn(
  { escrows, feeCoins, signatures }: ReclaimRequest,
  layout: Layout,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  for (const escrow of escrows) assertTransfer(escrow, keys)
  assert(
    feeCoins.every((coin) => isOwn(coin, keys)),
    'a fee coin is not a market coin',
  )
  assertDistinct(layout)
  const feeSats = checkedFee(layout, signedVsizeOf(layout), policy)
  assert(signatures.length === escrows.length, 'each escrow coin requires a signature of its seller')
  for (const [index, signature] of signatures.entries()) {
    verifySignature(signature, layout, index, SIGHASH.ALL)
    yield
  }
  return [{ layout, seller: signatures, burnsSats: feeSats }]
}

/** Maximum vB of the parents of a CPFP child: Core's ancestor limit. */
const MAX_PARENTS_VSIZE = 101_000

/** Checks a transaction that spends and pays only market coins. */
export function* checkedCoins(
  { coins, outputSats, parents }: CoinsRequest,
  keys: MarketKeys,
  policy: Policy,
): Steps<ToSign[]> {
  assert(
    coins.every((coin) => isOwn(coin, keys)),
    'a coin is not a market coin',
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
  assertDistinct(layout)
  const parentsVsize = vsizeOfAncestors(coins, parents)
  assert(
    parentsVsize <= MAX_PARENTS_VSIZE,
    `the parents have ${parentsVsize} vB, above the mempool limit of ${MAX_PARENTS_VSIZE} vB`,
  )
  const feeSats = checkedFee(layout, signedVsizeOf(layout) + parentsVsize, policy)
  assert(
    outputSats.every((sats) => sats >= ANCHOR_SATS),
    'an output is below the dust limit',
  )
  return [{ layout, burnsSats: feeSats }]
}

/** Returns the size of the unconfirmed parents in vB. Throws if one of them is not an ancestor of a coin. */
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
    assert(ancestors.has(txid), `parent ${txid} is not an ancestor of the coins`)
  return sumSats([...byTxid.values()].map(vsizeOf))
}

/** Returns the transfer of a sale. The market loses its anchor if only the transfer is mined; otherwise the buyer repays it. */
const transferToSign = (layout: Layout, signature: Uint8Array): ToSign => ({
  layout,
  seller: [signature],
  burnsSats: ANCHOR_SATS,
})

/** Returns the leg of an escrow input: its generation, from the sequence, and a hash of the outputs that the seller signed. */
function legOf(settlement: Layout, index: number, paid: readonly LayoutOutput[]): Leg {
  const { txid, vout, sequence } = transactionOf(settlement).inputs[index]!
  return {
    outpoint: `${txid}:${vout}`,
    generation: generationOf(sequence),
    price: bytesToHex(sha256(joinBytes(paid.map(encodeOutput)))).slice(0, 32),
  }
}

/** Checks that an escrow and its anchor use the market's keys. */
function assertTransfer(terms: TransferTerms, keys: MarketKeys): void {
  assert(equalBytes(terms.marketKey, keys.cosignKey), 'the escrow has a different co-signing key')
  assertSpend(terms.market, keys)
  assertAnchor(terms.anchor, keys)
}

function assertAnchor(coin: Coin, keys: MarketKeys): void {
  assert(isOwn(coin, keys) && coin.valueSats === ANCHOR_SATS, 'an anchor is not a 330-sat coin of the market')
}

function assertSpend(spend: KeySpend, keys: MarketKeys): void {
  assert(
    spend.kind === keys.coins.kind && equalBytes(spend.publicKey, keys.coins.publicKey),
    'the market’s coins have a different key',
  )
}

function assertRate(feeRateSatVb: number, policy: Policy): void {
  assert(feeRateSatVb <= policy.maxFeeRateSatVb, 'the fee rate exceeds the policy’s maximum')
}

/** Returns the market's fee for a layout, checked against the policy. */
function checkedFee(layout: Layout, vsize: number, policy: Policy): number {
  const feeSats = feeOfLayout(layout)
  assert(
    feeSats >= 0 && feeSats <= feeOf(vsize, policy.maxFeeRateSatVb),
    `a fee of ${feeSats} sats for ${vsize} vB is outside the policy’s range`,
  )
  return feeSats
}

/** Rejects a duplicate coin, because its sats would count twice. */
function assertDistinct(layout: Layout): void {
  const outpoints = layout.inputs.map(({ coin }) => `${coin.txid}:${coin.vout}`)
  assert(new Set(outpoints).size === outpoints.length, 'a coin is spent twice')
}

const isOwn = (coin: Coin, keys: MarketKeys) => equalBytes(coin.script, keys.coinScript)
