import { networkOf } from '../verify/facts.ts'
import type { Adapter } from './adapter.ts'
import { accountsByPurpose, objectIn, ordinalsAddressIn, textIn } from './answers.ts'
import { jsonRpc } from './json-rpc.ts'
import { oneByOne } from './one-by-one.ts'
import { extension, Provider } from './provider.ts'
import { signsTogether, signTogether, windowsFor } from './sats-connect.ts'

const provider = new Provider('XverseProviders.BitcoinProvider')

/** docs.xverse.app/sats-connect: JSON-RPC through the injected provider's `request`, and the older call for several PSBTs. */
export const xverse: Adapter = {
  ...extension(provider, 'xverse', 'Xverse', 'https://www.xverse.app'),
  async connect() {
    const answer = await jsonRpc(provider, 'getAccounts', {
      purposes: ['ordinals', 'payment'],
      message: 'Sign in and trade',
    })
    const addresses = Array.isArray(answer) ? answer : objectIn(answer, 'getAccounts').addresses
    return accountsByPurpose(addresses, 'the addresses')
  },
  // sats-connect passes the callback along with the event's name.
  onAccountChange(changed) {
    const cb = (event: unknown) =>
      changed(
        ordinalsAddressIn(typeof event === 'object' && event !== null && Reflect.get(event, 'addresses')),
      )
    const end = provider.call('addListener', { eventName: 'accountChange', cb }).catch(() => null)
    return () => void end.then((stop) => typeof stop === 'function' && Reflect.apply(stop, undefined, []))
  },
  async signMessage({ address }, message) {
    const answer = await jsonRpc(provider, 'signMessage', { address, message, protocol: 'BIP322' })
    return textIn(objectIn(answer, 'signMessage').signature, 'the signature')
  },
  windowsFor: (psbts) => windowsFor(provider, psbts),
  signPsbts(requests, { ordinals }, onSigned) {
    if (signsTogether(provider, requests))
      return signTogether(provider, networkOf(ordinals.address), requests)
    return oneByOne(requests, onSigned, async ({ psbtBase64, inputsToSign }) => {
      const signInputs: Record<string, number[]> = {}
      for (const { address, signingIndexes } of inputsToSign)
        signInputs[address!] = [...(signInputs[address!] ?? []), ...signingIndexes]
      const answer = await jsonRpc(provider, 'signPsbt', { psbt: psbtBase64, signInputs, broadcast: false })
      return textIn(objectIn(answer, 'signPsbt').psbt, 'the signed PSBT')
    })
  },
}
