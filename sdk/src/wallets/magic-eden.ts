import { networkOf } from '../verify/facts.ts'
import type { Adapter } from './adapter.ts'
import { accountsByPurpose, objectIn, textIn } from './answers.ts'
import { brieflyOf, oneByOne } from './one-by-one.ts'
import { extension, Provider } from './provider.ts'
import { signsTogether, signTogether, tokenOf, windowsFor } from './sats-connect.ts'

const provider = new Provider('magicEden.bitcoin')

/** docs.magiceden.io/docs/signing-a-transaction: unsecured tokens, as in early versions of sats-connect. */
export const magicEden: Adapter = {
  ...extension(provider, 'magic-eden', 'Magic Eden', 'https://wallet.magiceden.io'),
  async connect(network) {
    const request = tokenOf(network, { purposes: ['ordinals', 'payment'], message: 'Sign in and trade' })
    const answer = objectIn(await provider.call('connect', request), 'the response to connect')
    return accountsByPurpose(answer.addresses, 'the addresses')
  },
  signMessage: async ({ address }, message) =>
    textIn(
      await provider.call(
        'signMessage',
        tokenOf(networkOf(address), { address, message, protocol: 'BIP322' }),
      ),
      'the signature',
    ),
  windowsFor: (psbts) => windowsFor(provider, psbts),
  signPsbts(requests, { ordinals }, onSigned) {
    const network = networkOf(ordinals.address)
    if (signsTogether(provider, requests)) return signTogether(provider, network, requests)
    return oneByOne(requests, onSigned, async ({ psbtBase64, inputsToSign }) => {
      const request = tokenOf(network, {
        psbtBase64,
        inputsToSign: inputsToSign.map(brieflyOf),
        broadcast: false,
        message: 'Sign',
      })
      const answer = objectIn(await provider.call('signTransaction', request), 'signTransaction')
      return textIn(answer.psbtBase64, 'the signed PSBT')
    })
  },
}
