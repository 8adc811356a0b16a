import { scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { buildBidOutput } from '@ordbook/bitcoin/trade/bid-output.ts'
import { SEQUENCE_RBF, type Tx, vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'

/**
 * Builds and signs the maker's withdrawal of an unfilled collection offer. Spends the output's key path to the maker's ordinals address,
 * less the fee. Throws CheckFailed.
 */
export function exitBid(options: {
  /** Untweaked key of the ordinals address. */
  ordinalsPrivateKey: Uint8Array
  /** The market's keys and the offer's secret hash, from the preflight. */
  keys: { guardianKey: Uint8Array; marketKey: Uint8Array; secretHash: Uint8Array }
  bid: Outpoint & { valueSats: number; script: Uint8Array }
  feeRateSatVb: number
}): Tx {
  const { ordinalsPrivateKey, keys, bid, feeRateSatVb } = options
  const script = scriptOfPublicKey(publicKeyOf(ordinalsPrivateKey), 'p2tr')
  const output = buildBidOutput(script, keys)
  if (!equalBytes(output.script, bid.script))
    throw new CheckFailed('the coin is not an offer made with this key at this market')
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
  if (tx.outputs[0]!.valueSats < 330) throw new CheckFailed('the fee leaves less than the dust limit')
  const key = tweakPrivateKey(tweakPrivateKey(ordinalsPrivateKey), output.leafHash)
  tx.inputs[0]!.witness = [signSchnorr(taprootSighash(tx, 0, [bid], SIGHASH.DEFAULT), key)]
  return tx
}
