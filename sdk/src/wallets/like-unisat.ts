import { type AddressNetwork, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { toXOnly } from '@ordbook/bitcoin/keys.ts'
import { leafScriptsOf } from '@ordbook/bitcoin/psbt.ts'
import { leafKeyOf } from '@ordbook/bitcoin/trade/passthrough.ts'
import { WalletRefused } from '../errors.ts'
import type { SigningRequest } from '../wallet.ts'
import type { Account, Accounts, Adapter } from './adapter.ts'
import { listIn, textIn } from './answers.ts'
import { base64OfHex, hexOfBase64 } from './bytes.ts'
import type { Provider } from './provider.ts'
import { listInscriptions } from './unisat-inscriptions.ts'

/** Options of an input whose leaf is signed by the untweaked (`before`) or the tweaked key (`after`). */
interface TweakOptions {
  before: object
  after: object
}

/** The interface of UniSat and OKX: a single address, PSBTs in hex, several per request. */
export const likeUnisat = (
  provider: Provider,
  tweaks: TweakOptions,
  connect: () => Promise<Account>,
): Pick<Adapter, 'connect' | 'inscriptionsAt' | 'signMessage' | 'signPsbts'> => ({
  async connect(network: AddressNetwork) {
    const account = await connect()
    if (kindOfScript(scriptOfAddress(account.address, network)) !== 'p2tr')
      throw new WalletRefused(
        'Select a taproot address in the wallet. Inscriptions are traded from taproot addresses only.',
      )
    return { ordinals: account, payment: account }
  },
  inscriptionsAt: (address) => listInscriptions(provider, address),
  signMessage: async (_, message) =>
    textIn(await provider.call('signMessage', message, 'bip322-simple'), 'the signature'),
  async signPsbts(requests, accounts) {
    const hexes = requests.map((request) => hexOfBase64(request.psbtBase64))
    const options = requests.map((request) => ({
      autoFinalized: false,
      toSignInputs: inputsOf(request, accounts, tweaks),
    }))
    const signed = listIn(await provider.call('signPsbts', hexes, options), 'the response to signPsbts')
    if (signed.length !== hexes.length)
      throw new WalletRefused(`The wallet returned ${signed.length} PSBTs instead of ${hexes.length}.`)
    return signed.map((psbt) => base64OfHex(textIn(psbt, 'a signed PSBT')))
  },
})

function inputsOf(
  { psbtBase64, inputsToSign }: SigningRequest,
  { ordinals, payment }: Accounts,
  { before, after }: TweakOptions,
) {
  const leaves = leafScriptsOf(psbtBase64)
  return inputsToSign.flatMap(({ address, sigHash, signingIndexes }) =>
    signingIndexes.map((index) => ({
      index,
      address,
      publicKey: address === payment.address ? payment.publicKey : ordinals.publicKey,
      ...(sigHash ? { sighashTypes: [sigHash] } : {}),
      ...(leaves[index] ? (isOf(leaves[index], ordinals.publicKey) ? before : after) : {}),
    })),
  )
}

/** Whether a leaf contains the wallet's public key, not the output key of the address. */
const isOf = (leaf: Uint8Array, publicKey: string) =>
  equalBytes(leafKeyOf(leaf), toXOnly(hexToBytes(publicKey)))
