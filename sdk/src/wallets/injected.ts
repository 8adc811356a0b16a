import { type AddressNetwork, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { toXOnly } from '@ordbook/bitcoin/keys.ts'
import { leafScriptsOf } from '@ordbook/bitcoin/psbt.ts'
import { leafKeyOf } from '@ordbook/bitcoin/trade/passthrough.ts'
import { WalletRefused } from '../errors.ts'
import type { SigningRequest } from '../wallet.ts'
import { type Account, type Accounts, type Adapter, injected } from './adapter.ts'
import { base64OfHex, bytesOf, hexOfBase64 } from './bytes.ts'

/** The wallets that an extension injects, each as its own documentation says it is spoken to. */
type Purpose = 'ordinals' | 'payment'

function both(accounts: readonly (Account & { purpose: Purpose })[]): Accounts {
  const of = (purpose: Purpose) => accounts.find((each) => each.purpose === purpose)
  const ordinals = of('ordinals')
  const payment = of('payment')
  if (!ordinals || !payment) throw new WalletRefused('the wallet gave no ordinals and payment addresses')
  return { ordinals: plain(ordinals), payment: plain(payment) }
}
const plain = ({ address, publicKey }: Account): Account => ({ address, publicKey })

/** One PSBT after the other, for wallets that take one. */
async function each(
  requests: readonly SigningRequest[],
  sign: (request: SigningRequest) => Promise<string>,
): Promise<string[]> {
  const signed: string[] = []
  for (const request of requests) signed.push(await sign(request))
  return signed
}

// ---------------------------------------------------------------------------------------------------------------- Xverse
// docs.xverse.app/sats-connect: JSON-RPC by `request` of the injected provider.
interface RpcProvider {
  request(method: string, params?: unknown): Promise<{ result?: unknown; error?: { message: string } }>
}

async function rpc<T>(path: string, method: string, params?: unknown): Promise<T> {
  const { result, error } = await injected<RpcProvider>(path)!.request(method, params)
  if (error) throw new WalletRefused(error.message)
  return result as T
}

const XVERSE = 'XverseProviders.BitcoinProvider'
const xverse: Adapter = {
  id: 'xverse',
  name: 'Xverse',
  url: 'https://www.xverse.app',
  isPresent: () => injected(XVERSE) !== undefined,
  async connect() {
    const answer = await rpc<{ addresses?: Listed[] } | Listed[]>(XVERSE, 'getAccounts', {
      purposes: ['ordinals', 'payment'],
      message: 'Sign in and trade',
    })
    type Listed = Account & { purpose: Purpose }
    return both(Array.isArray(answer) ? answer : (answer.addresses ?? []))
  },
  async signMessage({ address }, message) {
    const { signature } = await rpc<{ signature: string }>(XVERSE, 'signMessage', {
      address,
      message,
      protocol: 'BIP322',
    })
    return signature
  },
  signPsbts: (requests) =>
    each(requests, async ({ psbtBase64, inputsToSign }) => {
      const signInputs: Record<string, number[]> = {}
      for (const { address, signingIndexes } of inputsToSign)
        signInputs[address!] = [...(signInputs[address!] ?? []), ...signingIndexes]
      const params = { psbt: psbtBase64, signInputs, broadcast: false }
      return (await rpc<{ psbt: string }>(XVERSE, 'signPsbt', params)).psbt
    }),
}

// --------------------------------------------------------------------------------------------------------------- Leather
// leather.gitbook.io/developers: JSON-RPC by `request`; the payment type names the key.
const LEATHER = 'LeatherProvider'
const leather: Adapter = {
  id: 'leather',
  name: 'Leather',
  url: 'https://leather.io',
  isPresent: () => injected(LEATHER) !== undefined,
  async connect() {
    const { addresses } = await rpc<{ addresses: (Account & { symbol: string; type?: string })[] }>(
      LEATHER,
      'getAddresses',
    )
    const of = (type: string, purpose: Purpose) =>
      addresses.filter((one) => one.symbol === 'BTC' && one.type === type).map((one) => ({ ...one, purpose }))
    return both([...of('p2tr', 'ordinals'), ...of('p2wpkh', 'payment')])
  },
  async signMessage({ address }, message) {
    const paymentType = /^(bc|tb|bcrt)1p/.test(address) ? 'p2tr' : 'p2wpkh'
    return (await rpc<{ signature: string }>(LEATHER, 'signMessage', { message, paymentType })).signature
  },
  signPsbts: (requests) =>
    each(requests, async ({ psbtBase64, inputsToSign }) => {
      const sighashes = [...new Set(inputsToSign.map(({ sigHash }) => sigHash ?? 1)), 0]
      const { hex } = await rpc<{ hex: string }>(LEATHER, 'signPsbt', {
        hex: hexOfBase64(psbtBase64),
        signAtIndex: inputsToSign.flatMap((input) => input.signingIndexes),
        allowedSighash: sighashes,
        broadcast: false,
      })
      return base64OfHex(hex)
    }),
}

// ---------------------------------------------------------------------------------------------------- UniSat, OKX
// docs.unisat.io and OKX's developer pages: one address for everything, PSBTs in hex, several at once.
interface UnisatLike {
  signMessage(message: string, type: 'bip322-simple'): Promise<string>
  signPsbts(hexes: string[], options: object[]): Promise<string[]>
}

function unisatInputs({ psbtBase64, inputsToSign }: SigningRequest, { ordinals, payment }: Accounts) {
  const leaves = leafScriptsOf(psbtBase64)
  return inputsToSign.flatMap(({ address, sigHash, signingIndexes }) =>
    signingIndexes.map((index) => ({
      index,
      address,
      publicKey: address === payment.address ? payment.publicKey : ordinals.publicKey,
      ...(sigHash === undefined ? {} : { sighashTypes: [sigHash] }),
      ...(leaves[index] ? tweakOf(leaves[index], ordinals.publicKey) : {}),
    })),
  )
}

/** A leaf holds the address's output key, which the tweaked key signs, or the key that the wallet shows. */
const tweakOf = (leaf: Uint8Array, publicKey: string) =>
  equalBytes(leafKeyOf(leaf), toXOnly(hexToBytes(publicKey)))
    ? { disableTweakSigner: true }
    : { useTweakedSigner: true }

const likeUnisat = (
  path: string,
  connect: () => Promise<Account>,
): Pick<Adapter, 'isPresent' | 'connect' | 'signMessage' | 'signPsbts'> => ({
  isPresent: () => injected(path) !== undefined,
  async connect(network: AddressNetwork) {
    const account = await connect()
    if (kindOfScript(scriptOfAddress(account.address, network)) !== 'p2tr')
      throw new WalletRefused('choose a taproot address in the wallet: inscriptions are traded at one')
    return { ordinals: account, payment: account }
  },
  signMessage: (_, message) => injected<UnisatLike>(path)!.signMessage(message, 'bip322-simple'),
  async signPsbts(requests, accounts) {
    const hexes = requests.map((request) => hexOfBase64(request.psbtBase64))
    const options = requests.map((request) => ({
      autoFinalized: false,
      toSignInputs: unisatInputs(request, accounts),
    }))
    return (await injected<UnisatLike>(path)!.signPsbts(hexes, options)).map(base64OfHex)
  },
})

const unisat: Adapter = {
  id: 'unisat',
  name: 'UniSat',
  url: 'https://unisat.io',
  ...likeUnisat('unisat', async () => {
    const wallet = injected<{ requestAccounts(): Promise<string[]>; getPublicKey(): Promise<string> }>(
      'unisat',
    )!
    const [address] = await wallet.requestAccounts()
    if (!address) throw new WalletRefused('the wallet gave no address')
    return { address, publicKey: await wallet.getPublicKey() }
  }),
}

const okx: Adapter = {
  id: 'okx',
  name: 'OKX Wallet',
  url: 'https://web3.okx.com',
  ...likeUnisat('okxwallet.bitcoin', async () =>
    plain(await injected<{ connect(): Promise<Account> }>('okxwallet.bitcoin')!.connect()),
  ),
}

// ------------------------------------------------------------------------------------------------------------ Magic Eden
// docs-wallet.magiceden.io: requests as unsecured tokens, as sats-connect made them first.
interface TokenProvider {
  connect(token: string): Promise<{ addresses: (Account & { purpose: Purpose })[] }>
  signMessage(token: string): Promise<string>
  signTransaction(token: string): Promise<{ psbtBase64: string }>
}
const MAGIC_EDEN = 'magicEden.bitcoin'
const TYPES = { mainnet: 'Mainnet', testnet: 'Testnet', regtest: 'Regtest' }
let magicEdenNetwork = { type: TYPES.mainnet }

function token(payload: object): string {
  const part = (value: object) =>
    base64OfBytes(new TextEncoder().encode(JSON.stringify(value)))
      .replace(/=+$/, '')
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
  return `${part({ typ: 'JWT', alg: 'none' })}.${part({ network: magicEdenNetwork, ...payload })}.`
}

const magicEden: Adapter = {
  id: 'magic-eden',
  name: 'Magic Eden',
  url: 'https://wallet.magiceden.io',
  isPresent: () => injected(MAGIC_EDEN) !== undefined,
  async connect(network) {
    magicEdenNetwork = { type: TYPES[network] }
    const request = token({ purposes: ['ordinals', 'payment'], message: 'Sign in and trade' })
    return both((await injected<TokenProvider>(MAGIC_EDEN)!.connect(request)).addresses)
  },
  signMessage: ({ address }, message) =>
    injected<TokenProvider>(MAGIC_EDEN)!.signMessage(token({ address, message, protocol: 'BIP322' })),
  signPsbts: (requests) =>
    each(requests, async ({ psbtBase64, inputsToSign }) => {
      const request = token({
        psbtBase64,
        inputsToSign: inputsToSign.map(briefly),
        broadcast: false,
        message: 'Sign',
      })
      return (await injected<TokenProvider>(MAGIC_EDEN)!.signTransaction(request)).psbtBase64
    }),
}

// --------------------------------------------------------------------------------------------------------------- Phantom
// docs.phantom.com/bitcoin: bytes in and out.
interface Phantom {
  requestAccounts(): Promise<(Account & { purpose: Purpose })[]>
  signMessage(address: string, message: Uint8Array): Promise<{ signature: Uint8Array }>
  signPSBT(psbt: Uint8Array, options: { inputsToSign: object[] }): Promise<Uint8Array>
}
const PHANTOM = 'phantom.bitcoin'
const phantom: Adapter = {
  id: 'phantom',
  name: 'Phantom',
  url: 'https://phantom.com',
  isPresent: () => injected(PHANTOM) !== undefined,
  connect: async () => both(await injected<Phantom>(PHANTOM)!.requestAccounts()),
  async signMessage({ address }, message) {
    const bytes = new TextEncoder().encode(message)
    return base64OfBytes((await injected<Phantom>(PHANTOM)!.signMessage(address, bytes)).signature)
  },
  signPsbts: (requests) =>
    each(requests, async ({ psbtBase64, inputsToSign }) => {
      const options = { inputsToSign: inputsToSign.map(briefly) }
      return base64OfBytes(await injected<Phantom>(PHANTOM)!.signPSBT(bytesOf(psbtBase64), options))
    }),
}

/** What such wallets know of an input to sign. */
const briefly = ({ address, signingIndexes, sigHash }: SigningRequest['inputsToSign'][number]) => ({
  address,
  signingIndexes,
  ...(sigHash === undefined ? {} : { sigHash }),
})

export const injectedAdapters: readonly Adapter[] = [xverse, unisat, leather, okx, magicEden, phantom]
