import { base64OfBytes, bytesOfBase64, bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { sighashesOf, spentOutputsOf } from '@ordbook/bitcoin/psbt.ts'
import type { InputToSign, LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { Page } from 'playwright-core'
import { SIGNERS, signingBy } from './signers.ts'

/**
 * Fakes of wallet extensions. Each is injected where the extension would be and has its documented API. Real keys sign by the wallet's
 * rules (signers.ts). Undocumented requests are rejected.
 */
export type WalletKind = 'xverse' | 'unisat' | 'leather' | 'okx' | 'magic-eden' | 'phantom'

/** Wallets with one address. Their fakes need a LocalWallet with two equal addresses. */
export const HAS_ONE_ADDRESS: ReadonlySet<WalletKind> = new Set(['unisat', 'okx'])

interface Listed {
  inscriptionId: string
  /** `txid:vout` */
  output: string
}

/** Lists the inscriptions at an address in the vendor's index. Undefined if the wallet cannot list them. */
export type Lists = ((address: string) => Promise<readonly Listed[]>) | undefined

type Call = (wallet: LocalWallet, params: any, lists: Lists) => unknown
const base64OfHex = (hex: string) => base64OfBytes(hexToBytes(hex))
const hexOfBase64 = (base64: string) => bytesToHex(bytesOfBase64(base64)!)
const signed = async (wallet: LocalWallet, address: string, message: string) =>
  base64OfHex(await wallet.signMessage(address, message))

const xOnly = (publicKey: string) => publicKey.slice(2)
const addressesOf = (wallet: LocalWallet) => [
  {
    address: wallet.ordinalsAddress,
    publicKey: xOnly(wallet.ordinalsPublicKey),
    purpose: 'ordinals',
    addressType: 'p2tr',
  },
  {
    address: wallet.paymentAddress,
    publicKey: wallet.paymentPublicKey,
    purpose: 'payment',
    addressType: 'p2wpkh',
  },
]

function refuse(reason: string): never {
  throw new Error(reason)
}

/** Signs for wallets that receive only the inputs, with the PSBT's sighash types. */
function signBySighash(wallet: LocalWallet, psbt: string, inputs: readonly InputToSign[]): Promise<string> {
  const sighashes = sighashesOf(psbt)
  const requests = inputs.flatMap(({ address, signingIndexes }) =>
    signingIndexes.map((index) => {
      const sigHash = sighashes[index]
      return {
        ...(address ? { address } : {}),
        signingIndexes: [index],
        ...(sigHash ? { sigHash } : {}),
      }
    }),
  )
  return wallet.signPsbt(psbt, requests)
}

/** Finds the address of each input: the payment address if the script matches, otherwise the ordinals address. */
const byOwner = (wallet: LocalWallet, psbt: string, indexes: readonly number[]): InputToSign[] =>
  indexes.map((index) => ({
    address: equalBytes(spentOutputsOf(psbt)[index]!.script, wallet.paymentScript)
      ? wallet.paymentAddress
      : wallet.ordinalsAddress,
    signingIndexes: [index],
  }))

/** Converts toSignInputs of UniSat and OKX to our signing steps. Only UniSat documents `useTweakedSigner`. */
function inputsOf(
  options: { autoFinalized?: boolean; toSignInputs: Record<string, any>[] },
  documents: { useTweakedSigner: boolean },
): InputToSign[] {
  if (options.autoFinalized !== false) refuse('it would be finalised')
  return options.toSignInputs.map((toSignInput) => {
    const { index, address, publicKey, sighashTypes, useTweakedSigner, disableTweakSigner } = toSignInput
    if (!address && !publicKey) refuse('toSignInputs names neither address nor publicKey')
    if (useTweakedSigner !== undefined && !documents.useTweakedSigner) refuse('no option useTweakedSigner')
    return {
      address,
      signingIndexes: [index],
      disableTweakSigner: useTweakedSigner === undefined ? disableTweakSigner === true : !useTweakedSigner,
      ...(sighashTypes ? { sigHash: sighashTypes[0] } : {}),
    }
  })
}

const likeUnisat = (documents: { useTweakedSigner: boolean }): Record<string, Call> => ({
  getAccounts: (wallet) => [wallet.ordinalsAddress],
  getInscriptions: async (wallet, [cursor, size], lists) => {
    if (!lists) refuse('no method getInscriptions')
    const all = await lists(wallet.ordinalsAddress)
    return { total: all.length, list: all.slice(cursor, cursor + size) }
  },
  signMessage: (wallet, [message, type]) =>
    type === 'bip322-simple' ? signed(wallet, wallet.ordinalsAddress, message) : refuse(`no type ${type}`),
  signPsbts: async (wallet, [hexes, options]) => {
    const answers = []
    for (const [n, hex] of hexes.entries())
      answers.push(hexOfBase64(await wallet.signPsbt(base64OfHex(hex), inputsOf(options[n], documents))))
    return answers
  },
})

/** Decodes the payload of an unsecured JWT from sats-connect. */
function payloadOf(token: string): any {
  const [header, payload, signature] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  if (read(header!).alg !== 'none' || signature !== '') refuse('not an unsecured token')
  const found = read(payload!)
  return found.network?.type ? found : refuse('the token does not specify a network')
}

/** Signs several PSBTs like the first version of sats-connect. Returns them in order. */
async function together(token: string, sign: (psbt: string, inputs: InputToSign[]) => Promise<string>) {
  const { message, psbts } = payloadOf(token)
  if (!message) refuse('a request needs a message')
  const answers = []
  for (const { psbtBase64, inputsToSign } of psbts)
    answers.push({ psbtBase64: await sign(psbtBase64, inputsToSign) })
  return answers
}

const CALLS: Record<WalletKind, Record<string, Call>> = {
  xverse: {
    getAccounts: (wallet, { purposes }) =>
      addressesOf(wallet).filter((each) => purposes.includes(each.purpose)),
    signMessage: async (wallet, { address, message, protocol }) =>
      protocol === 'BIP322'
        ? { signature: await signed(wallet, address, message), address }
        : refuse('BIP322 is the protocol for this address'),
    signPsbt: async (wallet, { psbt, signInputs, broadcast }) => {
      if (broadcast) refuse('nothing is to be broadcast')
      const inputs = Object.entries(signInputs as Record<string, number[]>).map(
        ([address, signingIndexes]) => ({
          address,
          signingIndexes,
        }),
      )
      return { psbt: await signBySighash(wallet, psbt, inputs) }
    },
    signMultipleTransactions: (wallet, [token]) =>
      together(token, (psbt, inputs) => signBySighash(wallet, psbt, inputs)),
  },
  leather: {
    getAddresses: (wallet) => ({
      addresses: addressesOf(wallet).map(({ address, publicKey, addressType }) => ({
        symbol: 'BTC',
        type: addressType,
        address,
        publicKey,
      })),
    }),
    signMessage: async (wallet, { message, paymentType }) => {
      const address = paymentType === 'p2tr' ? wallet.ordinalsAddress : wallet.paymentAddress
      return { signature: await signed(wallet, address, message), address }
    },
    signPsbt: async (wallet, { hex, signAtIndex, allowedSighash }) => {
      if (!Array.isArray(allowedSighash)) refuse('allowedSighash is needed')
      const base64 = base64OfHex(hex)
      return { hex: hexOfBase64(await signBySighash(wallet, base64, byOwner(wallet, base64, signAtIndex))) }
    },
  },
  unisat: {
    requestAccounts: (wallet) => [wallet.ordinalsAddress],
    getPublicKey: (wallet) => wallet.ordinalsPublicKey,
    ...likeUnisat({ useTweakedSigner: true }),
  },
  okx: {
    connect: (wallet) => ({
      address: wallet.ordinalsAddress,
      publicKey: wallet.ordinalsPublicKey,
      compressedPublicKey: wallet.ordinalsPublicKey,
    }),
    ...likeUnisat({ useTweakedSigner: false }),
  },
  'magic-eden': {
    connect: (wallet, [token]) => {
      const { purposes } = payloadOf(token)
      return { addresses: addressesOf(wallet).filter((each) => purposes.includes(each.purpose)) }
    },
    signMessage: (wallet, [token]) => {
      const { address, message } = payloadOf(token)
      return signed(wallet, address, message)
    },
    signTransaction: async (wallet, [token]) => {
      const { psbtBase64, inputsToSign } = payloadOf(token)
      return { psbtBase64: await wallet.signPsbt(psbtBase64, inputsToSign) }
    },
    signMultipleTransactions: (wallet, [token]) =>
      together(token, (psbt, inputs) => wallet.signPsbt(psbt, inputs)),
  },
  phantom: {
    requestAccounts: (wallet) => addressesOf(wallet),
    signMessage: async (wallet, [address, message]) => ({
      signature: [
        ...bytesOfBase64(await signed(wallet, address, new TextDecoder().decode(new Uint8Array(message))))!,
      ],
    }),
    signPSBT: async (wallet, [psbt, { inputsToSign }]) => [
      ...bytesOfBase64(await wallet.signPsbt(base64OfBytes(new Uint8Array(psbt)), inputsToSign))!,
    ],
  },
}

/** Returns the fake for an adapter. Throws if it is missing. */
export function kindOf(adapterId: string): WalletKind {
  const found = Object.keys(CALLS).find((kind): kind is WalletKind => kind === adapterId)
  return found ?? refuse(`no test wallet for ${adapterId}`)
}

/** Source of the injected objects. Calls are forwarded to the fake wallet, with bytes as arrays. */
const PROVIDERS: Record<WalletKind, string> = {
  xverse: `window.XverseProviders = { BitcoinProvider: { request: rpc, addListener, ...methods('signMultipleTransactions') } }`,
  leather: `window.LeatherProvider = { request: rpc }`,
  unisat: `window.unisat = methods('requestAccounts', 'getAccounts', 'getPublicKey', 'getInscriptions', 'signMessage', 'signPsbts')`,
  okx: `window.okxwallet = { bitcoin: methods('connect', 'getAccounts', 'getInscriptions', 'signMessage', 'signPsbts') }`,
  'magic-eden': `window.magicEden = { bitcoin: methods('connect', 'signMessage', 'signTransaction', 'signMultipleTransactions') }`,
  phantom: `window.phantom = { bitcoin: {
    requestAccounts: () => call('requestAccounts', []),
    signMessage: async (address, message) => {
      const { signature } = await call('signMessage', [address, [...message]])
      return { signature: new Uint8Array(signature) }
    },
    signPSBT: async (psbt, options) => new Uint8Array(await call('signPSBT', [[...psbt], options])),
  } }`,
}

function answering(kind: WalletKind, signing: LocalWallet, asked: string[], lists: Lists) {
  return async (method: string, params: unknown) => {
    asked.push(method)
    const answer = CALLS[kind][method]
    if (!answer) return { error: `${kind} has no ${method}` }
    try {
      return { result: await answer(signing, params, lists) }
    } catch (error) {
      return { error: String((error as Error).message) }
    }
  }
}

/** Defines the extension's object on `window`. */
const scriptOf = (kind: WalletKind) => `{
    const call = async (method, params) => {
      const { result, error } = await window.askWallet(method, params)
      if (error) throw new Error(error)
      return result
    }
    const rpc = async (method, params) => {
      const { result, error } = await window.askWallet(method, params)
      return error ? { jsonrpc: '2.0', error: { code: -32000, message: error } } : { jsonrpc: '2.0', result }
    }
    const listeners = new Set()
    window.tellAccount = (addresses) => listeners.forEach((each) => each({ type: 'accountChange', addresses }))
    const addListener = ({ eventName, cb }) => {
      if (eventName !== 'accountChange') throw new Error('unknown event ' + eventName)
      listeners.add(cb)
      return () => listeners.delete(cb)
    }
    const methods = (...names) => Object.fromEntries(names.map((name) => [name, (...params) => call(name, params)]))
    ${PROVIDERS[kind]}
  }`

export async function injectWallet(
  page: Page,
  wallet: LocalWallet,
  { kind, lists }: { kind: WalletKind; lists: Lists },
  asked: string[],
): Promise<void> {
  await page.exposeFunction('askWallet', answering(kind, signingBy(wallet, SIGNERS[kind]), asked, lists))
  await page.addInitScript(scriptOf(kind))
}

/** Defines a wallet on this process's globals, replacing the previous one. Signs like `signing`. */
export function provide(kind: WalletKind, signing: LocalWallet): void {
  Reflect.set(globalThis, 'askWallet', answering(kind, signing, [], undefined))
  new Function('window', scriptOf(kind))(globalThis)
}
