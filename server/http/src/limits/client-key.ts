import { isIP, isIPv4 } from 'node:net'
import type { TrustedProxies } from '@ordbook/db/settings/trusted-proxies.ts'
import type { FastifyRequest } from 'fastify'

/**
 * The key by which limits identify a client: an IPv4 address, or the /64 of an IPv6 address, because a client can choose any address in it.
 * Behind trusted proxies, it is the rightmost address of X-Forwarded-For that is not one of them. If an entry is not a bare IP address,
 * parsing stops and the request is attributed to the proxy that added it.
 */
export function clientKeyOf({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  let nearest = ''
  // From the connection outwards. Fastify ends the list after the first untrusted address.
  for (const address of ips ?? [ip]) {
    if (isIP(address) === 0) break
    nearest = address
  }
  return groupOf(nearest)
}

/** The client of a request, for in-process reads. */
export interface Client {
  key: string
  userAgent: string
}

export const clientOf = (request: FastifyRequest): Client => ({
  key: clientKeyOf(request),
  userAgent: request.headers['user-agent'] ?? '',
})

/** The proxies in Fastify's format. */
export const trustOf = (trusted: TrustedProxies | false) =>
  typeof trusted === 'number' ? (_address: string, hop: number) => hop < trusted : trusted && [...trusted]

/** IPv4, including IPv4-mapped IPv6, unchanged; IPv6 as its first 64 bits. */
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

/** The eight groups of an IPv6 address, without its zone. */
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
