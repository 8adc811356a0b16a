import type { Adapter } from './adapter.ts'
import { accountIn } from './answers.ts'
import { likeUnisat } from './like-unisat.ts'
import { Provider } from './provider.ts'

const provider = new Provider('okxwallet.bitcoin')

/** OKX's developer pages: UniSat's interface, except that `connect` gives the account. */
export const okx: Adapter = {
  id: 'okx',
  name: 'OKX Wallet',
  url: 'https://web3.okx.com',
  ...likeUnisat(provider, async () => accountIn(await provider.call('connect'), 'the account')),
}
