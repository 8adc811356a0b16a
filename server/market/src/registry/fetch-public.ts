import { lookup as resolveName } from 'node:dns'
import { request } from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/** IPv4 ranges that are not public (IANA special-purpose registry). */
const BLOCKED_V4 = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [address, prefix] = range.split('/')
  BLOCKED_V4.addSubnet(address!, Number(prefix), 'ipv4')
}
/** Public IPv6 addresses are in 2000::/3, without documentation, 6to4 and Teredo, which contain IPv4 addresses. */
const PUBLIC_V6 = new BlockList()
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6')
const BLOCKED_V6 = new BlockList()
for (const [address, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const)
  BLOCKED_V6.addSubnet(address, prefix, 'ipv6')

/** Returns true if an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return PUBLIC_V6.check(address, 'ipv6') && !BLOCKED_V6.check(address, 'ipv6')
  return isIP(address) === 4 && !BLOCKED_V4.check(address, 'ipv4')
}

export interface FetchLimits {
  maxBytes: number
  timeoutMs: number
  /** For tests: which addresses are allowed, and the authority of the certificate. */
  isAllowed?: (address: string) => boolean
  ca?: string
}

class FetchRefused extends Error {}

/**
 * Downloads a file over https from a public address. Returns null for status 404. Does not follow redirects. Throws FetchRefused with the
 * reason.
 */
export async function fetchPublic(address: string, limits: FetchLimits): Promise<Buffer | null> {
  const url = URL.canParse(address) ? new URL(address) : null
  const refused = (reason: string) => new FetchRefused(`${address}: ${reason}`)
  if (url?.protocol !== 'https:') throw refused('only https URLs are read')
  if (url.username || url.password) throw refused('a URL with a password is not read')
  const isAllowed = limits.isAllowed ?? isPublicAddress
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const notPublic = (ip: string) => refused(`${ip} is not a public address`)
  if (isIP(host) && !isAllowed(host)) throw notPublic(host)
  // The connection uses the address that was checked.
  const lookup: LookupFunction = (name, options, callback) =>
    resolveName(name, { ...options, all: true }, (error, found) => {
      const blocked = found?.find((each) => !isAllowed(each.address))
      if (error || blocked) return callback(error ?? notPublic(blocked!.address), '', 0)
      if (options.all) callback(null, found)
      else callback(null, found[0]!.address, found[0]!.family)
    })
  const signal = AbortSignal.timeout(limits.timeoutMs)
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(
        signal.aborted
          ? refused(`took longer than ${limits.timeoutMs / 1000} s`)
          : error instanceof FetchRefused
            ? error
            : refused(error.message),
      )
    const call = request(url, {
      lookup,
      signal,
      agent: false,
      ca: limits.ca,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    })
    call.on('error', fail)
    call.on('response', (response) => {
      const { statusCode } = response
      const stop = (reason: string) => {
        fail(refused(reason))
        call.destroy()
      }
      if (statusCode === 404) {
        call.destroy()
        return resolve(null)
      }
      if (statusCode !== 200) {
        const { location } = response.headers
        return stop(`returned status ${statusCode}${location ? `. Use ${location}` : ''}`)
      }
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > limits.maxBytes) return stop(`is larger than ${limits.maxBytes} bytes`)
        chunks.push(chunk)
      })
      response.on('error', fail)
      response.on('end', () => resolve(Buffer.concat(chunks)))
    })
    call.end()
  })
}
