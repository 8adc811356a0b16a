import { WalletRefused } from '../errors.ts'
import { objectIn } from './answers.ts'
import { messageOf } from './message-of.ts'
import { knownError, type Provider } from './provider.ts'

/**
 * Makes a JSON-RPC call with the provider's `request`. Throws WalletRefused with the wallet's message, or WalletDeclined or
 * WalletUnconnected by its code.
 */
export async function jsonRpc(provider: Provider, method: string, params?: unknown): Promise<unknown> {
  const { result, error } = objectIn(
    await provider.call('request', method, params),
    `the response to ${method}`,
  )
  if (!error) return result
  throw knownError(error) ?? new WalletRefused(messageOf(error) || `The wallet rejected ${method}.`)
}
