import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesOfBase64, bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { coreRpc, type InputToSign, NodeRefused, type Wallet, WalletRefused } from '@ordbook/sdk'
import type { KeySource } from '../config.ts'
import { Failure } from '../failure.ts'
import { readSecret } from '../own-files.ts'

type Core = Extract<KeySource, { kind: 'core' }>
type Call = ReturnType<typeof coreRpc>

/** Sighash types by the names that Bitcoin Core gives them. */
const NAMES: Record<number, string> = {
  0: 'DEFAULT',
  1: 'ALL',
  129: 'ALL|ANYONECANPAY',
  131: 'SINGLE|ANYONECANPAY',
}
const LABELS = { ordinals: 'ordbook inscriptions', payment: 'ordbook payments' }

/** A wallet inside of a Bitcoin Core node: its descriptors hold the keys, and it signs by `walletprocesspsbt`. */
export async function coreWallet(source: Core, network: AddressNetwork): Promise<Wallet> {
  const call = coreRpc(withCookie(source))
  const ordinalsAddress = source.ordinalsAddress ?? (await labelled(call, LABELS.ordinals, 'bech32m'))
  const paymentAddress = source.paymentAddress ?? (await labelled(call, LABELS.payment, 'bech32'))
  return {
    ordinalsAddress,
    paymentAddress,
    ordinalsPublicKey: await publicKeyOf(call, ordinalsAddress),
    paymentPublicKey: await publicKeyOf(call, paymentAddress),
    ordinalsScript: scriptOfAddress(ordinalsAddress, network),
    paymentScript: scriptOfAddress(paymentAddress, network),
    signPsbt: async (psbtBase64, inputs) =>
      textIn(
        await call('walletprocesspsbt', psbtBase64, true, sighashNameOf(inputs), true, false),
        'psbt',
        'walletprocesspsbt',
      ),
    async signMessage(address, message) {
      const signature = bytesOfBase64(String(await call('signmessage', address, message)))
      if (!signature) throw new WalletRefused('the node answers signmessage with something else than base64')
      return bytesToHex(signature)
    },
  }
}

function sighashNameOf(inputs: readonly InputToSign[]): string {
  const [type = 0, ...more] = new Set(inputs.map(({ sigHash }) => sigHash ?? 0))
  const name = NAMES[type]
  if (more.length > 0 || name === undefined)
    throw new WalletRefused('walletprocesspsbt signs with one kind of sighash at a time')
  return name
}

/** The RPC's address with user and password, those of the cookie file where one is named. */
function withCookie({ url, cookieFile }: Core): string {
  if (cookieFile === undefined) return url
  const [user = '', password = ''] = readSecret(cookieFile).split(':')
  const parsed = new URL(url)
  parsed.username = user
  parsed.password = password
  return parsed.href
}

/** A text of an answer of the node. Throws Failure where it is none. */
function textIn(answer: unknown, member: string, method: string): string {
  const text = (answer as Record<string, unknown> | null)?.[member]
  if (typeof text !== 'string') throw new Failure('node-answers-oddly', `${method} names no ${member}`)
  return text
}

/** The public key of an address, as its descriptor names it: of P2TR the one before the tweak. */
async function publicKeyOf(call: Call, address: string): Promise<string> {
  const info = await call('getaddressinfo', address)
  if ((info as { ismine?: unknown } | null)?.ismine !== true)
    throw new Failure('no-key', `the wallet of the node does not hold ${address}`)
  const key = /[\]([(]((?:0[23])?[0-9a-f]{64})\)/.exec(textIn(info, 'desc', 'getaddressinfo'))?.[1]
  if (!key) throw new Failure('no-key', `${address} is not of a single key`)
  return key
}

/** Bitcoin Core's code for a label without addresses (RPC_WALLET_INVALID_LABEL_NAME). */
const NO_LABEL = -11

/** The address with a label: the one that was made before, else a new one. */
async function labelled(call: Call, label: string, type: string): Promise<string> {
  const known = await call('getaddressesbylabel', label).catch((error: unknown) => {
    if (error instanceof NodeRefused && error.code === NO_LABEL) return {}
    throw error
  })
  return Object.keys(known as object)[0] ?? String(await call('getnewaddress', label, type))
}
