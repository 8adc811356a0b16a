import { WalletDeclined, WalletRefused, WalletUnconnected } from '../errors.ts'
import type { Adapter } from './adapter.ts'
import { messageOf } from './message-of.ts'

/** Error codes of a declined request (EIP-1193, sats-connect). */
const DECLINED: ReadonlySet<unknown> = new Set([4001, -32000])

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Error codes returned if the page is not connected (EIP-1193, sats-connect). */
const UNCONNECTED: ReadonlySet<unknown> = new Set([4100, -32002])

/**
 * Converts a wallet's error to WalletDeclined or WalletUnconnected by its code. Recognizes the message of sats-connect's first version.
 * Returns null for other errors.
 */
export function knownError(error: unknown): WalletRefused | null {
  if (error === 'cancel') return new WalletDeclined(BY_USER)
  const found = memberOf(error, 'error') ?? error
  const code = memberOf(found, 'code')
  if (DECLINED.has(code)) return new WalletDeclined(messageOf(found) || BY_USER)
  if (UNCONNECTED.has(code)) return new WalletUnconnected(messageOf(found) || 'The wallet is not connected.')
  return null
}
const BY_USER = 'The user declined in the wallet.'

/** The object that an extension adds to the window. Its responses are untrusted. */
export class Provider {
  private readonly path: string
  private readonly find: () => object | undefined

  /** `path` starts at the window, such as `okxwallet.bitcoin`. If `find` is given, it is only a name. */
  constructor(path: string, find = () => objectAt(globalThis, path.split('.'))) {
    this.path = path
    this.find = find
  }

  /** Whether the object exists. False outside of a browser. */
  isPresent(): boolean {
    return this.find() !== undefined
  }

  has(method: string): boolean {
    const provider = this.find()
    return provider !== undefined && typeof Reflect.get(provider, method) === 'function'
  }

  /**
   * Calls a method. Throws WalletDeclined if the user declined, WalletUnconnected if the page is not connected, and WalletRefused for other
   * errors and missing methods.
   */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const provider = this.find()
    if (!provider) throw new WalletRefused(this.absence())
    const found: unknown = Reflect.get(provider, method)
    if (typeof found !== 'function')
      throw new WalletRefused(`The wallet has no ${method}. Update the wallet.`)
    try {
      return await Reflect.apply(found, provider, params)
    } catch (error) {
      throw knownError(error) ?? new WalletRefused(messageOf(error))
    }
  }

  /** Subscribes to an event with `on` and `removeListener`. Returns a function that unsubscribes. */
  on(event: string, listener: (detail: unknown) => void): () => void {
    const started = this.call('on', event, listener).catch(() => {})
    return () => void started.then(() => this.call('removeListener', event, listener)).catch(() => {})
  }

  /** Returns the error message for a missing provider. Older versions of a wallet may lack only this one. */
  private absence(): string {
    return Reflect.has(globalThis, this.path.split('.')[0]!)
      ? `The wallet has no ${this.path}. Update the wallet.`
      : 'The wallet is not installed in this browser.'
  }
}

export function objectAt(from: object, path: readonly string[]): object | undefined {
  let found = from
  for (const name of path) {
    const next: unknown = Reflect.get(found, name)
    if (typeof next !== 'function' && (typeof next !== 'object' || next === null)) return undefined
    found = next
  }
  return found
}

/** Returns the adapter members that identify a wallet. */
export const extension = (
  provider: Provider,
  id: string,
  name: string,
  url: string,
): Pick<Adapter, 'id' | 'name' | 'url' | 'isPresent'> => ({
  id,
  name,
  url,
  isPresent: () => provider.isPresent(),
})
