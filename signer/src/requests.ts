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

/** Maximum number of listings in one settlement, recovery, reclaim or move. */
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

/** The public part of the market's two keys. */
export const MarketKeys = Exactly({
  /** M, x-only: co-signs escrow leaves, only with SIGHASH_DEFAULT, and signs order log heads under their own tag. */
  cosignKey: XOnlyKey,
  /** Key spend of the market's own coins: anchors and tail coins. */
  coins: KeySpend,
  /** Script of the market's own coins. */
  coinScript: Script,
})

export const Signed = Exactly({ txid: Hash, hex: RawTransaction })

/** A purchase with all signatures except the market's. */
export const SettlementRequest = Exactly({
  terms: PurchaseTerms,
  /** Per item: the seller's signatures on the transfer and on the settlement leg. */
  sellers: List(Exactly({ transferSignature: Signature, legSignature: Signature }), MAX_ITEMS),
  /** In payment order. */
  buyerSignatures: PaymentSignatures,
})

/** Escrow coins of listings and counters, of either form. Only their transfer terms matter here. */
const EscrowTerms = Type.Union([TransferTerms, ListingTerms, CounterTerms])
/** Coins of the market that are spent completely as the fee of a reclaim. */
const FeeCoins = List(Coin, 2 * MAX_ITEMS, 1)

/** Returns escrow coins to their sellers, with a recovery signed along with the listing or one signed on demand. */
export const ReclaimRequest = Exactly({
  escrows: List(EscrowTerms, MAX_ITEMS, 1),
  feeCoins: FeeCoins,
  /** Sellers' signatures (SIGHASH_ALL), in escrow order. */
  signatures: List(Signature, MAX_ITEMS, 1),
})

/** Moves escrow coins into new ones of `form`. This invalidates every leg signed on the old coins. */
export const MoveRequest = Exactly({
  escrows: List(EscrowTerms, MAX_ITEMS, 1),
  form: EscrowForm,
  /** The owner's coins, which pay for the move. */
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** The owner's signatures (SIGHASH_ALL): per escrow, and per payment. */
  signatures: List(Signature, MAX_ITEMS, 1),
  paymentSignatures: PaymentSignatures,
})

/** An accepted counter with all signatures except the market's. */
export const CounterRequest = Exactly({
  terms: CounterTerms,
  from: Exactly({ payments: Payments, payer: KeySpend, changeScript: Script }),
  feeRateSatVb: FeeRate,
  /** The seller's signatures on the transfer and on the settlement's escrow input (ALL with ANYONECANPAY). */
  transferSignature: Signature,
  legSignature: Signature,
  /** The buyer's signatures: per payment of the funding transaction, and on the settlement's funding input. */
  fundingSignatures: PaymentSignatures,
  buyerSignature: Signature,
})

/** The guardian's response for a fill. */
export const Release = Exactly({ secret: Bytes(32), guardianSignature: Signature })

/** Terms of a collection offer before its secret is known. */
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

/** Spends market coins into market coins: the schema has no field for another destination. */
export const CoinsRequest = Exactly({
  coins: List(Coin, 500, 1),
  outputSats: List(Sats, 500, 1),
  /** Raw unconfirmed transactions that created the coins, for which the fee pays as well (CPFP). */
  parents: List(RawTransaction, 25),
})

/** Maximum number of escrow coins in one `raiseFloors` or `floors` request. */
export const MAX_FLOORS = 5_000
const OutpointText = Type.String({ pattern: '^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$' })
/** Lowest generation that is still signed on an escrow coin; 0 if it was never raised. */
export const Floor = Exactly({
  /** `txid:vout`. */
  outpoint: OutpointText,
  floor: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 1 }),
})

/** The floor of an escrow coin, with the next unused generation. */
const KnownFloor = Exactly({
  ...Floor.properties,
  /** Lowest generation that may be issued for another price. */
  next: Type.Integer({ minimum: 0, maximum: LAST_GENERATION + 2 }),
})

/** Maximum number of orders per request. */
export const MAX_REVOKED = 1000
const OrderId = Type.String({ pattern: '^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$' })
/** A cancelled order: its id (for the guardian, the hash of its secret in hex), and when it expires anyway, in milliseconds. */
export const Revocation = Exactly({
  id: OrderId,
  expiresAt: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
/** Calls that both signer and guardian have. */
const revocationCalls = {
  revoke: { request: List(Revocation, MAX_REVOKED), answer: Type.Null() },
  revoked: { request: List(OrderId, MAX_REVOKED), answer: List(OrderId, MAX_REVOKED) },
} satisfies Record<string, CallSchema>

/** The newest change of the market's order log. It is signed under a separate tag, so no transaction can have this hash. */
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
 * The holder of the market's keys. Callers send the terms of a trade, never a transaction or a hash: the signer rebuilds every layout,
 * checks all other signatures and where the sats go, records what it will sign, and then signs. It runs in the server or in a separate
 * process. Calls throw SignerRefusal.
 */
export interface Signer {
  keys: MarketKeys
  /** The last known mark of its journal. */
  mark(): Mark
  /** Whether the standby host has the whole journal, as of the last response; null without a pair. */
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
  /** Splits or merges the market's own coins, or spends them for a fee. */
  signCoins(request: CoinsRequest): Promise<Signed>
  /** From now on, refuses legs of these escrow coins below their floor. Floors only rise. */
  raiseFloors(floors: readonly Floor[]): Promise<void>
  /** The floors of these escrow coins (`txid:vout`), in order. */
  floors(outpoints: readonly string[]): Promise<KnownFloor[]>
  /** Records cancelled orders, so that restoring an old database cannot revive them. */
  revoke(revocations: readonly Revocation[]): Promise<void>
  /** Returns which of these orders are revoked. */
  revoked(ids: readonly string[]): Promise<string[]>
  /** Signs the head of the order log with M (BIP-340). Two signed heads that conflict prove that the market showed two histories. */
  signLogHead(head: LogHead): Promise<Uint8Array>
}

/** Rejected by the signer's policy; the message has the reason. */
export class SignerRefusal extends Error {}

/** The order was cancelled by its owner. */
export class RevokedRefusal extends SignerRefusal {}

/** The limit for market sats spent, per call or per day, is reached. */
export class SpentRefusal extends SignerRefusal {}
