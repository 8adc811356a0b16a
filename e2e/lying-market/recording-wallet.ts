import type { InputToSign, SigningRequest, Wallet } from '@ordbook/sdk/wallet.ts'

/** A wallet that notes each time it is asked to sign a PSBT, and signs like the one it wraps. */
export interface RecordingWallet extends Wallet {
  /** The PSBTs asked for so far, each with its inputs. */
  asked: SigningRequest[]
}

/** Wraps a wallet; `atOnce`: one that signs several PSBTs in one request, as some do. */
export function recording(wallet: Wallet, atOnce: boolean): RecordingWallet {
  const asked: SigningRequest[] = []
  const note = (psbtBase64: string, inputs: readonly InputToSign[]) => {
    asked.push({ psbtBase64, inputsToSign: inputs })
    return wallet.signPsbt(psbtBase64, inputs)
  }
  const recorder: RecordingWallet = Object.assign(Object.create(wallet), { asked, signPsbt: note })
  if (atOnce)
    recorder.signPsbts = async (requests) => {
      const signed = []
      for (const { psbtBase64, inputsToSign } of requests) signed.push(await note(psbtBase64, inputsToSign))
      return signed
    }
  return recorder
}
