import { WalletDeclined, WalletRefused } from '../errors.ts'

/** The code of a user who declined: that of EIP-1193, which most wallets took over, and that of sats-connect. */
const DECLINED: ReadonlySet<unknown> = new Set([4001, -32000])

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** WalletDeclined where an error of a wallet, or the JSON-RPC answer that holds it, has the code of a user who declined; else null. */
export function declinedBy(error: unknown): WalletDeclined | null {
  const found = memberOf(error, 'error') ?? error
  if (!DECLINED.has(memberOf(found, 'code'))) return null
  const message = memberOf(found, 'message')
  return new WalletDeclined(typeof message === 'string' ? message : 'the user declined in the wallet')
}

/** The object that a wallet's extension puts on the window of a page. Its answers are unknown until an adapter parses them. */
export class Provider {
  private readonly path: string

  /** `path` from the window, such as `okxwallet.bitcoin`. */
  constructor(path: string) {
    this.path = path
  }

  /** Whether the extension has put it there; false outside of a browser. */
  isPresent(): boolean {
    return this.find() !== undefined
  }

  /**
   * Calls a method of the provider. Throws WalletDeclined where the user declined, WalletRefused where there is no such method, and else
   * the wallet's own error.
   */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const provider = this.find()
    if (!provider) throw new WalletRefused('the wallet is not in this browser')
    const found: unknown = Reflect.get(provider, method)
    if (typeof found !== 'function') throw new WalletRefused(`the wallet has no ${method}: update it`)
    try {
      return await Reflect.apply(found, provider, params)
    } catch (error) {
      throw declinedBy(error) ?? error
    }
  }

  private find(): object | undefined {
    let found: object | undefined = globalThis
    for (const name of this.path.split('.')) {
      const next: unknown = Reflect.get(found, name)
      if (typeof next !== 'function' && (typeof next !== 'object' || next === null)) return undefined
      found = next
    }
    return found
  }
}
