import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import type { InputToSign, LocalWallet } from '@ordbook/sdk/wallet.ts'
import { Transaction } from '@scure/btc-signer'

/**
 * Signs an input by a wallet's rules for key tweaks and sighash types. LocalWallet signs everything, so it is more permissive than real
 * wallets.
 */
export type SignInput = (psbt: Transaction, index: number, key: Uint8Array, asked: InputToSign) => void

const EVERY_SIGHASH = [0, 1, 2, 3, 129, 130, 131]
const allowed = ({ sigHash }: InputToSign) => (sigHash === undefined ? undefined : [sigHash])

/** Leather: untweaked key, all sighash types. An input that it cannot sign is returned unchanged. */
export const leather: SignInput = (psbt, index, key) => {
  try {
    psbt.signIdx(key, index, EVERY_SIGHASH)
  } catch {}
}

/** Xverse since 2025: the untweaked key, otherwise the tweaked one, with the PSBT's sighash type. */
export const xverse: SignInput = (psbt, index, key) => {
  try {
    psbt.signIdx(key, index, EVERY_SIGHASH)
  } catch {
    psbt.signIdx(tweakPrivateKey(key), index, EVERY_SIGHASH)
  }
}

/** UniSat, with bitcoinjs-lib: the tweaked key unless disabled by the request, and only the requested sighash type. */
const unisat: SignInput = (psbt, index, key, asked) => {
  const { tapLeafScript, tapInternalKey } = psbt.getInput(index)
  const tweaks = !asked.disableTweakSigner
  if (tapInternalKey && !tweaks) throw new Error(`Can not sign for input #${index} with the key`)
  psbt.signIdx(tapLeafScript && tweaks ? tweakPrivateKey(key) : key, index, allowed(asked))
}

/** For closed-source wallets: untweaked key, and only the requested sighash type. */
const plain: SignInput = (psbt, index, key, asked) => {
  psbt.signIdx(key, index, allowed(asked))
}

export const SIGNERS = { xverse, leather, unisat, okx: unisat, 'magic-eden': plain, phantom: plain }

/** Returns a wallet that signs with `sign`. `Psbt` can be the class of another library version. */
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
