import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { Client } from '@ordbook/sdk/client.ts'
import { WalletRefused } from '@ordbook/sdk/errors.ts'
import { signInWeb } from '@ordbook/sdk/sign-in.ts'
import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { testWallets } from '@ordbook/sdk/wallets/demo.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { byHand } from './by-hand.ts'
import type { Signed } from './signed.ts'

/** Every wallet that these pages support. */
const adapters: readonly Adapter[] = [...browserWallets, byHand, ...testWallets]

function adapterOf(id: string): Adapter {
  const adapter = adapters.find((each) => each.id === id)
  if (!adapter) throw new WalletRefused('this wallet is not known here')
  return adapter
}

/** Connects a wallet and signs in with it. */
export async function connect(client: Client, adapterId: string, network: AddressNetwork): Promise<Signed> {
  const adapter = adapterOf(adapterId)
  adapter.forget?.()
  const accounts = await adapter.connect(network)
  const session = await signInWeb(client, walletOf(adapter, accounts, network), location.host)
  return { adapter, accounts, walletBindingId: bindingOf(session.walletBindings, accounts) }
}

/** Connects the wallet of an existing session. */
export async function reconnect(
  adapterId: string,
  network: AddressNetwork,
  binding: { walletBindingId: string; ordinalsAddress: string; paymentAddress: string },
): Promise<Signed> {
  const adapter = adapterOf(adapterId)
  const accounts = await adapter.connect(network)
  return { adapter, accounts, walletBindingId: bindingOf([binding], accounts) }
}

function bindingOf(
  bindings: readonly { walletBindingId: string; ordinalsAddress: string; paymentAddress: string }[],
  { ordinals, payment }: Accounts,
): string {
  const found = bindings.find(
    (each) => each.ordinalsAddress === ordinals.address && each.paymentAddress === payment.address,
  )
  if (!found)
    throw new WalletRefused('the wallet is on another account now than the one that signed in: sign in again')
  return found.walletBindingId
}
