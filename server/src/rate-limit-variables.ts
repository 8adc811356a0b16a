import { choice, integer, type Variable } from '@ordbook/signer/variables.ts'

/** Two counts a minute, `60/30`: for one source IP, for one of the other keys. */
const limit = (
  perIp: number,
  perKey: number,
  about: string,
): Variable<{ perIp: number; perKey: number }> => ({
  read: (found) => {
    const match = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(found)
    return match ? { perIp: Number(match[1]), perKey: Number(match[2]) } : undefined
  },
  expected: 'two counts a minute like 60/30',
  fallback: { perIp, perKey },
  about,
})

/** Requests a minute that one client may send. */
export const rateLimitVariables = {
  RATE_LIMITS: choice(['on', 'off'], 'on', 'Rate limits of the API; off for tests only.'),
  RATE_LIMIT_CHALLENGE: limit(
    20,
    5,
    'Sign-ins begun a minute: for one source IP / for one address from one source IP.',
  ),
  RATE_LIMIT_VERIFY: limit(
    20,
    5,
    'Sign-ins finished a minute: for one source IP / for one address from one source IP.',
  ),
  RATE_LIMIT_READS: limit(
    60,
    30,
    'Reads a minute, of the API and the storefront together: for one source IP / for one profile.',
  ),
  RATE_LIMIT_WRITES: limit(
    20,
    8,
    'Writes a minute, of the API and the storefront together: for one source IP / for one profile.',
  ),
  RATE_LIMIT_WEB_READS: limit(
    600,
    300,
    'Reads a minute that only the storefront has: for one source IP / for one profile.',
  ),
  RATE_LIMIT_CONTENT: integer(
    3000,
    1,
    1_000_000_000,
    'Requests for inscription content a minute for one source IP.',
  ),
  RATE_LIMIT_RECURSION: integer(
    1200,
    1,
    1_000_000_000,
    'Requests of the recursive endpoints a minute for one source IP.',
  ),
  RATE_LIMIT_EVENTS: integer(60, 1, 1_000_000_000, 'Connections to /events a minute for one source IP.'),
  RATE_LIMIT_ORDER_LOG: integer(
    120,
    1,
    1_000_000_000,
    'Requests for the order log a minute for one source IP; each is answered with at most 256 KiB of it, or one change.',
  ),
  RATE_LIMIT_DOCUMENTS: integer(
    120,
    1,
    1_000_000_000,
    'Requests for /openapi.json, /llms.txt and /docs a minute for one source IP.',
  ),
  RATE_LIMIT_STATUS: integer(600, 1, 1_000_000_000, 'Requests for /status a minute for one source IP.'),
}
