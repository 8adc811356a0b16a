/** Reads from localStorage. Returns null if the name is missing or storage is disabled. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Writes to localStorage; null removes the name. */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {}
}

/** Parses a stored JSON value. Returns null if it is missing or invalid. */
export function storedJson<T>(name: string, parse: (value: unknown) => T | null): T | null {
  try {
    return parse(JSON.parse(stored(name) ?? 'null'))
  } catch {
    return null
  }
}

export const KEPT = {
  wallet: 'wallet',
  accounts: 'accounts',
  accountsByHand: 'by-hand',
  keys: 'keys',
} as const
/** The wallet of the last sign-in, kept after a sign-out. */
export const LAST_WALLET = 'last-wallet'
