import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { buildBidOutput } from '@ordbook/bitcoin/trade/bid-output.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { SEQUENCE_RBF, type Tx, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'

/**
 * The seller's own way out of an escrow coin, with no market: by its key path, whose key is the address's output key
 * tweaked again with the leaf. Brings the inscription back to the seller's address; a payment coin of theirs, P2TR of
 * the same key, pays the fee, so that the postage stays whole. Gives the signed transaction.
 */
export function exitEscrow(options: {
  /** Untweaked key of the ordinals address. */
  ordinalsPrivateKey: Uint8Array
  /** M as the listing's leaf names it, x-only. */
  cosignKey: Uint8Array
  escrow: Outpoint & { valueSats: number; script: Uint8Array }
  feeCoin: Outpoint & { valueSats: number }
  feeRateSatVb: number
}): Tx {
  const { ordinalsPrivateKey, cosignKey, escrow, feeCoin, feeRateSatVb } = options
  const script = scriptOfPublicKey(publicKeyOf(ordinalsPrivateKey), 'p2tr')
  const passthrough = buildPassthrough(keySpendOf(script, script.slice(2)), cosignKey, 'published')
  if (!equalBytes(passthrough.script, escrow.script))
    throw new CheckFailed('the coin is not the escrow of this key and this market')
  const outputSecret = tweakPrivateKey(ordinalsPrivateKey)
  const prevouts = [escrow, { ...feeCoin, script }]
  const tx: Tx = {
    version: 2,
    locktime: 0,
    inputs: prevouts.map(({ txid, vout }) => ({
      txid,
      vout,
      sequence: SEQUENCE_RBF,
      scriptSig: new Uint8Array(),
      witness: [new Uint8Array(64)],
    })),
    outputs: [
      { valueSats: escrow.valueSats, script },
      { valueSats: feeCoin.valueSats, script },
    ],
  }
  tx.outputs[1]!.valueSats -= feeOf(vsizeOf(tx), feeRateSatVb)
  if (tx.outputs[1]!.valueSats < 330) throw new CheckFailed('the fee coin is too small')
  const sign = (index: number, key: Uint8Array) =>
    signSchnorr(taprootSighash(tx, index, prevouts, SIGHASH.DEFAULT), key)
  tx.inputs[0]!.witness = [sign(0, tweakPrivateKey(outputSecret, passthrough.leafHash))]
  tx.inputs[1]!.witness = [sign(1, outputSecret)]
  return tx
}

/**
 * The maker's own way back to the sats of a collection-wide offer whose funding parent confirmed without a fill: by the
 * key path of its output. Pays them to the maker's ordinals address, less the fee. Gives the signed transaction.
 */
export function exitBid(options: {
  /** Untweaked key of the ordinals address. */
  ordinalsPrivateKey: Uint8Array
  /** The market's two keys and the offer's secret hash, as its preflight named them. */
  keys: { guardianKey: Uint8Array; marketKey: Uint8Array; secretHash: Uint8Array }
  bid: Outpoint & { valueSats: number; script: Uint8Array }
  feeRateSatVb: number
}): Tx {
  const { ordinalsPrivateKey, keys, bid, feeRateSatVb } = options
  const script = scriptOfPublicKey(publicKeyOf(ordinalsPrivateKey), 'p2tr')
  const output = buildBidOutput(script, keys)
  if (!equalBytes(output.script, bid.script))
    throw new CheckFailed('the coin is not an offer of this key at this market')
  const tx: Tx = {
    version: 2,
    locktime: 0,
    inputs: [
      {
        txid: bid.txid,
        vout: bid.vout,
        sequence: SEQUENCE_RBF,
        scriptSig: new Uint8Array(),
        witness: [new Uint8Array(64)],
      },
    ],
    outputs: [{ valueSats: bid.valueSats, script }],
  }
  tx.outputs[0]!.valueSats -= feeOf(vsizeOf(tx), feeRateSatVb)
  if (tx.outputs[0]!.valueSats < 330) throw new CheckFailed('the fee would take the coin')
  const key = tweakPrivateKey(tweakPrivateKey(ordinalsPrivateKey), output.leafHash)
  tx.inputs[0]!.witness = [signSchnorr(taprootSighash(tx, 0, [bid], SIGHASH.DEFAULT), key)]
  return tx
}
