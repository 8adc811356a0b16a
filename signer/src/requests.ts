import type { LogHead } from '@ordbook/bitcoin/log-head.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { Bytes, type CallSchema, Exactly, List } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import type { Mark } from './checkpoint.ts'
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

/** Maximum items per settlement, recovery, reclaim or move. */
const MAX_ITEMS = 20

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
    MAX_ITEMS,
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
    Exactly({ by: Type.Literal('pads'), pads: List(Coin, MAX_ITEMS + 1) }),
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

/** Public keys of the market. */
export const MarketKeys = Exactly({
  /** M, x-only. Co-signs escrow leaves, only with SIGHASH_DEFAULT, and signs order log heads under a separate tag. */
  cosignKey: XOnlyKey,
  /** Key of anchors and tail coins. */
  coins: KeySpend,
  coinScript: Script,
})

export const Signed = Exactly({ txid: Hash, hex: RawTransaction })

/** A purchase that lacks only the market's signatures. */
export const SettlementRequest = Exactly({
  terms: PurchaseTerms,
  /** Per item. */
  sellers: List(Exactly({ transferSignature: Signature, legSignature: Signature }), MAX_ITEMS),
  /** In payment order. */
  buyerSignatures: PaymentSignatures,
})

/** Escrow coins of listings and counters. Only transfer terms are used. */
const EscrowTerms = Type.Union([TransferTerms, ListingTerms, CounterTerms])
/** Market coins that a reclaim spends on its fee. */
const FeeCoins = List(Coin, 2 * MAX_ITEMS, 1)

/** Returns escrow coins to their sellers, by a recovery signed at listing or a reclaim signed on demand. */
export const ReclaimRequest = Exactly({
  escrows: List(EscrowTerms, MAX_ITEMS, 1),
  feeCoins: FeeCoins,
  /** In escrow order, SIGHASH_ALL. */
  signatures: List(Signature, MAX_ITEMS, 1),
})

/** Moves escrow coins into new ones of `form`, which invalidates all legs on the old coins. */
export const MoveRequest = Exactly({
  escrows: List(EscrowTerms, MAX_ITEMS, 1),
  form: EscrowForm,
  /** The owner's coins, which pay the fee. */
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** Per escrow and per payment, SIGHASH_ALL. */
  signatures: List(Signature, MAX_ITEMS, 1),
  paymentSignatures: PaymentSignatures,
})

/** An accepted counter that lacks only the market's signatures. */
export const CounterRequest = Exactly({
  terms: CounterTerms,
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** The seller's signatures on the transfer, and on the settlement's escrow input (ALL with ANYONECANPAY). */
  transferSignature: Signature,
  legSignature: Signature,
  /** The buyer's signatures per payment of the funding transaction, and on the settlement's funding input. */
  fundingSignatures: PaymentSignatures,
  buyerSignature: Signature,
})

/** The guardian's response for a fill. */
export const Release = Exactly({ secret: Bytes(32), guardianSignature: Signature })

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

/** Spends market coins to market coins. The schema allows no other destination. */
export const CoinsRequest = Exactly({
  coins: List(Coin, 500, 1),
  outputSats: List(Sats, 500, 1),
  /** Raw unconfirmed parents, whose fee is also paid (CPFP). */
  parents: List(RawTransaction, 25),
})

/** Maximum escrow coins per request. */
export const MAX_FLOORS = 5_000
const OutpointText = Type.String({ pattern: '^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$' })
/** Lowest generation of an escrow coin that the signer still signs; initially 0. */
export const Floor = Exactly({
  /** `txid:vout`. */
  outpoint: OutpointText,
  floor: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 1 }),
})

/** Floor of an escrow coin with the next unused generation. */
const KnownFloor = Exactly({
  ...Floor.properties,
  /** Lowest unused generation. */
  next: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 2 }),
})

