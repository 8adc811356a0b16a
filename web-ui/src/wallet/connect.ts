import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { Client } from '@ordbook/sdk/client.ts'
import { WalletRefused, WalletUnconnected } from '@ordbook/sdk/errors.ts'
import { findBinding, signInWeb } from '@ordbook/sdk/sign-in.ts'
import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { accountsIn } from '@ordbook/sdk/wallets/answers.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { testWallets } from '@ordbook/sdk/wallets/demo.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { KEPT, store, storedJson } from '../state/stored.ts'
import { byHand } from './by-hand.ts'
import { patient } from './patience.ts'
import type { Signed } from './signed.ts'

const OTHER_ACCOUNT = 'The wallet switched to another account since you signed in. Sign in again.'

/** `chain` uses Bitcoin Core's names. */
export interface MarketChain {
  chain: string
  addressNetwork: AddressNetwork
}

function findAdapter(id: string, chain: string): Adapter | null {
  const adapter = [...browserWallets, byHand, ...testWallets].find((adapter) => adapter.id === id)
  if (!adapter) return null
  return browserWallets.includes(adapter) ? patient(adapter.forChain?.(chain) ?? adapter) : adapter
}

function adapterOf(id: string, chain: string): Adapter {
  const adapter = findAdapter(id, chain)
  if (!adapter) throw new WalletRefused('This wallet is not supported. Connect another one.')
  return adapter
}

/** Name of a wallet, and the number of windows in which it shows PSBTs. */
export interface WalletWindows {
  /** Null if the wallet is not in the browser. */
  name: string | null
  windowsFor(psbts: number): number
}

export function walletWindows(adapterId: string, { chain }: MarketChain): WalletWindows | null {
  const adapter = findAdapter(adapterId, chain)
  return (
    adapter && { name: adapter === byHand ? null : adapter.name, windowsFor: adapter.windowsFor ?? (() => 1) }
  )
}

/** A window that the wallet opens during a sign-in. `of` is unknown until the wallet shares its accounts. */
export interface SignInStep {
  number: number
  of: number | null
  /** Null while the wallet is asked for its accounts. */
  account: { address: string; purpose: 'ordinals' | 'payment' } | null
}

export async function connect(
  client: Client,
  adapterId: string,
  market: MarketChain,
  onStep: (step: SignInStep) => void = () => {},
): Promise<Signed> {
  const adapter = adapterOf(adapterId, market.chain)
  adapter.forget?.()
  onStep({ number: 1, of: null, account: null })
  const accounts = await adapter.connect(market.addressNetwork)
  const addresses = [...new Set([accounts.ordinals.address, accounts.payment.address])]
  const asking: Adapter = {
    ...adapter,
    signMessage(account, message) {
      const { address } = account
      const purpose = address === accounts.ordinals.address ? 'ordinals' : 'payment'
      onStep({
        number: 2 + addresses.indexOf(address),
        of: 1 + addresses.length,
        account: { address, purpose },
      })
      return adapter.signMessage(account, message)
    },
  }
  const session = await signInWeb(client, walletOf(asking, accounts, market.addressNetwork), location.host)
  keep(accounts)
  return { adapter, accounts, walletBindingId: bindingOf(session.walletBindings, accounts) }
}

/**
 * Reconnects the wallet of a session with stored accounts, so that a reload opens no wallet window. After `doubt`, the wallet is asked for
 * its accounts. `bindings`: all bindings of the profile.
 */
export async function reconnect(
  adapterId: string,
  { chain, addressNetwork: network }: MarketChain,
  bindings: readonly Binding[],
): Promise<Signed> {
  const adapter = adapterOf(adapterId, chain)
  // Adapters with `forget` store their own accounts.
  const kept = adapter.forget
    ? null
    : storedJson(KEPT.accounts, (value) => accountsIn(value, 'the kept accounts'))
  const isKept = kept && findBindingOf(bindings, kept)
  const accounts = isKept ? kept : await adapter.connect(network)
  const walletBindingId = bindingOf(bindings, accounts)
  keep(accounts)
  return { adapter: connectingAgain(adapter, network), accounts, walletBindingId }
}

/** Calls `changed` on account changes. Returns a function that unsubscribes. */
export const watchAccount = (
  adapterId: string,
  { chain }: MarketChain,
  changed: (ordinalsAddress: string | null) => void,
): (() => void) => adapterOf(adapterId, chain).onAccountChange?.(changed) ?? (() => {})

export interface Binding {
  walletBindingId: string
  ordinalsAddress: string
  paymentAddress: string
}

const keep = (accounts: Accounts) => store(KEPT.accounts, JSON.stringify(accounts))

const findBindingOf = (bindings: readonly Binding[], { ordinals, payment }: Accounts) =>
  findBinding(bindings, { ordinalsAddress: ordinals.address, paymentAddress: payment.address })

function bindingOf(bindings: readonly Binding[], accounts: Accounts): string {
  const found = findBindingOf(bindings, accounts)
  if (!found) throw new WalletRefused(OTHER_ACCOUNT)
  return found.walletBindingId
}

/** Some wallets sign only after a connect. Reconnects and retries for them. */
const connectingAgain = (adapter: Adapter, network: AddressNetwork): Adapter => ({
  ...adapter,
  async signPsbts(requests, accounts, onSigned) {
    try {
      return await adapter.signPsbts(requests, accounts, onSigned)
    } catch (error) {
      if (!(error instanceof WalletUnconnected)) throw error
      const { ordinals, payment } = await adapter.connect(network)
      if (ordinals.address !== accounts.ordinals.address || payment.address !== accounts.payment.address)
        throw new WalletRefused(OTHER_ACCOUNT)
      return adapter.signPsbts(requests, accounts, onSigned)
    }
  },
})
