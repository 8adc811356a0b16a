import { WalletRefused } from '../errors.ts'

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

  /** Calls a method of the provider. Throws the wallet's own error, and WalletRefused where there is no such method. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const provider = this.find()
    if (!provider) throw new WalletRefused('the wallet is not in this browser')
    const found: unknown = Reflect.get(provider, method)
    if (typeof found !== 'function') throw new WalletRefused(`the wallet has no ${method}: update it`)
    return Reflect.apply(found, provider, params)
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
