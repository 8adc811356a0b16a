import { isIP } from 'node:net'
import type { Environment } from '@ordbook/process/settings-file.ts'
import { choice, integer, readVariables, secret, url, type Variable } from '@ordbook/process/variables.ts'
import { trustedProxies } from './trusted-proxies.ts'

/** Requests per minute, per IP address and per second key. */
interface RateLimit {
  perIp: number
  perKey: number
}

const rateLimit = (perIp: number, perKey: number, about: string): Variable<RateLimit> => ({
  read: (found) => {
    const match = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(found)
    return match ? { perIp: Number(match[1]), perKey: Number(match[2]) } : undefined
  },
  expected: 'two counts a minute like 60/30',
  fallback: { perIp, perKey },
  about,
})

const host = (fallback: string, about: string): Variable<string> => ({
  read: (found) => {
    const name = found.trim()
    return isIP(name) > 0 || /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(name) ? name : undefined
  },
  expected: 'an IP address or a host name, without port',
  fallback,
  about,
})

export const httpVariables = {
  HOST: host('127.0.0.1', 'Address on which the API listens.'),
  PORT: integer(4000, 0, 65_535, 'Port on which the API listens; 0 selects a free port.'),
  HEALTH_PORT: integer(
    0,
    0,
    65_535,
    'Separate port for /healthz, /readyz and /metrics, also without the api role; 0: none.',
  ),
  PUBLIC_URL: url(
    null,
    ['http:', 'https:'],
    'Base URL of the server as clients see it. Default: http://HOST:PORT.',
  ),
  CONTENT_URL: url(
    null,
    ['http:', 'https:'],
    'Base URL of inscription content, on a separate origin that leads to this server. Default: PUBLIC_URL.',
  ),
  TRUST_PROXY: trustedProxies(
    'Trusted proxies that append to X-Forwarded-For: their number, or their addresses and networks.',
  ),
  DRAIN_SECONDS: integer(
    0,
    0,
    5,
    'Seconds after SIGTERM during which /readyz returns 503 and other requests are still served.',
  ),
  ACCESS_LOG: choice(
    ['on', 'off'],
    'off',
    'Log one line per request: id, method, path without query, status, time and address.',
  ),
  METRICS_TOKEN: secret(
    'Bearer token for /metrics. Without it, only the same machine may read /metrics, and only if PUBLIC_URL is unset.',
  ),
  RATE_LIMITS: choice(['on', 'off'], 'on', 'Enforce the rate limits; turn off only in tests.'),
  RATE_LIMIT_READS: rateLimit(
    60,
    30,
    'API and storefront reads per minute, by IP address / by profile. The demo of `npm start` uses 600/300.',
  ),
  RATE_LIMIT_WRITES: rateLimit(
    20,
    8,
    'API and storefront writes per minute, by IP address / by profile. The demo of `npm start` uses 200/60.',
  ),
  RATE_LIMIT_WEB_READS: rateLimit(
    600,
    300,
    'Reads per minute of storefront-only endpoints, by IP address / by profile.',
  ),
  REDIS_URL: url(
    null,
    ['redis:', 'rediss:'],
    'Redis for rate limits shared by several servers. Default: each server counts only its own requests.',
  ),
  MEMORY_MEGABYTES: integer(
    128,
    32,
    200_000,
    'Cache size in MB: half for responses, half for inscription content.',
  ),
}

export const httpConstants = {
  /** Timeout after which a request returns 503. */
  requestSeconds: 20,
  rateLimitChallenge: { perIp: 20, perKey: 5 },
  rateLimitVerify: { perIp: 20, perKey: 5 },
  rateLimitContent: 3000,
  rateLimitRecursion: 1200,
  rateLimitEvents: 60,
  /** A response has at most 256 KiB of the log, or a single change. */
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
