import { base64OfBytes, bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused, WalletUnconnected } from '../errors.ts'
import { networkOf } from '../verify/facts.ts'
import type { SigningRequest } from '../wallet.ts'
import type { Account, Adapter } from './adapter.ts'
import { type Answer, accountIn, addressIn, bytesIn, listIn, objectIn } from './answers.ts'
import { bytesOf } from './bytes.ts'
import { objectAt, Provider } from './provider.ts'

/** Returns the registered wallets (wallet-standard/wallet-standard). They register on the event `wallet-standard:app-ready`. */
export function registeredWallets(): unknown[] {
  const candidates: unknown[] = []
  const register = (...wallets: unknown[]) => {
    candidates.push(...wallets)
    return () => {}
  }
  const dispatch: unknown = Reflect.get(globalThis, 'dispatchEvent')
  if (typeof dispatch !== 'function') return []
  Reflect.apply(dispatch, globalThis, [
    new CustomEvent('wallet-standard:app-ready', { detail: { register } }),
  ])
  return candidates
}

const registered = (name: string): object | undefined =>
  registeredWallets().find(
    (wallet): wallet is object =>
      typeof wallet === 'object' && wallet !== null && 'name' in wallet && wallet.name === name,
  )

/**
 * Adapter for a wallet with the Bitcoin features of the Wallet Standard (ExodusMovement/bitcoin-wallet-standard). Accounts are objects of
 * the wallet, and PSBTs are bytes, several per request.
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
  /** Returns the wallet's object of an account. Throws WalletUnconnected if the page is not connected. */
  const accountObject = (address: string | undefined): Answer => {
    const accounts = objectAt(registered(name) ?? {}, ['accounts'])
    const found = Array.isArray(accounts) && accounts.find((account) => addressIn(account) === address)
    if (!found)
      throw new WalletUnconnected(`The wallet does not share the account ${address} with this page.`)
    return found
  }
  const inputOf = ({ psbtBase64, inputsToSign }: SigningRequest, ordinals: Account) => ({
    psbt: bytesOf(psbtBase64),
    chain: `bitcoin:${networkOf(ordinals.address)}`,
    inputsToSign: inputsToSign.map(({ address, signingIndexes, sigHash }) => ({
      account: accountObject(address),
      signingIndexes,
      ...(sigHash ? { sigHash } : {}),
    })),
  })
  return {
    isPresent: () => [connect, signMessage, signTransaction].every((provider) => provider.isPresent()),
    async connect() {
      const answer = objectIn(await connect.call('connect', { purposes: ['ordinals', 'payment'] }), 'connect')
      const [ordinals, payment] = listIn(answer.accounts, 'the accounts').map(accountOf)
      if (!ordinals || !payment)
        throw new WalletRefused('The wallet returned no ordinals and payment addresses.')
      return { ordinals, payment }
    },
    async signMessage({ address }, message) {
      const request = { account: accountObject(address), message: new TextEncoder().encode(message) }
      const [signed] = listIn(await signMessage.call('signMessage', request), 'the response to signMessage')
      return base64OfBytes(bytesIn(objectIn(signed, 'signMessage').signature, 'the signature'))
    },
    async signPsbts(requests, { ordinals }) {
      const inputs = requests.map((request) => inputOf(request, ordinals))
      const signed = listIn(await signTransaction.call('signTransaction', ...inputs), 'the signed PSBTs')
      if (signed.length !== inputs.length)
        throw new WalletRefused(`The wallet returned ${signed.length} PSBTs instead of ${inputs.length}.`)
      return signed.map((each) =>
        base64OfBytes(bytesIn(objectIn(each, 'a signed PSBT').signedPsbt, 'a signed PSBT')),
      )
    },
    /** The event contains the changed properties of the wallet. The first account is the ordinals account. */
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

function accountOf(account: unknown): Account {
  const { address, publicKey } = objectIn(account, 'an account')
  return accountIn({ address, publicKey: bytesToHex(bytesIn(publicKey, 'the public key')) }, 'an account')
}
