import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { Bytes, Exactly, List } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'

/** Common types of request schemas, all with limits. */
export const Sats = Type.Integer({ minimum: 0, maximum: MAX_SATS })
export const FeeRate = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })
export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Vout = Type.Integer({ minimum: 0, maximum: 0xffffffff })
export const Generation = Type.Integer({ minimum: 0, maximum: LAST_GENERATION })

/** An output script with an address; the longest is a 40-byte witness program. */
export const Script = Bytes(4, 42)
export const XOnlyKey = Bytes(32)
/** Schnorr or ECDSA. The kernel checks which is required. */
export const Signature = Bytes(8, 73)

export const Coin = Exactly({ txid: Hash, vout: Vout, valueSats: Sats, script: Script })
export const Output = Exactly({ valueSats: Sats, script: Script })
export const KeySpend = Exactly({
  kind: Type.Union([Type.Literal('p2tr'), Type.Literal('p2wpkh'), Type.Literal('p2sh-p2wpkh')]),
  publicKey: Bytes(32, 33),
  internalKey: Type.Union([XOnlyKey, Type.Null()]),
  redeemScript: Type.Union([Bytes(22), Type.Null()]),
})

/** Payment coins of a trade. A standard transaction has room for fewer. */
export const Payments = List(Coin, 1_000)
export const PaymentSignatures = List(Signature, 1_000)

/** A signed transaction, up to the standard limit of 400,000 weight units. */
export const RawTransaction = Type.String({
  pattern: '^(?:[0-9a-f]{2})*$',
  minLength: 20,
  maxLength: 800_000,
})
