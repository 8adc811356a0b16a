import { WalletRefused } from '../errors.ts'
import { objectIn } from './answers.ts'
import { declinedBy, type Provider } from './provider.ts'

/** One JSON-RPC call by the provider's `request`. Throws WalletRefused with the wallet's reason, WalletDeclined where the user declined. */
export async function jsonRpc(provider: Provider, method: string, params?: unknown): Promise<unknown> {
  const { result, error } = objectIn(
    await provider.call('request', method, params),
    `the answer to ${method}`,
  )
  if (!error) return result
  const declined = declinedBy(error)
  if (declined) throw declined
  const { message } = objectIn(error, `the error of ${method}`)
  throw new WalletRefused(typeof message === 'string' ? message : `the wallet refused ${method}`)
}
