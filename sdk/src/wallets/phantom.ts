import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Adapter } from './adapter.ts'
import { accountsByPurpose, bytesIn, objectIn } from './answers.ts'
import { bytesOf } from './bytes.ts'
import { brieflyOf, oneByOne } from './one-by-one.ts'
import { extension, Provider } from './provider.ts'

const provider = new Provider('phantom.bitcoin')

/** docs.phantom.com/bitcoin: bytes in and out. */
export const phantom: Adapter = {
  ...extension(provider, 'phantom', 'Phantom', 'https://phantom.com'),
  connect: async () => accountsByPurpose(await provider.call('requestAccounts'), 'the accounts'),
  async signMessage({ address }, message) {
    const answer = await provider.call('signMessage', address, new TextEncoder().encode(message))
    return base64OfBytes(bytesIn(objectIn(answer, 'signMessage').signature, 'the signature'))
  },
  signPsbts: (requests, _, onSigned) =>
    oneByOne(requests, onSigned, async ({ psbtBase64, inputsToSign }) => {
      const options = { inputsToSign: inputsToSign.map(brieflyOf) }
      const signed = await provider.call('signPSBT', bytesOf(psbtBase64), options)
      return base64OfBytes(bytesIn(signed, 'the signed PSBT'))
    }),
}
