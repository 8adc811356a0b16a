import { type KeySpend, keySpendOf, p2trScript, scriptOfPublicKey } from './address.ts'
import { concatBytes } from './bytes.ts'
import { buildRevealScript, type NewInscription } from './envelope.ts'
import { publicKeyOf, signEcdsa, signSchnorr, taprootOutputKey, tweakPrivateKey, xOnlyKeyOf } from './keys.ts'
import { feeOf, sumSats } from './sats.ts'
import { SIGHASH, tapLeafHash, taprootSighash } from './sighash.ts'
import {
  type Coin,
  keyWitness,
  type Layout,
  type LayoutOutput,
  sighashOf,
  signedVsizeOf,
  transactionOf,
} from './trade/layout.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput, txidOf, vsizeOf } from './transaction.ts'

/**
 * Builds and signs a payment from coins of a key, which also receives the change. `changeFirst` keeps the first sats in the change. Throws
 * RangeError if the coins do not suffice.
 */
export function buildPayment(
  coins: readonly Coin[],
  outputs: readonly TxOutput[],
  options: { privateKey: Uint8Array; feeRateSatVb: number; changeFirst?: boolean },
): Tx {
  const changeScript = coins[0]!.script
  const spend: KeySpend = keySpendOf(changeScript, publicKeyOf(options.privateKey))
  const layout: Layout = {
    version: 2,
    inputs: coins.map((coin) => ({ role: 'payment', coin, signer: 'buyer', spend: { by: 'key', ...spend } })),
    outputs: outputs.map((output): LayoutOutput => ({ role: 'payout', ...output })),
  }
  const change: LayoutOutput = { role: 'change', valueSats: 0, script: changeScript }
  layout.outputs.splice(options.changeFirst ? 0 : outputs.length, 0, change)
  change.valueSats =
    sumSats(coins.map((coin) => coin.valueSats)) -
    sumSats(outputs.map((output) => output.valueSats)) -
    feeOf(signedVsizeOf(layout), options.feeRateSatVb)
  if (change.valueSats < 0) throw new RangeError(`the coins are ${-change.valueSats} sats short`)
  if (change.valueSats < 546) layout.outputs.splice(layout.outputs.indexOf(change), 1)
  return signLayout(layout, options.privateKey)
}

/** Signs all key-path inputs with their default sighash. */
export function signLayout(layout: Layout, privateKey: Uint8Array): Tx {
  const tx = transactionOf(layout)
  for (const [index, { spend }] of layout.inputs.entries()) {
    if (spend.by !== 'key') throw new TypeError('an escrow input requires two signers')
    tx.inputs[index]!.witness = keyWitness(spend, signKeyInput(layout, index, privateKey))
  }
  return tx
}

/** Signs a key-path or P2WPKH input with its default sighash. Returns a witness element. */
export function signKeyInput(layout: Layout, index: number, privateKey: Uint8Array): Uint8Array {
  const { spend } = layout.inputs[index]!
  if (spend.by === 'key' && spend.kind !== 'p2tr')
    return concatBytes(
      signEcdsa(sighashOf(layout, index, SIGHASH.ALL), privateKey),
      Uint8Array.of(SIGHASH.ALL),
    )
  return signSchnorr(sighashOf(layout, index, SIGHASH.DEFAULT), tweakPrivateKey(privateKey))
}

/** Returns the commit output of a reveal. */
export function commitOf(
  privateKey: Uint8Array,
  inscriptions: readonly NewInscription[],
): { script: Uint8Array; leaf: Uint8Array; controlBlock: Uint8Array } {
  const key = xOnlyKeyOf(privateKey)
  const leaf = buildRevealScript(key, inscriptions)
  const { outputKey, odd } = taprootOutputKey(key, tapLeafHash(leaf))
  return {
    script: p2trScript(outputKey),
    leaf,
    controlBlock: concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), key),
  }
}

/** Builds and signs commit and reveal. The first input of the reveal spends the commit output. */
export function buildInscribe(
  coin: Coin,
  inscriptions: readonly NewInscription[],
  options: { privateKey: Uint8Array; outputs: TxOutput[]; feeRateSatVb: number; extraInputs?: Coin[] },
): { commit: Tx; reveal: Tx } {
  const { privateKey, outputs, feeRateSatVb } = options
  const { script, leaf, controlBlock } = commitOf(privateKey, inscriptions)
  const extra = options.extraInputs ?? []
  const input = (at: { txid: string; vout: number }, witness: Uint8Array[]) => ({
    ...at,
    sequence: SEQUENCE_RBF,
    scriptSig: new Uint8Array(),
    witness,
  })
  const draft: Tx = {
    version: 2,
    locktime: 0,
    inputs: [
      input({ txid: '0'.repeat(64), vout: 0 }, [new Uint8Array(64), leaf, controlBlock]),
      ...extra.map(({ txid, vout }) => input({ txid, vout }, [new Uint8Array(64)])),
    ],
    outputs,
  }
  const commitSats =
    sumSats(outputs.map((output) => output.valueSats)) -
    sumSats(extra.map((coin) => coin.valueSats)) +
    feeOf(vsizeOf(draft), feeRateSatVb)
  const commit = buildPayment([coin], [{ valueSats: Math.max(commitSats, 330), script }], options)
  const reveal: Tx = structuredClone(draft)
  Object.assign(reveal.inputs[0]!, { txid: txidOf(commit), vout: 0 })
  const prevouts = [commit.outputs[0]!, ...extra]
  const hash = taprootSighash(reveal, 0, prevouts, SIGHASH.DEFAULT, { leafHash: tapLeafHash(leaf) })
  reveal.inputs[0]!.witness = [signSchnorr(hash, privateKey), leaf, controlBlock]
  for (const i of extra.keys()) {
    const keyHash = taprootSighash(reveal, i + 1, prevouts, SIGHASH.DEFAULT)
    reveal.inputs[i + 1]!.witness = [signSchnorr(keyHash, tweakPrivateKey(privateKey))]
  }
  return { commit, reveal }
}

export const taprootScriptOf = (privateKey: Uint8Array): Uint8Array =>
  scriptOfPublicKey(publicKeyOf(privateKey), 'p2tr')
