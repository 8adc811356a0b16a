import { type KeySpend, keySpendOf } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { asCheckFailed } from './assert.ts'

/** Addresses of the signing wallet, and their compressed keys in hex. */
export interface Owner {
  ordinalsAddress: string
  paymentAddress: string
  ordinalsPublicKey: string
  paymentPublicKey: string
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
}

/** Public keys of a market, from `GET /keys`. Pin them, because different keys mean a different market. */
export interface MarketKeys {
  /** x-only hex; co-signs escrows. */
  cosignKey: string
  /** x-only hex; signs collection offers as the guardian. */
  guardianKey: string
  /** Address of the market's coins and fees. */
  marketAddress: string
}

export interface OwnCoin {
  txid: string
  vout: number
  valueSats: number
}

/** A coin with an inscription, from a trusted source. `offset` is the position of the inscription's sat in the coin. */
export interface InscriptionCoin extends OwnCoin {
  offset: number
}

/** Return how the wallet spends from its addresses. Throw CheckFailed if a key does not match its address. */
export const ordinalsSpendOf = (owner: Owner): KeySpend =>
  asCheckFailed(() => keySpendOf(owner.ordinalsScript, hexToBytes(owner.ordinalsPublicKey)))
export const paymentSpendOf = (owner: Owner): KeySpend =>
  asCheckFailed(() => keySpendOf(owner.paymentScript, hexToBytes(owner.paymentPublicKey)))

export const isOwn = (owner: Owner, script: Uint8Array) =>
  equalBytes(script, owner.ordinalsScript) || equalBytes(script, owner.paymentScript)
