import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { refusing } from './demand.ts'

/** Addresses and keys of the signing wallet. Keys are compressed, in hex, as the wallet returns them. */
export interface Owner {
  ordinalsAddress: string
  paymentAddress: string
  ordinalsPublicKey: string
  paymentPublicKey: string
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
}

/** Public keys of a market, from `GET /keys`. Pin them: different keys mean a different market. */
export interface MarketKeys {
  /** M, x-only hex: co-signs escrows. */
  cosignKey: string
  /** G, x-only hex: the guardian of collection offers. */
  guardianKey: string
  /** Holds the market's coins and receives its fees. */
  marketAddress: string
}

export interface OwnCoin {
  txid: string
  vout: number
  valueSats: number
}

/** A coin with an inscription, from a source that the user trusts. `offset` is the position of the inscription's sat in the coin. */
export interface InscriptionCoin extends OwnCoin {
  offset: number
}

/** Return how the wallet spends from its two addresses. Throw CheckFailed if a key does not belong to its address. */
export const ordinalsSpendOf = (owner: Owner): KeySpend =>
  refusing(() => keySpendOf(owner.ordinalsScript, hexToBytes(owner.ordinalsPublicKey)))
export const paymentSpendOf = (owner: Owner): KeySpend =>
  refusing(() => keySpendOf(owner.paymentScript, hexToBytes(owner.paymentPublicKey)))

export const isOwn = (owner: Owner, script: Uint8Array) =>
  equalBytes(script, owner.ordinalsScript) || equalBytes(script, owner.paymentScript)
