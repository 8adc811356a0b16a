/** What the browser keeps between visits. One that keeps nothing, or was told not to, shows the same pages. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a text; null takes it away. */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // As if it had been forgotten at once.
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

/** What more than one part of the pages keeps. */
export const KEPT = { wallet: 'wallet', accountsByHand: 'by-hand' } as const
