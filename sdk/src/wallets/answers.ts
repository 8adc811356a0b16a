import { parseKeyOrigin } from '@ordbook/bitcoin/key-origin.ts'
import { WalletRefused } from '../errors.ts'
import type { Account, Accounts } from './adapter.ts'

/**
 * Parsers for responses of wallets, which are untrusted: any page or extension can imitate a wallet. Each parser accepts the response and
 * its name for errors, and throws WalletRefused for a malformed response.
 */
export type Answer = Readonly<Record<string, unknown>>

const refused = (what: string, expected: string) =>
  new WalletRefused(`${what} is not ${expected}: the wallet's response does not match its documentation`)

const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null

export function objectIn(value: unknown, what: string): Answer {
  if (!isAnswer(value)) throw refused(what, 'an object')
  return value
}

export function listIn(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(what, 'a list')
  return value
}

/** A text with at least one character. */
export function textIn(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw refused(what, 'a text')
  return value
}

/** Bytes from this or another realm: an extension may return an array of its own realm. */
export function bytesIn(value: unknown, what: string): Uint8Array {
  if (!ArrayBuffer.isView(value)) throw refused(what, 'an array of bytes')
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

/** A public key: 32 bytes, or 33 compressed, in hex. */
export function publicKeyIn(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^(0[23])?[0-9a-f]{64}$/i.test(value))
    throw refused(what, 'a public key in hex')
  return value
}

export function accountIn(value: unknown, what: string): Account {
  const { address, publicKey, origin } = objectIn(value, what)
  return {
    address: textIn(address, `${what}.address`),
    publicKey: publicKeyIn(publicKey, `${what}.publicKey`),
    ...(typeof origin === 'string' && parseKeyOrigin(origin) ? { origin } : {}),
  }
}

/** The address in a wallet's event, or null. */
export function addressIn(account: unknown): string | null {
  const address = isAnswer(account) ? account.address : null
  return typeof address === 'string' ? address : null
}

/** The ordinals address in a wallet's event that lists accounts by purpose, or null. */
export const ordinalsAddressIn = (accounts: unknown): string | null =>
  addressIn(Array.isArray(accounts) && accounts.find((each) => isAnswer(each) && each.purpose === 'ordinals'))

/** Both accounts, of an object that names them as `Accounts` does. */
export function accountsIn(value: unknown, what: string): Accounts {
  const { ordinals, payment } = objectIn(value, what)
  return {
    ordinals: accountIn(ordinals, `${what}.ordinals`),
    payment: accountIn(payment, `${what}.payment`),
  }
}

/** Both accounts, of a list whose entries name their `purpose`; entries for other purposes are passed over. */
export function accountsByPurpose(value: unknown, what: string): Accounts {
  const accounts = listIn(value, what).map((each) => objectIn(each, `an entry of ${what}`))
  const of = (purpose: keyof Accounts) => accountOf(accounts, (each) => each.purpose === purpose)
  return { ordinals: of('ordinals'), payment: of('payment') }
}

/** The first account for which a test holds. */
export function accountOf(accounts: readonly Answer[], test: (account: Answer) => boolean): Account {
  const found = accounts.find(test)
  if (!found) throw new WalletRefused('the wallet gave no ordinals and payment addresses')
  return accountIn(found, 'an address of the wallet')
}
