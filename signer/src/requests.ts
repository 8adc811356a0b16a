import type { LogHead } from '@ordbook/bitcoin/log-head.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { Bytes, type CallSchema, Exactly, List } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import type { Mark } from './mark.ts'
import {
  Coin,
  FeeRate,
  Generation,
  Hash,
  KeySpend,
  Output,
  PaymentSignatures,
  Payments,
  RawTransaction,
  Sats,
  Script,
  Signature,
  XOnlyKey,
} from './scalars.ts'

/** Most listings in one settlement, recovery, reclaim or move. */
const MOST_ITEMS = 20

const EscrowForm = Type.Union([Type.Literal('published'), Type.Literal('wallet')])

const transferTerms = {
  inscriptionCoin: Coin,
  seller: KeySpend,
  marketKey: XOnlyKey,
  escrowForm: EscrowForm,
  movedTo: Type.Union([Coin, Type.Null()]),
  anchor: Coin,
  market: KeySpend,
}
const TransferTerms = Exactly(transferTerms)
const ListingTerms = Exactly({
  ...transferTerms,
  generation: Generation,
  recoveryCoin: Coin,
  payoutSats: Sats,
  payoutScript: Script,
})
const PurchaseTerms = Exactly({
  items: List(
    Exactly({
      terms: ListingTerms,
      transferConfirmed: Type.Boolean(),
      marketplaceRevenueSats: Sats,
      royalty: Type.Union([Output, Type.Null()]),
    }),
    MOST_ITEMS,
    1,
  ),
  payments: Payments,
  payer: KeySpend,
  buyerScript: Script,
  changeScript: Script,
  market: KeySpend,
  marketScript: Script,
  feeCoins: Type.Union([
    Exactly({ by: Type.Literal('tail'), tail: Coin }),
    Exactly({ by: Type.Literal('pads'), pads: List(Coin, MOST_ITEMS + 1) }),
  ]),
  feeRateSatVb: FeeRate,
  donationScript: Type.Union([Script, Type.Null()]),
})
const CounterTerms = Exactly({
  ...transferTerms,
  generation: Generation,
  recoveryCoin: Coin,
  payoutSats: Sats,
  payoutScript: Script,
  marketplaceRevenueSats: Sats,
  marketScript: Script,
  royalty: Type.Union([Output, Type.Null()]),
  buyerScript: Script,
})

/** The public part of the market's two keys. */
export const MarketKeys = Exactly({
  /** M, x-only: co-signs escrow leaves, only with DEFAULT, and signs heads of the order log under their tag. */
  cosignKey: XOnlyKey,
  /** The key spend of the market's own coins: anchors and tail coins. */
  coins: KeySpend,
  /** Script of the market's own coins. */
  coinScript: Script,
})

/** A signed transaction. */
export const Signed = Exactly({ txid: Hash, hex: RawTransaction })

/** A purchase with all signatures but the market's. */
export const SettlementRequest = Exactly({
  terms: PurchaseTerms,
  /** By item: the seller's signatures on the transfer and on the settlement leg. */
  sellers: List(Exactly({ transferSignature: Signature, legSignature: Signature }), MOST_ITEMS),
  /** By payment, in order. */
  buyerSignatures: PaymentSignatures,
})

/** Escrow coins of listings and counters, of either form; only the terms of their transfers count here. */
const EscrowTerms = Type.Union([TransferTerms, ListingTerms, CounterTerms])
/** Coins of the market that pay for a reclaim or a move, all of them as its fee. */
const FeeCoins = List(Coin, 2 * MOST_ITEMS, 1)

/** Escrow coins back to their sellers: a recovery that was signed with the listing, or one that is signed on demand. */
export const ReclaimRequest = Exactly({
  escrows: List(EscrowTerms, MOST_ITEMS, 1),
  feeCoins: FeeCoins,
  /** The sellers', in order, ALL. */
  signatures: List(Signature, MOST_ITEMS, 1),
})

