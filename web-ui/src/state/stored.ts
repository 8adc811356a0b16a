/** A text that the browser keeps between visits. A browser that keeps nothing shows the same pages. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text; null removes it. */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // A browser that refuses storage just forgets it.
  }
}

/** A kept JSON value as `parse` reads it; null where the browser keeps none, or `parse` finds none in it. */
export function storedJson<T>(name: string, parse: (value: unknown) => T | null): T | null {
  try {
    return parse(JSON.parse(stored(name) ?? 'null'))
  } catch {
    return null
  }
}

/** Names of values that several modules keep. */
export const KEPT = {
  wallet: 'wallet',
  accounts: 'accounts',
  accountsByHand: 'by-hand',
  keys: 'keys',
} as const
