import type { Adapter } from './adapter.ts'
import { accountOf, listIn, objectIn, textIn } from './answers.ts'
import { base64OfHex, hexOfBase64 } from './bytes.ts'
import { jsonRpc } from './json-rpc.ts'
import { oneByOne, oneEach } from './one-by-one.ts'
import { extension, Provider } from './provider.ts'

const provider = new Provider('LeatherProvider')

/** github.com/leather-io/mono, packages/rpc: JSON-RPC through `request`. The payment type selects the key. */
export const leather: Adapter = {
  ...extension(provider, 'leather', 'Leather', 'https://leather.io'),
  async connect() {
    const answer = objectIn(await jsonRpc(provider, 'getAddresses'), 'getAddresses')
    const addresses = listIn(answer.addresses, 'the addresses').map((address) =>
      objectIn(address, 'an address'),
    )
    const of = (type: string) =>
      accountOf(addresses, (address) => address.symbol === 'BTC' && address.type === type)
    return { ordinals: of('p2tr'), payment: of('p2wpkh') }
  },
  async signMessage({ address }, message) {
    const paymentType = /^(bc|tb|bcrt)1p/.test(address) ? 'p2tr' : 'p2wpkh'
    const answer = await jsonRpc(provider, 'signMessage', { message, paymentType })
    return textIn(objectIn(answer, 'signMessage').signature, 'the signature')
  },
  windowsFor: oneEach,
  signPsbts: (requests, _, onSigned) =>
    oneByOne(requests, onSigned, async ({ psbtBase64, inputsToSign }) => {
      const answer = await jsonRpc(provider, 'signPsbt', {
        hex: hexOfBase64(psbtBase64),
        signAtIndex: inputsToSign.flatMap((input) => input.signingIndexes),
        allowedSighash: [...new Set(inputsToSign.map(({ sigHash }) => sigHash ?? 1)), 0],
        broadcast: false,
      })
      return base64OfHex(textIn(objectIn(answer, 'signPsbt').hex, 'the signed PSBT'))
    }),
}
