import { hash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { listWalletSessions } from '@ordbook/contract/web.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { forbidden, unauthenticated } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { readSessionCookie } from '@ordbook/http/operations/session-cookie.ts'
import { onPrimary } from '@ordbook/http/responses/reads.ts'
import type { Context } from '../context.ts'
import { refuseBlocked } from './challenge.ts'
import {
  deleteSessions,
  findSession,
  listBindingsOfProfile,
  listSessions,
  renewSession,
  type SessionRow,
  type Surface,
  touchSession,
} from './queries.ts'

/** The stored hash of a token, found by index, so that timing reveals nothing about tokens. */
export function hashToken(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}

type Asked = Pick<Context, 'sql' | 'reads' | 'replica' | 'clock' | 'config'>

/** The part of a request that identifies its session and its origin. */
type Asking = Pick<IncomingMessage, 'headers' | 'method'>

const MAX_CACHED = 10_000
/** Milliseconds for which a found session counts as open: once ended, it stops within that time on every server. */
const HOLDS = 1000

/** Finds the session of a bearer token, and caches it for a second. */
export function sessionFinder(context: Asked) {
  const cache = new Map<string, { session: SessionRow; foundAt: number }>()
  return async (request: Asking): Promise<Session> => {
    const { authorization } = request.headers
    const [scheme, token, ...rest] = (authorization ?? '').trim().split(/\s+/)
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0)
      throw unauthenticated('session-required', 'Bearer session token required')
    const key = hash('sha256', token, 'base64')
    let found = cache.get(key)
    if (!found || performance.now() - found.foundAt >= HOLDS || found.session.expiresAt <= context.clock()) {
      cache.delete(key)
      const session = await getSession(
        context,
        'api',
        Buffer.from(key, 'base64'),
        'Invalid or expired bearer session token',
      )
      found = { session, foundAt: performance.now() }
      cache.set(key, found)
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
    }
    const { profileId, sessionId } = found.session
    return { profileId, sessionId, surface: 'api' }
  }
}

/**
 * Finds the session of the storefront's cookie. It reads the database each time, so signing out works on all servers immediately. Requests
 * that change state must come from this server's pages, as shown by Origin or Sec-Fetch-Site.
 */
export function cookieSessionFinder(context: Asked & Pick<Context, 'publicUrl'>) {
  return async (request: Asking): Promise<Session> => {
    const token = readSessionCookie(context.publicUrl, request.headers.cookie)
    const { profileId, sessionId } = await getSession(
      context,
      'web',
      hashToken(token),
      'This session is over: sign in again',
    )
    return { profileId, sessionId, surface: 'web', token }
  }
}

/** Throws forbidden unless a request that changes state comes from a page of this server. */
export function refuseForeignPages({ publicUrl }: Pick<Context, 'publicUrl'>, request: Asking): void {
  if (request.method === 'GET') return
  const { origin, 'sec-fetch-site': site } = request.headers
  const own = origin === undefined ? site === 'same-origin' : origin === new URL(publicUrl).origin
  if (!own) throw forbidden('foreign-page', "Only this market's pages may call this. Use /api/v1")
}

/** Lifetime of an unused storefront session, interval of token renewal, and maximum lifetime, in seconds. */
const RENEWAL = { seconds: 12 * 3600, everySeconds: 3600, mostSeconds: 7 * 86_400, graceSeconds: 60 }

/** Replaces an old session token. Returns null if the token is recent, the session has ended, or the database is down. */
export async function renewWebSession(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  token: string,
): Promise<{ token: string; expiresAt: string } | null> {
  const now = clock()
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const renewed = randomBytes(32).toString('base64url')
  const expiresAt = at(RENEWAL.seconds)
  const done = await renewSession(sql, {
    oldSha256: hashToken(token),
    newSha256: hashToken(renewed),
    issuedBefore: at(-RENEWAL.everySeconds),
    beganAfter: at(-RENEWAL.mostSeconds),
    expiresAt,
    graceSeconds: RENEWAL.graceSeconds,
    now,
  }).catch(ifThere)
  return done ? { token: renewed, expiresAt: expiresAt.toISOString() } : null
}

/** The open sessions of the caller's wallet, on both surfaces. */
export async function describeSessions(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  own: Session,
): Promise<AnswerOf<typeof listWalletSessions>> {
  const rows = await listSessions(sql, own.profileId, clock())
  return {
    sessions: rows.map((row) => ({
      sessionId: row.sessionId,
      surface: row.surface,
      client: row.clientHint,
      startedAt: row.beganAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      isCurrent: row.sessionId === own.sessionId,
    })),
  }
}

/** Ends the session with an id, or all sessions of the caller's wallet, on both surfaces. Returns how many were open. */
export const endSessions = (
  { sql }: Pick<Context, 'sql'>,
  { profileId }: Session,
  sessionId: string | null,
): Promise<number> => deleteSessions(sql, profileId, sessionId)

/** Resolution of the time of last use, in milliseconds. */
const TOUCH_MILLISECONDS = 60_000

/** Ignores a failed write during a read while the primary is down; the next read repeats the write. */
function ifThere(error: unknown): void {
  if (!(error instanceof DatabaseOutage)) throw error
}

/** The session of a token's hash. Throws unauthenticated, or forbidden for a blocked wallet. */
async function getSession(
  context: Asked,
  surface: Surface,
  hash: Uint8Array,
  otherwise: string,
): Promise<SessionRow> {
  const { sql, replica, config } = context
  const now = context.clock()
  const session = await onPrimary(context, async (from) => {
    const found = await findSession(from, surface, hash)
    if (!found || found.expiresAt <= now) throw unauthenticated('session-required', otherwise)
    if (config.blockedAddresses.length > 0)
      for (const binding of await listBindingsOfProfile(from, found.profileId))
        refuseBlocked(context, [binding.ordinalsScript, binding.paymentScript])
    return found
  })
  const isDue = now.getTime() - session.lastUsedAt.getTime() >= TOUCH_MILLISECONDS
  if (isDue && !replica?.state.isPrimaryAway) await touchSession(sql, session.sessionId, now).catch(ifThere)
  return session
}
