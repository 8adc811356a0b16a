import { isIP, isIPv4 } from 'node:net'
import type { TrustedProxies } from '@ordbook/db/settings/trusted-proxies.ts'
import type { FastifyRequest } from 'fastify'

/**
 * Returns the rate limit key of a client: its IPv4 address, or the /64 of its IPv6 address. Behind trusted
 * proxies, uses the rightmost untrusted address of X-Forwarded-For. If an entry is not an IP address, uses
 * the proxy that added it.
 */
export function clientKeyOf({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  let nearest = ''
  // Starts at the peer. Fastify ends the list after the first untrusted address.
  for (const address of ips ?? [ip]) {
    if (isIP(address) === 0) break
    nearest = address
  }
  return groupOf(nearest)
}

export interface Client {
  key: string
  userAgent: string
}

export const clientOf = (request: FastifyRequest): Client => ({
  key: clientKeyOf(request),
  userAgent: request.headers['user-agent'] ?? '',
})

export const trustOf = (trusted: TrustedProxies | false) =>
  typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : trusted && [...trusted]

/** Returns an IPv4 address (also if mapped to IPv6), or the /64 of an IPv6 address. */
function groupOf(address: string): string {
  if (isIPv4(address) || address === '') return address
  const groups = expand(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function expand(address: string): number[] {
  const plain = address
    .split('%')[0]!
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((part) => part.toString(16)).join(':'),
    )
  const [head = '', tail] = plain.split('::')
  const groupsOf = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