/** Escrow coins into new ones of `form`, which ends every leg that was signed on the old ones. */
export const MoveRequest = Exactly({
  escrows: List(EscrowTerms, MOST_ITEMS, 1),
  form: EscrowForm,
  /** The owner's coins, which pay for it. */
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** The owner's, ALL: on the escrows in order, and by payment. */
  signatures: List(Signature, MOST_ITEMS, 1),
  paymentSignatures: PaymentSignatures,
})

/** An accepted counter with all signatures but the market's. */
export const CounterRequest = Exactly({
  terms: CounterTerms,
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** The seller's, on the transfer and on the settlement's escrow input (ALL with ANYONECANPAY). */
  transferSignature: Signature,
  legSignature: Signature,
  /** The buyer's: by payment of the funding transaction, and on the settlement's funding input. */
  fundingSignatures: PaymentSignatures,
  buyerSignature: Signature,
})

/** The guardian's answer for a fill. */
export const Release = Exactly({ secret: Bytes(32), guardianSignature: Signature })

/** The terms of a collection offer before its secret is known. */
const openBid = {
  payments: Payments,
  payer: KeySpend,
  changeScript: Script,
  makerScript: Script,
  guardianKey: XOnlyKey,
  marketKey: XOnlyKey,
  priceSats: Sats,
}
const BidCriteria = Exactly({
  criteria: Type.String({ maxLength: 100_000 }),
  eligibleRoot: Hash,
  expiresAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
const fillRequest = {
  terms: Exactly({
    offer: Exactly({ ...openBid, secretHash: Bytes(32) }),
    inscriptionCoin: Coin,
    seller: KeySpend,
    sellerReceiveSats: Sats,
    payoutScript: Script,
    marketplaceRevenueSats: Sats,
    marketScript: Script,
    royalty: Type.Union([Output, Type.Null()]),
    feeRateSatVb: FeeRate,
    leastPayoutSats: Sats,
  }),
  asked: BidCriteria,
  inscriptionId: Type.String({ pattern: '^[0-9a-f]{64}i(?:0|[1-9][0-9]{0,9})$' }),
  satOffset: Sats,
  proof: List(Exactly({ side: Type.Union([Type.Literal('left'), Type.Literal('right')]), hash: Hash }), 64),
  makerSignatures: PaymentSignatures,
  sellerSignature: Signature,
}

/** The market's coins into coins of the market: there is no way to say anything else. */
export const CoinsRequest = Exactly({
  coins: List(Coin, 500, 1),
  outputSats: List(Sats, 500, 1),
  /** Raw transactions that the fee is for as well: unconfirmed, the coins come out of them. */
  parents: List(RawTransaction, 25),
})

/** Escrow coins whose floors are raised, or asked for, at once. */
export const MOST_FLOORS = 5_000
const OutpointText = Type.String({ pattern: '^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$' })
/** The lowest generation of a leg that is signed on an escrow coin; 0 where none was raised. */
export const Floor = Exactly({
  /** `txid:vout`. */
  outpoint: OutpointText,
  floor: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 1 }),
})

/** A known escrow coin: its floor, and a generation above all that were signed or revoked on it. */
const KnownFloor = Exactly({
  ...Floor.properties,
  /** The lowest generation that may be issued for another price. */
  next: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 2 }),
})

/** Most orders in one request. */
export const MOST_REVOKED = 1000
const OrderId = Type.String({ pattern: '^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$' })
/**
 * An order that was taken back: its id, for the guardian the hash of its secret in hex, and the time at which it expires anyway, in
 * milliseconds.
 */
