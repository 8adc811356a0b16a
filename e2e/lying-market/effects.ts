import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { SigningRequest } from '@ordbook/sdk/wallet.ts'
import { decodePsbt } from './psbt.ts'

/** The effect of a signed PSBT on the wallet, computed independently of the SDK. */
export interface Effect {
  text: string
  /** Outpoints signed by the wallet. */
  spends: string[]
  /** Signed inputs minus outputs to the wallet that the signatures commit to, in sats. */
  costSats: bigint
  /** Script that receives the first sat of every signed input (first in, first out), or null if the sat goes to fees. */
  landings: (string | null)[]
}

const ANYONECANPAY = 0x80

export function effectsOf(asked: readonly SigningRequest[], ownScripts: readonly Uint8Array[]): Effect[] {
  return asked.map(({ psbtBase64, inputsToSign }) => {
    const psbt = decodePsbt(psbtBase64)
    const { inputs, outputs, version, lockTime } = psbt.global.unsignedTx
    const nameOf = (i: number) => `${bytesToHex(inputs[i]!.txid)}:${inputs[i]!.index}`
    const signed = inputsToSign.flatMap(({ signingIndexes, sigHash = 0 }) =>
      signingIndexes.map((index) => ({ index, sigHash })),
    )
    const isSingle = signed.some(({ sigHash }) => (sigHash & 0x1f) === 3)
    // SIGHASH_SINGLE commits only to the output with the same index.
    const committed = isSingle ? signed.map(({ index }) => outputs[index]!) : outputs
    const satsOf = (i: number) => psbt.inputs[i]!.witnessUtxo!.amount
    const isOwnScript = (script: Uint8Array) => ownScripts.some((each) => equalBytes(each, script))
    const paid = committed.reduce((sum, { amount, script }) => (isOwnScript(script) ? sum + amount : sum), 0n)
    const spent = signed.reduce((sum, { index }) => sum + satsOf(index), 0n)
    const landingOf = (index: number): string | null => {
      if (isSingle) return bytesToHex(outputs[index]!.script)
      let place = 0n
      for (let i = 0; i < index; i++) place += satsOf(i)
      for (const { amount, script } of outputs) {
        if (place < amount) return bytesToHex(script)
        place -= amount
      }
      return null
    }
    const text = JSON.stringify({
      version,
      lockTime,
      inputs: inputs.map((input, i) => [nameOf(i), isSingle ? 0 : input.sequence]),
      outputs: outputs.map(({ amount, script }) => [String(amount), bytesToHex(script)]),
      signed,
      anyone: signed.map(({ sigHash }) => sigHash & ANYONECANPAY),
    })
    return {
      text,
      spends: signed.map(({ index }) => nameOf(index)).toSorted(),
      costSats: spent - paid,
      landings: signed.map(({ index }) => landingOf(index)),
    }
  })
}
