import { base64OfBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Adapter } from './adapter.ts'
import { accountsByPurpose, bytesIn, objectIn, ordinalsAddressIn, textIn } from './answers.ts'
import { bytesOf, hexOfEither } from './bytes.ts'
import { brieflyOf, oneByOne, oneEach } from './one-by-one.ts'
import { extension, Provider } from './provider.ts'
import { standardWallet } from './wallet-standard.ts'

const provider = new Provider('phantom.bitcoin')
const identity = extension(provider, 'phantom', 'Phantom', 'https://phantom.com')

/** docs.phantom.com/bitcoin: the deprecated `window.phantom.bitcoin`, which accepts PSBTs as bytes. */
const injected = {
  connect: async () => accountsByPurpose(await provider.call('requestAccounts'), 'the accounts'),
  async signMessage({ address }, message) {
    const answer = await provider.call('signMessage', address, new TextEncoder().encode(message))
    return base64OfBytes(bytesIn(objectIn(answer, 'signMessage').signature, 'the signature'))
  },
  signPsbts: (requests, _, onSigned) =>
    oneByOne(requests, onSigned, async ({ psbtBase64, inputsToSign }) => {
      const options = { inputsToSign: inputsToSign.map(brieflyOf) }
      return base64Of(await provider.call('signPSBT', bytesOf(psbtBase64), options))
    }),
  onAccountChange: (changed) =>
    provider.on('accountsChanged', (accounts) => changed(ordinalsAddressIn(accounts))),
} satisfies Omit<Adapter, 'id' | 'name' | 'url' | 'isPresent'>

/** Converts a signed PSBT to base64. Phantom's guides document bytes, its reference hex or base64. */
const base64Of = (signed: unknown): string =>
  base64OfBytes(
    typeof signed === 'string'
      ? hexToBytes(hexOfEither(textIn(signed, 'the signed PSBT')))
      : bytesIn(signed, 'the signed PSBT'),
  )

const standard = standardWallet('Phantom')
const current = () => (standard.isPresent() ? standard : injected)

/** docs.phantom.com/bitcoin: the Wallet Standard, otherwise the injected provider. */
export const phantom: Adapter = {
  ...identity,
  isPresent: () => standard.isPresent() || identity.isPresent(),
  connect: (network) => current().connect(network),
  signMessage: (account, message) => current().signMessage(account, message),
  windowsFor: oneEach,
  signPsbts: (requests, accounts, onSigned) => current().signPsbts(requests, accounts, onSigned),
  onAccountChange: (changed) => current().onAccountChange(changed),
}
