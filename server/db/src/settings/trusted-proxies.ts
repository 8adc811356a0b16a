import { isIP } from 'node:net'
import type { Variable } from '@ordbook/process/variables.ts'

export type TrustedProxies = number | readonly string[]

/** Setting for trusted proxies; false for none. */
export const trustedProxies = (about: string): Variable<TrustedProxies | false> => ({
  read: (found) => (found.trim() === 'off' ? false : readTrustedProxies(found)),
  expected:
    'off, the number of proxies in front of the server (1 to 10), or their addresses and networks, separated by commas',
  fallback: false,
  about,
})

/** Parses a number, or comma-separated addresses and networks. Returns undefined if invalid. */
export function readTrustedProxies(text: string): TrustedProxies | undefined {
  const parts = text.split(',').map((part) => part.trim())
  if (/^([1-9]|10)$/.test(text.trim())) return Number(text)
  return parts.every(isNetwork) ? parts : undefined
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= maxBits)
}