/** Maximum orders per request. */
export const MAX_REVOKED = 1000
const OrderId = Type.String({ pattern: '^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$' })
/** A cancelled order: its id (for the guardian, the hash of its secret in hex) and expiry in milliseconds. */
export const Revocation = Exactly({
  id: OrderId,
  expiresAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
const revocationCalls = {
  revoke: { request: List(Revocation, MAX_REVOKED), answer: Type.Null() },
  revoked: { request: List(OrderId, MAX_REVOKED), answer: List(OrderId, MAX_REVOKED) },
} satisfies Record<string, CallSchema>

/** Head of the market's order log. Signed under a separate tag, so no transaction has the same hash. */
const LogHeadRequest = Exactly({
  network: Type.String({ pattern: '^[a-z0-9]{1,20}$' }),
  position: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  hash: Hash,
})

export const signerCalls = {
  keys: { request: Exactly({}), answer: MarketKeys },
  signSettlement: { request: SettlementRequest, answer: List(Signed, MAX_ITEMS + 1) },
  signCounter: { request: CounterRequest, answer: List(Signed, 3) },
  signFill: {
    request: Exactly({ ...fillRequest, secret: Bytes(32), guardianSignature: Signature }),
    answer: List(Signed, 2),
  },
  signReclaim: { request: ReclaimRequest, answer: Signed },
  signMove: { request: MoveRequest, answer: Signed },
  signCoins: { request: CoinsRequest, answer: Signed },
  raiseFloors: { request: List(Floor, MAX_FLOORS), answer: Type.Null() },
  floors: { request: List(OutpointText, MAX_FLOORS), answer: List(KnownFloor, MAX_FLOORS) },
  ...revocationCalls,
  signLogHead: { request: LogHeadRequest, answer: Bytes(64) },
} satisfies Record<string, CallSchema>

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
 * Holder of the market's keys, in the server or a separate process. Callers send terms, never transactions or hashes. The signer rebuilds
 * every layout, checks all other signatures and destinations, records what it will sign, and then signs. Calls throw SignerRefusal.
 */
export interface Signer {
  keys: MarketKeys
  mark(): Mark
  /** Whether the standby had the whole journal at the last response; null without a pair. */
  isPaired(): boolean | null
  /** Returns the package of a purchase, transfers first. */
  signSettlement(request: SettlementRequest): Promise<Signed[]>
  /** Returns the package of an accepted counter: transfer, funding, settlement. */
  signCounter(request: CounterRequest): Promise<Signed[]>
  /** Returns the package of a fill: funding parent and settlement. */
  signFill(request: FillRequest & Release): Promise<Signed[]>
  /** Returns escrow coins to their sellers. */
  signReclaim(request: ReclaimRequest): Promise<Signed>
  /** Moves escrow coins into new ones of the same sellers. */
  signMove(request: MoveRequest): Promise<Signed>
  /** Splits or merges market coins, or spends them on a fee. */
  signCoins(request: CoinsRequest): Promise<Signed>
  /** Raises the generation floors of escrow coins. The signer then rejects legs below the floor. Floors never decrease. */
  raiseFloors(floors: readonly Floor[]): Promise<void>
  /** Returns the floors of these escrow coins (`txid:vout`), in order. */
  floors(outpoints: readonly string[]): Promise<KnownFloor[]>
  /** Records cancelled orders, so that an old database backup cannot reactivate them. */
  revoke(revocations: readonly Revocation[]): Promise<void>
  /** Returns which of the orders are revoked. */
  revoked(ids: readonly string[]): Promise<string[]>
  /** Signs the head of the order log with M (BIP-340). Two conflicting signed heads prove that the market published two histories. */
  signLogHead(head: LogHead): Promise<Uint8Array>
}

/** The policy rejected the request. The message has the reason. */
export class SignerRefusal extends Error {}

/** The order was cancelled by its owner, or the leg is below its floor. */
export class RevokedRefusal extends SignerRefusal {}

/** A limit on the market's fees per call or per day is exceeded. */
export class SpentRefusal extends SignerRefusal {}
