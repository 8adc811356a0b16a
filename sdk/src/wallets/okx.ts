import type { Adapter } from './adapter.ts'
import { accountIn, addressIn } from './answers.ts'
import { likeUnisat } from './like-unisat.ts'
import { extension, Provider } from './provider.ts'

/** Chains with a separate provider, by Bitcoin Core's names. */
const PROVIDERS: Readonly<Record<string, string>> = { test: 'bitcoinTestnet', signet: 'bitcoinSignet' }

const main = new Provider('okxwallet.bitcoin')

/** OKX's developer pages: UniSat's interface, but `connect` returns the account and inputs have a single tweak option. */
const over = (provider: Provider): Adapter => ({
  ...extension(main, 'okx', 'OKX Wallet', 'https://web3.okx.com'),
  ...likeUnisat(provider, { before: { disableTweakSigner: true }, after: {} }, async () =>
    accountIn(await provider.call('connect'), 'the account'),
  ),
  onAccountChange: (changed) => provider.on('accountChanged', (account) => changed(addressIn(account))),
})

export const okx: Adapter = {
  ...over(main),
  forChain: (chain) => over(PROVIDERS[chain] ? new Provider(`okxwallet.${PROVIDERS[chain]}`) : main),
}
