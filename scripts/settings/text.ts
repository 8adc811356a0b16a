/** Returns a default as it is written in the environment, or null if there is none. */
export function textOf(fallback: unknown): string | null {
  if (fallback === null) return null
  if (fallback === false) return 'off'
  if (Array.isArray(fallback)) return fallback.length === 0 ? null : fallback.join(',')
  if (typeof fallback === 'object') return Object.values(fallback).join('/')
  return String(fallback)
}

/** Hides user, password and query of the URLs in a text. */
export const withoutPasswords = (text: string): string =>
  text.replace(/:\/\/[^/?#]*@/g, '://(hidden)@').replace(/(:\/\/[^?]*)\?.*$/, '$1?(hidden)')
