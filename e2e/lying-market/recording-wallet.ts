import type { InputToSign, SigningRequest, Wallet } from '@ordbook/sdk/wallet.ts'

/** A wallet that records its signing requests. */
export interface RecordingWallet extends Wallet {
  asked: SigningRequest[]
}

/** `atOnce`: the wallet can sign several PSBTs in one request. */
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
