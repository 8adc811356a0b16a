import { demandForm } from './answer-forms.ts'
import { Client, type ClientOptions } from './client.ts'
import { CheckFailed } from './errors.ts'
import { findBinding, signIn, signInWeb } from './sign-in.ts'
import type { Trader } from './trader.ts'
import type { Wallet } from './wallet.ts'

/** The market's keys to hold it to, the form of escrows, and the options of every call. */
type Settings = ClientOptions & Omit<Trader, 'client' | 'wallet' | 'walletBindingId'>

/**
 * Signs a wallet in at a market (`https://market.example`). Returns the trader, which signs in again when its session expires. `surface:
 * 'web'` selects the storefront's surface, which swaps, holdings and coins need. Throws the errors of `signIn`.
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
  client.checkAnswer = demandForm
  const begin = (each: Client) =>
    surface === 'api' ? signIn(each, wallet, host) : signInWeb(each, wallet, host)
  const { walletBindings } = await begin(client)
  client.signInAgain = begin
  const binding = findBinding(walletBindings, wallet)
  if (!binding) throw new CheckFailed("the market's session has other addresses than the wallet")
  return { client, wallet, walletBindingId: binding.walletBindingId, ...own }
}
