import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused } from '../errors.ts'
import type { SigningRequest } from '../wallet.ts'
import { listIn, objectIn, textIn } from './answers.ts'
import { brieflyOf } from './one-by-one.ts'
import type { Provider } from './provider.ts'

/** Requests of sats-connect's first version (unsecured tokens), which wallets still accept for several PSBTs in one request. */
const TYPES = { mainnet: 'Mainnet', testnet: 'Testnet', regtest: 'Regtest' }

/** Most PSBTs that sats-connect sends in one request. */
const MAX_AT_ONCE = 100

/** A request as a token without a signature. Each names the network. */
export function tokenOf(network: AddressNetwork, payload: object): string {
  const part = (value: object) =>
    base64OfBytes(new TextEncoder().encode(JSON.stringify(value)))
      .replace(/=+$/, '')
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
  return `${part({ typ: 'JWT', alg: 'none' })}.${part({ network: { type: TYPES[network] }, ...payload })}.`
}

/** Whether a wallet signs these in one request: several, and it has the method. */
export const signsTogether = (provider: Provider, requests: readonly SigningRequest[]): boolean =>
  requests.length > 1 && provider.has('signMultipleTransactions')

/**
 * Signs PSBTs with `signMultipleTransactions`, as many per request as it accepts. Throws WalletRefused for a malformed response or a wrong
 * count.
 */
export async function signTogether(
  provider: Provider,
  network: AddressNetwork,
  requests: readonly SigningRequest[],
): Promise<string[]> {
  const signed: string[] = []
  for (let at = 0; at < requests.length; at += MAX_AT_ONCE)
    signed.push(...(await signOnce(provider, network, requests.slice(at, at + MAX_AT_ONCE))))
  return signed
}

async function signOnce(
  provider: Provider,
  network: AddressNetwork,
  requests: readonly SigningRequest[],
): Promise<string[]> {
  const psbts = requests.map(({ psbtBase64, inputsToSign }) => ({
    psbtBase64,
    inputsToSign: inputsToSign.map(brieflyOf),
  }))
  const token = tokenOf(network, { message: 'Sign all of it together', psbts })
  const answer = await provider.call('signMultipleTransactions', token)
  const signed = listIn(answer, 'the answer to signMultipleTransactions')
  if (signed.length !== requests.length)
    throw new WalletRefused(`the wallet answers ${signed.length} PSBTs to ${requests.length}`)
  return signed.map((each) => textIn(objectIn(each, 'a signed PSBT').psbtBase64, 'a signed PSBT'))
}
