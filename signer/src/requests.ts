import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import type { CounterTerms } from '@ordbook/bitcoin/trade/counter.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Payer } from '@ordbook/bitcoin/trade/payment.ts'
import type { PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'

/** What everybody may know of the market's two keys. */
export interface MarketKeys {
  /** M, x-only: co-signs escrow leaves, only with DEFAULT, and does nothing else. */
  cosignKey: Uint8Array
  /** How the market's own coins, anchors and tail coins, are spent. */
  coins: KeySpend
  /** Script of the market's own coins. */
  coinScript: Uint8Array
}

/** A signed transaction. */
export interface Signed {
  txid: string
  hex: string
}

/** A purchase with everybody's signatures but the market's. */
export interface SettlementRequest {
  terms: PurchaseTerms
  /** By item: the seller's signatures on the transfer and on the settlement leg. */
  sellers: readonly { transferSignature: Uint8Array; legSignature: Uint8Array }[]
  /** By payment, in order. */
  buyerSignatures: readonly Uint8Array[]
}

/** A recovery, of listings or of a counter, with its sellers' signatures, in item order. */
export interface RecoveryRequest {
  batch: readonly (TransferTerms & { recoveryCoin: Coin })[]
  signatures: readonly Uint8Array[]
}

/** An accepted counter with everybody's signatures but the market's. */
export interface CounterRequest {
  terms: CounterTerms
  from: Payer
  feeRateSatVb: number
  /** The seller's, on the transfer and on the settlement's escrow input (ALL with ANYONECANPAY). */
  transferSignature: Uint8Array
  legSignature: Uint8Array
  /** The buyer's: by payment of the funding transaction, and on the settlement's funding input. */
  fundingSignatures: readonly Uint8Array[]
  buyerSignature: Uint8Array
}

/** What the guardian gives for a fill. */
export interface Release {
  secret: Uint8Array
  guardianSignature: Uint8Array
}

/** The market's coins into coins of the market: there is no way to say anything else. */
export interface CoinsRequest {
  coins: readonly Coin[]
  outputSats: readonly number[]
  /** Raw transactions that the fee is for as well: unconfirmed, the coins come out of them. */
  parents: readonly string[]
}

/**
 * Who holds the market's keys. It is asked with the terms of a trade, never with a transaction or a hash: it rebuilds
 * every layout itself, checks everybody else's signatures and where the sats go, and then signs. It can live in the
 * server or in a process of its own.
 */
export interface Signer {
  keys: MarketKeys
  /** The package of a purchase, transfers first. Throws SignerRefusal. */
  signSettlement(request: SettlementRequest): Promise<Signed[]>
  /** The package of an accepted counter: transfer, funding, settlement. Throws SignerRefusal. */
  signCounter(request: CounterRequest): Promise<Signed[]>
  /** The package of a fill: funding parent and settlement. Throws SignerRefusal. */
  signFill(request: FillRequest & Release): Promise<Signed[]>
  /** Escrow coins back to their sellers. Throws SignerRefusal. */
  signRecovery(request: RecoveryRequest): Promise<Signed>
  /** The market's own coins, split, merged or spent for a fee. Throws SignerRefusal. */
  signCoins(request: CoinsRequest): Promise<Signed>
  /** Never again signs a settlement of these transfers: their listings are gone for good. */
  revoke(transferTxids: readonly string[]): Promise<void>
  /** Those of these transfers that were revoked. */
  revoked(transferTxids: readonly string[]): Promise<string[]>
}

/** The signer's policy says no; the message says to what. */
export class SignerRefusal extends Error {}
