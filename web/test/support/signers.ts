import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import type { InputToSign, LocalWallet } from '@ordbook/sdk/wallet.ts'
import { Transaction } from '@scure/btc-signer'

/**
 * Wallets sign otherwise than LocalWallet, which holds every key in every form. A rule says with which form of its key a wallet signs
 * an input, which sighash types it allows, and what it does where that signs nothing.
 */
export type SignInput = (psbt: Transaction, index: number, key: Uint8Array, asked: InputToSign) => void

const EVERY_SIGHASH = [0, 1, 2, 3, 129, 130, 131]
const allowed = ({ sigHash }: InputToSign) => (sigHash === undefined ? undefined : [sigHash])

/** Leather: the key before the tweak and every sighash; it returns an input that it cannot sign as it is. */
export const leather: SignInput = (psbt, index, key) => {
  try {
    psbt.signIdx(key, index, EVERY_SIGHASH)
  } catch {}
}

/** Xverse since 2025: the key before the tweak, else the one after it; with the sighash that the PSBT names. */
export const xverse: SignInput = (psbt, index, key) => {
  try {
    psbt.signIdx(key, index, EVERY_SIGHASH)
  } catch {
    psbt.signIdx(tweakPrivateKey(key), index, EVERY_SIGHASH)
  }
}

/** UniSat, over bitcoinjs-lib: the key after the tweak unless the request says otherwise, and the sighash types that the request names. */
const unisat: SignInput = (psbt, index, key, asked) => {
  const { tapLeafScript, tapInternalKey } = psbt.getInput(index)
  const tweaks = !asked.disableTweakSigner
  if (tapInternalKey && !tweaks) throw new Error(`Can not sign for input #${index} with the key`)
  psbt.signIdx(tapLeafScript && tweaks ? tweakPrivateKey(key) : key, index, allowed(asked))
}

/** The least that a wallet can do: the key before the tweak and the sighash that the request names, for wallets whose code is closed. */
const plain: SignInput = (psbt, index, key, asked) => {
  psbt.signIdx(key, index, allowed(asked))
}

export const SIGNERS = { xverse, leather, unisat, okx: unisat, 'magic-eden': plain, phantom: plain }

/** The same wallet, but that it signs PSBTs by such a rule, with another version's class of PSBTs where one is given. */
export function signingBy(wallet: LocalWallet, sign: SignInput, Psbt = Transaction): LocalWallet {
  const keys: { ordinals: Uint8Array; payment: Uint8Array } = Reflect.get(wallet, 'keys')
  const keyOf = (address = '') => {
    if (address === wallet.ordinalsAddress) return keys.ordinals
    if (address === wallet.paymentAddress) return keys.payment
    throw new Error(`${address} is not an address of this wallet`)
  }
  const signPsbt: LocalWallet['signPsbt'] = async (psbtBase64, inputs) => {
    const psbt = Psbt.fromPSBT(bytesOfBase64(psbtBase64)!, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
    })
    for (const asked of inputs)
      for (const index of asked.signingIndexes) sign(psbt, index, keyOf(asked.address), asked)
    return base64OfBytes(psbt.toPSBT(0))
  }
  return Object.assign(Object.create(wallet), { signPsbt })
}
