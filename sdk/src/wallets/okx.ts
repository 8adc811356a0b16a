import type { Adapter } from './adapter.ts'
import { accountIn } from './answers.ts'
import { likeUnisat } from './like-unisat.ts'
import { extension, Provider } from './provider.ts'

const provider = new Provider('okxwallet.bitcoin')

/** OKX's developer pages: UniSat's interface, except that `connect` gives the account. */
export const okx: Adapter = {
  ...extension(provider, 'okx', 'OKX Wallet', 'https://web3.okx.com'),
  ...likeUnisat(provider, async () => accountIn(await provider.call('connect'), 'the account')),
}