export const Revocation = Exactly({
  id: OrderId,
  expiresAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
/** The same two calls of signer and guardian. */
const revocationCalls = {
  revoke: { request: List(Revocation, MOST_REVOKED), answer: Type.Null() },
  revoked: { request: List(OrderId, MOST_REVOKED), answer: List(OrderId, MOST_REVOKED) },
} satisfies Record<string, CallSchema>

/** The newest change of the market's order log, which the market vouches for: under a tag of its own, so no transaction has this hash. */
const LogHeadRequest = Exactly({
  network: Type.String({ pattern: '^[a-z0-9]{1,20}$' }),
  position: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  hash: Hash,
})

/** Every call of the signer. */
export const signerCalls = {
  keys: { request: Exactly({}), answer: MarketKeys },
  signSettlement: { request: SettlementRequest, answer: List(Signed, MOST_ITEMS + 1) },
  signCounter: { request: CounterRequest, answer: List(Signed, 3) },
  signFill: {
    request: Exactly({ ...fillRequest, secret: Bytes(32), guardianSignature: Signature }),
    answer: List(Signed, 2),
  },
  signReclaim: { request: ReclaimRequest, answer: Signed },
  signMove: { request: MoveRequest, answer: Signed },
  signCoins: { request: CoinsRequest, answer: Signed },
  raiseFloors: { request: List(Floor, MOST_FLOORS), answer: Type.Null() },
  floors: { request: List(OutpointText, MOST_FLOORS), answer: List(KnownFloor, MOST_FLOORS) },
  ...revocationCalls,
  signLogHead: { request: LogHeadRequest, answer: Bytes(64) },
} satisfies Record<string, CallSchema>

/** Every call of the guardian. */
export const guardianCalls = {
  key: { request: Exactly({}), answer: XOnlyKey },
  lock: { request: Exactly({ terms: Exactly(openBid), asked: BidCriteria }), answer: Bytes(32) },
  release: { request: Exactly(fillRequest), answer: Release },
  ...revocationCalls,
} satisfies Record<string, CallSchema>

export type MarketKeys = Static<typeof MarketKeys>
export type Signed = Static<typeof Signed>
export type SettlementRequest = Static<typeof SettlementRequest>
export type ReclaimRequest = Static<typeof ReclaimRequest>
export type MoveRequest = Static<typeof MoveRequest>
export type CounterRequest = Static<typeof CounterRequest>
export type CoinsRequest = Static<typeof CoinsRequest>
export type Release = Static<typeof Release>
export type Floor = Static<typeof Floor>
export type KnownFloor = Static<typeof KnownFloor>
export type Revocation = Static<typeof Revocation>

/**
 * The holder of the market's keys. It is asked with the terms of a trade, never with a transaction or a hash: it rebuilds every
 * layout itself, checks all other signatures and the flow of the sats, writes down what it signs, and then signs. It can live
 * in the server or in a process of its own. Its calls throw SignerRefusal.
 */
export interface Signer {
  keys: MarketKeys
  /** The last mark of its journal that is known here. */
  mark(): Mark
  /** Whether another host stands by with the whole journal, as of the last answer; null where there is no pair. */
  isPaired(): boolean | null
  /** The package of a purchase, transfers first. */
  signSettlement(request: SettlementRequest): Promise<Signed[]>
  /** The package of an accepted counter: transfer, funding, settlement. */
  signCounter(request: CounterRequest): Promise<Signed[]>
  /** The package of a fill: funding parent and settlement. */
  signFill(request: FillRequest & Release): Promise<Signed[]>
  /** Escrow coins back to their sellers. */
  signReclaim(request: ReclaimRequest): Promise<Signed>
  /** Escrow coins into new ones of their sellers. */
  signMove(request: MoveRequest): Promise<Signed>
  /** The market's own coins, split, merged or spent for a fee. */
  signCoins(request: CoinsRequest): Promise<Signed>
  /** Never again signs a leg of these escrow coins below its floor. Floors only rise. */
  raiseFloors(floors: readonly Floor[]): Promise<void>
  /** The floors of these escrow coins (`txid:vout`), in order. */
  floors(outpoints: readonly string[]): Promise<KnownFloor[]>
  /** Remembers orders that their makers took back, which no database that is brought back may revive. */
  revoke(revocations: readonly Revocation[]): Promise<void>
  /** Returns the ids of the revoked orders among these. */
  revoked(ids: readonly string[]): Promise<string[]>
  /** The signature of M on the head of the order log (BIP-340), by which a market that tells two histories is caught. */
  signLogHead(head: LogHead): Promise<Uint8Array>
}

/** The signer's policy says no; the message says to what. */
export class SignerRefusal extends Error {}

/** The order that it is about was taken back by its owner. */
export class RevokedRefusal extends SignerRefusal {}

/** It may give away no more of the market's sats at once, or today. */
export class SpentRefusal extends SignerRefusal {}
