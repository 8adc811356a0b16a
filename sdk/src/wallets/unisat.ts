import { WalletRefused } from '../errors.ts'
import type { Adapter } from './adapter.ts'
import { listIn, publicKeyIn, textIn } from './answers.ts'
import { likeUnisat } from './like-unisat.ts'
import { extension, Provider } from './provider.ts'

const provider = new Provider('unisat')

/** docs.unisat.io */
export const unisat: Adapter = {
  ...extension(provider, 'unisat', 'UniSat', 'https://unisat.io'),
  ...likeUnisat(
    provider,
    { before: { disableTweakSigner: true }, after: { useTweakedSigner: true } },
    async () => {
      const [address] = listIn(await provider.call('requestAccounts'), 'the accounts')
      if (!address) throw new WalletRefused('The wallet returned no address.')
      return {
        address: textIn(address, 'the address'),
        publicKey: publicKeyIn(await provider.call('getPublicKey'), 'the public key'),
      }
    },
  ),
  // A locked wallet reports no account, but keeps it.
  onAccountChange: (changed) =>
    provider.on('accountsChanged', (accounts) => {
      const [address] = Array.isArray(accounts) ? accounts : []
      if (typeof address === 'string') changed(address)
    }),
}
