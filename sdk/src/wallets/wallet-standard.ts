import { base64OfBytes, bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused, WalletUnconnected } from '../errors.ts'
import { networkOf } from '../verify/facts.ts'
import type { SigningRequest } from '../wallet.ts'
import type { Account, Adapter } from './adapter.ts'
import { type Answer, accountIn, addressIn, bytesIn, listIn, objectIn } from './answers.ts'
import { bytesOf } from './bytes.ts'
import { objectAt, Provider } from './provider.ts'

/**
 * Wallets of the browser that implement the Wallet Standard, by name. They register when a page dispatches `wallet-standard:app-ready`.
 * Source: wallet-standard/wallet-standard.
 */
function registered(name: string): object | undefined {
  const found: unknown[] = []
  const register = (...wallets: unknown[]) => {
    found.push(...wallets)
    return () => {}
  }
  const dispatch: unknown = Reflect.get(globalThis, 'dispatchEvent')
  if (typeof dispatch !== 'function') return undefined
  Reflect.apply(dispatch, globalThis, [
    new CustomEvent('wallet-standard:app-ready', { detail: { register } }),
  ])
  return found.find(
    (each): each is object =>
      typeof each === 'object' && each !== null && 'name' in each && each.name === name,
  )
}

/**
 * A wallet of the Wallet Standard with the features for Bitcoin (ExodusMovement/bitcoin-wallet-standard): accounts are objects of the
 * wallet, PSBTs are bytes, several per request.
 */
export function standardWallet(
  name: string,
): Pick<Adapter, 'isPresent' | 'connect' | 'signMessage' | 'signPsbts'> &
  Required<Pick<Adapter, 'onAccountChange'>> {
  const feature = (id: string) => new Provider(id, () => objectAt(registered(name) ?? {}, ['features', id]))
  const [connect, signMessage, signTransaction, events] = [
    feature('bitcoin:connect'),
    feature('bitcoin:signMessage'),
    feature('bitcoin:signTransaction'),
    feature('standard:events'),
  ]
  /** The wallet's own object of an account. A wallet shows it to pages that are connected. */
  const own = (address: string | undefined): Answer => {
    const accounts = objectAt(registered(name) ?? {}, ['accounts'])
    const found = Array.isArray(accounts) && accounts.find((each) => addressIn(each) === address)
    if (!found) throw new WalletUnconnected(`the wallet shows no account ${address}`)
    return found
  }
  const inputOf = ({ psbtBase64, inputsToSign }: SigningRequest, ordinals: Account) => ({
    psbt: bytesOf(psbtBase64),
    chain: `bitcoin:${networkOf(ordinals.address)}`,
    inputsToSign: inputsToSign.map(({ address, signingIndexes, sigHash }) => ({
      account: own(address),
      signingIndexes,
      ...(sigHash === undefined ? {} : { sigHash }),
    })),
  })
  return {
    isPresent: () => [connect, signMessage, signTransaction].every((each) => each.isPresent()),
    async connect() {
      const answer = objectIn(await connect.call('connect', { purposes: ['ordinals', 'payment'] }), 'connect')
      const [ordinals, payment] = listIn(answer.accounts, 'the accounts').map(accountOf)
      if (!ordinals || !payment) throw new WalletRefused('the wallet gave no ordinals and payment addresses')
      return { ordinals, payment }
    },
    async signMessage({ address }, message) {
      const asked = { account: own(address), message: new TextEncoder().encode(message) }
      const [signed] = listIn(await signMessage.call('signMessage', asked), 'the answer to signMessage')
      return base64OfBytes(bytesIn(objectIn(signed, 'signMessage').signature, 'the signature'))
    },
    async signPsbts(requests, { ordinals }) {
      const asked = requests.map((request) => inputOf(request, ordinals))
      const signed = listIn(await signTransaction.call('signTransaction', ...asked), 'the signed PSBTs')
      if (signed.length !== asked.length)
        throw new WalletRefused(`the wallet answers ${signed.length} PSBTs to ${asked.length}`)
      return signed.map((each) =>
        base64OfBytes(bytesIn(objectIn(each, 'a signed PSBT').signedPsbt, 'a signed PSBT')),
      )
    },
    /** The event names what has changed of the wallet; its first account is the one for ordinals. */
    onAccountChange(changed) {
      const end = events
        .call('on', 'change', (change: unknown) => {
          if (typeof change !== 'object' || change === null) return
          const accounts: unknown = Reflect.get(change, 'accounts')
          if (Array.isArray(accounts)) changed(addressIn(accounts[0]))
        })
        .catch(() => null)
      return () => void end.then((stop) => typeof stop === 'function' && Reflect.apply(stop, undefined, []))
    },
  }
}

/** The standard uses bytes for keys. */
function accountOf(account: unknown): Account {
  const { address, publicKey } = objectIn(account, 'an account')
  return accountIn({ address, publicKey: bytesToHex(bytesIn(publicKey, 'the public key')) }, 'an account')
}
