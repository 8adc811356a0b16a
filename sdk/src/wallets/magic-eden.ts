import { base64OfBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Adapter } from './adapter.ts'
import { accountsByPurpose, objectIn, textIn } from './answers.ts'
import { brieflyOf, oneByOne } from './one-by-one.ts'
import { Provider } from './provider.ts'

const provider = new Provider('magicEden.bitcoin')
const TYPES = { mainnet: 'Mainnet', testnet: 'Testnet', regtest: 'Regtest' }
/** Network of the last connection: each token names it. */
let network = { type: TYPES.mainnet }

/** docs-wallet.magiceden.io: requests as unsecured tokens, as in the first versions of sats-connect. */
export const magicEden: Adapter = {
  id: 'magic-eden',
  name: 'Magic Eden',
  url: 'https://wallet.magiceden.io',
  isPresent: () => provider.isPresent(),
  async connect(addressNetwork) {
    network = { type: TYPES[addressNetwork] }
    const request = token({ purposes: ['ordinals', 'payment'], message: 'Sign in and trade' })
    const answer = objectIn(await provider.call('connect', request), 'the answer to connect')
    return accountsByPurpose(answer.addresses, 'the addresses')
  },
  signMessage: async ({ address }, message) =>
    textIn(
      await provider.call('signMessage', token({ address, message, protocol: 'BIP322' })),
      'the signature',
    ),
  signPsbts: (requests) =>
    oneByOne(requests, async ({ psbtBase64, inputsToSign }) => {
      const request = token({
        psbtBase64,
        inputsToSign: inputsToSign.map(brieflyOf),
        broadcast: false,
        message: 'Sign',
      })
      const answer = objectIn(await provider.call('signTransaction', request), 'signTransaction')
      return textIn(answer.psbtBase64, 'the signed PSBT')
    }),
}

function token(payload: object): string {
  const part = (value: object) =>
    base64OfBytes(new TextEncoder().encode(JSON.stringify(value)))
      .replace(/=+$/, '')
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
  return `${part({ typ: 'JWT', alg: 'none' })}.${part({ network, ...payload })}.`
}
