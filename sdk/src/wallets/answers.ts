import { parseKeyOrigin } from '@ordbook/bitcoin/key-origin.ts'
import { WalletRefused } from '../errors.ts'
import type { Account, Accounts } from './adapter.ts'

/**
 * Parsers for wallet responses, which are untrusted. Each takes a value and its name for errors, and throws WalletRefused if it is
 * malformed.
 */
export type Answer = Readonly<Record<string, unknown>>

const refused = (what: string, expected: string) =>
  new WalletRefused(`Unexpected response from the wallet: ${what} is not ${expected}.`)

const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null

export function objectIn(value: unknown, what: string): Answer {
  if (!isAnswer(value)) throw refused(what, 'an object')
  return value
}

export function listIn(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(what, 'an array')
  return value
}

export function textIn(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw refused(what, 'a non-empty string')
  return value
}

/** Parses bytes. Does not use `instanceof`, because an extension may return an array of another realm. */
export function bytesIn(value: unknown, what: string): Uint8Array {
  if (!ArrayBuffer.isView(value)) throw refused(what, 'a byte array')
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

/** Parses a public key in hex: 32 bytes, or 33 bytes compressed. */
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

export function addressIn(account: unknown): string | null {
  const address = isAnswer(account) ? account.address : null
  return typeof address === 'string' ? address : null
}

/** Returns the ordinals address in an event that lists accounts by purpose, or null. */
export const ordinalsAddressIn = (accounts: unknown): string | null =>
  addressIn(
    Array.isArray(accounts) &&
      accounts.find((account) => isAnswer(account) && account.purpose === 'ordinals'),
  )

export function accountsIn(value: unknown, what: string): Accounts {
  const { ordinals, payment } = objectIn(value, what)
  return {
    ordinals: accountIn(ordinals, `${what}.ordinals`),
    payment: accountIn(payment, `${what}.payment`),
  }
}

export function accountsByPurpose(value: unknown, what: string): Accounts {
  const accounts = listIn(value, what).map((entry) => objectIn(entry, `an entry of ${what}`))
  const of = (purpose: keyof Accounts) => accountOf(accounts, (account) => account.purpose === purpose)
  return { ordinals: of('ordinals'), payment: of('payment') }
}

export function accountOf(accounts: readonly Answer[], test: (account: Answer) => boolean): Account {
  const found = accounts.find(test)
  if (!found) throw new WalletRefused('The wallet returned no ordinals and payment addresses.')
  return accountIn(found, 'an address of the wallet')
}
