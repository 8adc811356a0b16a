import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { coreRpc, coreWallet, NodeRefused, type Wallet } from '@ordbook/sdk'
import type { KeySource } from '../config.ts'
import { readSecret } from '../own-files.ts'

type Core = Extract<KeySource, { kind: 'core' }>
type Call = ReturnType<typeof coreRpc>

const LABELS = { ordinals: 'ordbook inscriptions', payment: 'ordbook payments' }

/** Opens a Bitcoin Core wallet. Creates two labelled addresses if none are configured. */
export async function openCoreWallet(source: Core, network: AddressNetwork): Promise<Wallet> {
  const url = withCookie(source)
  const call = coreRpc(url)
  const ordinals = source.ordinalsAddress ?? (await labelled(call, LABELS.ordinals, 'bech32m'))
  const payment = source.paymentAddress ?? (await labelled(call, LABELS.payment, 'bech32'))
  return coreWallet(url, { ordinals, payment, network })
}

function withCookie({ url, cookieFile }: Core): string {
  if (cookieFile === undefined) return url
  const [user = '', password = ''] = readSecret(cookieFile).split(':')
  const parsed = new URL(url)
  parsed.username = user
  parsed.password = password
  return parsed.href
}

export function nodeOf(source: Core): string {
  const parsed = new URL(withCookie(source))
  parsed.pathname = '/'
  return parsed.href
}

/** Bitcoin Core's RPC_WALLET_INVALID_LABEL_NAME. */
const NO_LABEL = -11

async function labelled(call: Call, label: string, type: string): Promise<string> {
  const addresses = await call('getaddressesbylabel', label).catch((error: unknown) => {
    if (error instanceof NodeRefused && error.rpcCode === NO_LABEL) return {}
    throw error
  })
  return Object.keys(addresses as object)[0] ?? String(await call('getnewaddress', label, type))
}
