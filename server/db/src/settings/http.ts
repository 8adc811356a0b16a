import {
  choice,
  integer,
  optional,
  readVariables,
  text,
  url,
  type Variable,
} from '@ordbook/process/variables.ts'
import { trustedProxies } from './trusted-proxies.ts'
import type { Environment } from './variables.ts'

/** Requests a minute: for one source IP, and for one of the bucket's other keys. */
interface RateLimit {
  perIp: number
  perKey: number
}

/** Two requests a minute, such as `60/30`. */
const rateLimit = (perIp: number, perKey: number, about: string): Variable<RateLimit> => ({
  read: (found) => {
    const match = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(found)
    return match ? { perIp: Number(match[1]), perKey: Number(match[2]) } : undefined
  },
  expected: 'two counts a minute like 60/30',
  fallback: { perIp, perKey },
  about,
})

/** Settings of the HTTP server. */
export const httpVariables = {
  HOST: text('127.0.0.1', 'Address that the API listens on.'),
  PORT: integer(4000, 0, 65_535, 'Port that the API listens on; 0 takes any free one.'),
  HEALTH_PORT: integer(
    0,
    0,
    65_535,
    'Port of /healthz, /readyz and /metrics, for processes without the api role too; 0: none of its own.',
  ),
  PUBLIC_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of the server as clients see it; default http://HOST:PORT.',
  ),
  CONTENT_URL: url(
    null,
    ['http:', 'https:'],
    'Base address of inscription content, as pages see it: an origin of its own that leads here; default PUBLIC_URL.',
  ),
  TRUST_PROXY: trustedProxies(
    'Proxies of yours, which append to X-Forwarded-For: their number in front of the server, or their networks.',
  ),
  DRAIN_SECONDS: integer(
    0,
    0,
    5,
    'Time for which a server that is asked to end goes on answering while /readyz is 503, so that a balancer sends no more, in seconds.',
  ),
  ACCESS_LOG: choice(
    ['on', 'off'],
    'off',
    'Logs a line for each request: its id, method, path without query, status, time and address.',
  ),
  METRICS_TOKEN: optional(
    'Bearer token that /metrics asks for; without one it answers only on this machine, and not where PUBLIC_URL is set.',
  ),
  RATE_LIMITS: choice(['on', 'off'], 'on', 'Rate limits of the API; off for tests only.'),
  RATE_LIMIT_READS: rateLimit(
    60,
    30,
    'Reads a minute, of the API and the storefront together: for one source IP / for one profile.',
  ),
  RATE_LIMIT_WRITES: rateLimit(
    20,
    8,
    'Writes a minute, of the API and the storefront together: for one source IP / for one profile.',
  ),
  RATE_LIMIT_WEB_READS: rateLimit(
    600,
    300,
    'Reads a minute that only the storefront has: for one source IP / for one profile.',
  ),
  REDIS_URL: url(
    null,
    ['redis:', 'rediss:'],
    'Redis in which several servers count requests together; default: each counts for itself.',
  ),
  MEMORY_MEGABYTES: integer(
    128,
    32,
    200_000,
    'Memory for responses of the public reads, half of it, and for inscription content that is being sent or kept, the other half.',
  ),
}

export const httpConstants = {
  /** Time after which a request is answered with 503. */
  requestSeconds: 20,
  rateLimitChallenge: { perIp: 20, perKey: 5 },
  rateLimitVerify: { perIp: 20, perKey: 5 },
  rateLimitContent: 3000,
  rateLimitRecursion: 1200,
  /** Connections to /events. */
  rateLimitEvents: 60,
  /** Each is answered with at most 256 KiB of the log, or one change. */
  rateLimitOrderLog: 120,
  /** /openapi.json, /llms.txt and /docs. */
  rateLimitDocuments: 120,
  rateLimitStatus: 600,
}

export function readHttpConfig(environment: Environment, problems: string[]) {
  const read = readVariables(httpVariables, environment, problems)
  const half = Math.floor(read.memoryMegabytes / 2)
  return { ...read, responseCacheMegabytes: half, contentCacheMegabytes: half }
}
