import { type AddressNetwork, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { messagePsbtOf } from '@ordbook/bitcoin/message-psbt.ts'
import { sighashesOf } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { boolean, object, text } from './checks/check.ts'
import { coreRpc, type NodeOptions } from './core-rpc.ts'
import { WalletRefused } from './errors.ts'
import type { InputToSign, Wallet } from './wallet.ts'

interface AddressInfo {
  ismine: boolean
  pubkey?: string
  desc?: string
}
const isAddressInfo = (value: unknown): value is AddressInfo =>
  object(
    value,
    { ismine: boolean, pubkey: (key) => text(key, 0, Infinity, /^0[23][0-9a-f]{64}$/), desc: text },
    ['pubkey', 'desc'],
  ) === null
const isProcessed = (value: unknown): value is { psbt: string } => object(value, { psbt: text }) === null

const NAMES: Record<number, string> = {
  [SIGHASH.DEFAULT]: 'DEFAULT',
  [SIGHASH.ALL]: 'ALL',
  [SIGHASH.ALL_ANYONECANPAY]: 'ALL|ANYONECANPAY',
  [SIGHASH.SINGLE_ANYONECANPAY]: 'SINGLE|ANYONECANPAY',
}

/**
 * Opens a descriptor wallet of Bitcoin Core over RPC. `url` contains user, password and the path `/wallet/NAME`. The wallet must be
 * unlocked, and its ordinals address taproot. Messages are signed as BIP-322 in a PSBT. Throws WalletRefused if the wallet lacks the key of
 * an address, and the errors of `coreRpc`.
 */
export async function coreWallet(
  url: string,
  addresses: { ordinals: string; payment: string; network: AddressNetwork },
  options: NodeOptions = {},
): Promise<Wallet> {
  const call = coreRpc(url, options)
  const keyOf = async (address: string) => {
    const info = await call('getaddressinfo', address)
    if (!isAddressInfo(info) || !info.ismine)
      throw new WalletRefused(`the node's wallet does not have the key of ${address}`)
    const key = info.pubkey ?? /^tr\((?:\[[^\]]*\])?([0-9a-f]{64})\)/.exec(info.desc ?? '')?.[1]
    if (!key) throw new WalletRefused(`the node's wallet does not report the public key of ${address}`)
    return key
  }
  const ordinals = {
    script: scriptOfAddress(addresses.ordinals, addresses.network),
    key: await keyOf(addresses.ordinals),
  }
  const payment = {
    script: scriptOfAddress(addresses.payment, addresses.network),
    key: await keyOf(addresses.payment),
  }
  const ownOf = (address: string | undefined) => (address === addresses.payment ? payment : ordinals)
  const wholeTypeOf = (script: Uint8Array) =>
    kindOfScript(script) === 'p2tr' ? SIGHASH.DEFAULT : SIGHASH.ALL
  const sign = async (psbtBase64: string, type: number) => {
    const name = NAMES[type]
    if (!name) throw new WalletRefused(`Bitcoin Core does not support sighash type ${type}`)
    const processed = await call('walletprocesspsbt', psbtBase64, true, name, false, false)
    if (!isProcessed(processed)) throw new WalletRefused("the node's wallet returned no PSBT")
    return processed.psbt
  }
  return {
    ordinalsAddress: addresses.ordinals,
    paymentAddress: addresses.payment,
    ordinalsPublicKey: ordinals.key,
    paymentPublicKey: payment.key,
    ordinalsScript: ordinals.script,
    paymentScript: payment.script,
    signMessage(address, message) {
      const { script, key } = ownOf(address)
      return sign(messagePsbtOf(script, message, hexToBytes(key)), wholeTypeOf(script))
    },
    async signPsbt(psbtBase64: string, inputs: readonly InputToSign[]) {
      // The node rejects a sighash type that differs from any input's. If one input has ALL, sign the inputs without a type with ALL too.
      const named = sighashesOf(psbtBase64)
      const isAll = named.includes(SIGHASH.ALL)
      const types = new Set(
        inputs.flatMap(({ signingIndexes, sigHash, address }) =>
          signingIndexes.map(
            (index) =>
              named[index] ?? (isAll ? SIGHASH.ALL : (sigHash ?? wholeTypeOf(ownOf(address).script))),
          ),
        ),
      )
      let psbt = psbtBase64
      for (const type of types) psbt = await sign(psbt, type)
      return psbt
    },
  }
}
