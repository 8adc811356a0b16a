import { assertAnswerSchema } from './answer-forms.ts'
import { Client, type ClientOptions } from './client.ts'
import { CheckFailed } from './errors.ts'
import { findBinding, signIn, signInWeb } from './sign-in.ts'
import type { Trader } from './trader.ts'
import type { Wallet } from './wallet.ts'

type Settings = ClientOptions & Omit<Trader, 'client' | 'wallet' | 'walletBindingId'>

/**
 * Signs a wallet in at a market (`https://market.example`). Returns a trader, which signs in again when its session expires. Swaps,
 * holdings and coins require `surface: 'storefront'`. Throws the errors of `signIn`.
 */
export async function enter<W extends Wallet>(
  market: string,
  wallet: W,
  { surface = 'api', ...settings }: Settings & { surface?: 'api' | 'storefront' } = {},
): Promise<Trader & { wallet: W }> {
  const { origin, host } = new URL(market)
  const { deadlineMilliseconds, repeats, signal, ...own } = settings
  const client = new Client(`${origin}/${surface === 'api' ? 'api' : 'web'}/v1`, {
    ...(deadlineMilliseconds === undefined ? {} : { deadlineMilliseconds }),
    ...(repeats === undefined ? {} : { repeats }),
    ...(signal === undefined ? {} : { signal }),
  })
  client.checkAnswer = assertAnswerSchema
  const begin = (target: Client) =>
    surface === 'api' ? signIn(target, wallet, host) : signInWeb(target, wallet, host)
  const { walletBindings } = await begin(client)
  client.signInAgain = begin
  const binding = findBinding(walletBindings, wallet)
  if (!binding) throw new CheckFailed("the market's session has other addresses than the wallet")
  return { client, wallet, walletBindingId: binding.walletBindingId, ...own }
}
