import {
  type AddressNetwork,
  addressOfScript,
  type KeySpend,
  kindOfScript,
  scriptOfPublicKey,
} from '@ordbook/bitcoin/address.ts'
import { signMessage } from '@ordbook/bitcoin/bip322.ts'
import { base64OfBytes, bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { psbtBytesOf } from '@ordbook/bitcoin/psbt.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { leafKeyOf } from '@ordbook/bitcoin/trade/passthrough.ts'
import { Transaction } from '@scure/btc-signer'
import { WalletRefused } from './errors.ts'
import type { Owner } from './verify/owner.ts'

export interface InputToSign {
  address?: string
  signerAddress?: string
  publicKey?: string
  /** For taproot inputs: true if the untweaked key signs. */
  disableTweakSigner?: boolean
  signingIndexes: number[]
  /** Sighash type of the signature: 0 DEFAULT, 1 ALL, 129 ALL|ANYONECANPAY, 131 SINGLE|ANYONECANPAY. The SDK always states it. */
  sigHash?: number
}

/** A wallet that can trade. Adapters for browser wallets implement it too. */
export interface Wallet extends Owner {
  name?: string
  /** BIP-322 simple; hex. */
  signMessage(address: string, message: string): Promise<string>
  /** Signs the listed inputs; base64 in and out. Throws WalletRefused. */
  signPsbt(psbtBase64: string, inputs: readonly InputToSign[]): Promise<string>
  /** Signs one or several PSBTs, in one request if the wallet supports it. If absent, `signPsbt` signs each. */
  signPsbts?(requests: readonly SigningRequest[], onSigned?: OnSigned): Promise<string[]>
}

/** Called with each signed PSBT by wallets that prompt for each. If it throws, no further PSBT is requested. */
export type OnSigned = (index: number, psbtBase64: string) => void

export interface SigningRequest {
  psbtBase64: string
  inputsToSign: readonly InputToSign[]
  /** The verified transaction, with the roles of all inputs and outputs. Absent for PSBTs that the SDK did not build. */
  layout?: Layout
}

/** A wallet with keys in memory, for bots, tests and the demo. */
export class LocalWallet implements Wallet {
  readonly ordinalsAddress: string
  readonly paymentAddress: string
  readonly ordinalsPublicKey: string
  readonly paymentPublicKey: string
  readonly ordinalsScript: Uint8Array
  readonly paymentScript: Uint8Array
  private readonly keys: { ordinals: Uint8Array; payment: Uint8Array }

  /** The ordinals address is P2TR; `paymentKind` selects the payment address type. */
  constructor(
    keys: { ordinals: Uint8Array; payment: Uint8Array },
    options: { network: AddressNetwork; paymentKind: KeySpend['kind'] },
  ) {
    this.keys = keys
    const ordinals = publicKeyOf(keys.ordinals)
    const payment = publicKeyOf(keys.payment)
    this.ordinalsScript = scriptOfPublicKey(ordinals, 'p2tr')
    this.paymentScript = scriptOfPublicKey(payment, options.paymentKind)
    this.ordinalsAddress = addressOfScript(this.ordinalsScript, options.network)!
    this.paymentAddress = addressOfScript(this.paymentScript, options.network)!
    this.ordinalsPublicKey = bytesToHex(ordinals)
    this.paymentPublicKey = bytesToHex(payment)
  }

  async signMessage(address: string, message: string): Promise<string> {
    const { key, script } = this.keyOf(address)
    return signMessage(script, message, key)
  }

  async signPsbt(psbtBase64: string, inputs: readonly InputToSign[]): Promise<string> {
    const psbt = Transaction.fromPSBT(psbtBytesOf(psbtBase64), {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      allowUnknownVersion: true,
      disableScriptCheck: true,
    })
    for (const { address, signingIndexes, sigHash } of inputs) {
      const { key } = this.keyOf(address ?? '')
      for (const index of signingIndexes) {
        const { tapLeafScript, tapInternalKey, witnessUtxo } = psbt.getInput(index)
        const leaf = tapLeafScript !== undefined
        // The PSBT lacks the internal key, which the market does not need.
        if (!leaf && !tapInternalKey && witnessUtxo && kindOfScript(witnessUtxo.script) === 'p2tr')
          psbt.updateInput(index, { tapInternalKey: xOnlyKeyOf(key) }, true)
        // A leaf contains the output key, signed by the tweaked private key, or the untweaked key.
        const isTweaked = leaf && !equalBytes(leafKeyOf(tapLeafScript[0]![1]), xOnlyKeyOf(key))
        const signed = psbt.signIdx(
          isTweaked ? tweakPrivateKey(key) : key,
          index,
          sigHash === undefined ? undefined : [sigHash],
        )
        if (!signed) throw new WalletRefused(`input ${index} does not belong to this wallet`)
      }
    }
    return base64OfBytes(psbt.toPSBT(0))
  }

  private keyOf(address: string): { key: Uint8Array; script: Uint8Array } {
    if (address === this.ordinalsAddress) return { key: this.keys.ordinals, script: this.ordinalsScript }
    if (address === this.paymentAddress) return { key: this.keys.payment, script: this.paymentScript }
    throw new WalletRefused(`${address} is not an address of this wallet`)
  }
}
