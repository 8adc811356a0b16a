import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused } from '../errors.ts'
import type { SigningRequest } from '../wallet.ts'
import { listIn, objectIn, textIn } from './answers.ts'
import { brieflyOf } from './one-by-one.ts'
import type { Provider } from './provider.ts'

/** Network names of sats-connect. Only its first version (unsecured tokens) can send several PSBTs in one request. */
const TYPES = { mainnet: 'Mainnet', testnet: 'Testnet', regtest: 'Regtest' }

const BATCH_SIZE = 100

export function tokenOf(network: AddressNetwork, payload: object): string {
  const part = (value: object) =>
    base64OfBytes(new TextEncoder().encode(JSON.stringify(value)))
      .replace(/=+$/, '')
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
  return `${part({ typ: 'JWT', alg: 'none' })}.${part({ network: { type: TYPES[network] }, ...payload })}.`
}

export const signsTogether = (provider: Provider, requests: readonly SigningRequest[]): boolean =>
  requests.length > 1 && provider.has('signMultipleTransactions')

/** Returns the number of windows in which a wallet with `signMultipleTransactions` shows PSBTs. */
export const windowsFor = (provider: Provider, psbts: number): number =>
  provider.has('signMultipleTransactions') ? Math.ceil(psbts / BATCH_SIZE) : psbts

/** Signs PSBTs with `signMultipleTransactions`, in batches. Throws WalletRefused for a malformed response or a wrong count. */
export async function signTogether(
  provider: Provider,
  network: AddressNetwork,
  requests: readonly SigningRequest[],
): Promise<string[]> {
  const signed: string[] = []
  for (let at = 0; at < requests.length; at += BATCH_SIZE)
    signed.push(...(await signBatch(provider, network, requests.slice(at, at + BATCH_SIZE))))
  return signed
}

async function signBatch(
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
  const signed = listIn(answer, 'the response to signMultipleTransactions')
  if (signed.length !== requests.length)
    throw new WalletRefused(`The wallet returned ${signed.length} PSBTs instead of ${requests.length}.`)
  return signed.map((result) => textIn(objectIn(result, 'a signed PSBT').psbtBase64, 'a signed PSBT'))
}
