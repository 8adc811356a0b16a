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
import { rejectBlocked } from './challenge.ts'
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

/** Returns the stored hash of a token. Lookups by hash prevent timing attacks. */
export function hashToken(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}

type SessionContext = Pick<Context, 'sql' | 'reads' | 'replica' | 'clock' | 'config'>

type SessionRequest = Pick<IncomingMessage, 'headers' | 'method'>

const MAX_CACHED = 10_000
/** After a session ends, other servers may accept its token for this long. */
const CACHE_MS = 1000

export function sessionFinder(context: SessionContext) {
  const cache = new Map<string, { session: SessionRow; foundAt: number }>()
  return async (request: SessionRequest): Promise<Session> => {
    const { authorization } = request.headers
    const [scheme, token, ...rest] = (authorization ?? '').trim().split(/\s+/)
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0)
      throw unauthenticated('session-required', 'A bearer session token is required.')
    const key = hash('sha256', token, 'base64')
    let found = cache.get(key)
    if (
      !found ||
      performance.now() - found.foundAt >= CACHE_MS ||
      found.session.expiresAt <= context.clock()
    ) {
      cache.delete(key)
      const session = await getSession(
        context,
        'api',
        Buffer.from(key, 'base64'),
        'The bearer session token is invalid or has expired.',
      )
      found = { session, foundAt: performance.now() }
      cache.set(key, found)
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
    }
    const { profileId, sessionId } = found.session
    return { profileId, sessionId, surface: 'api' }
  }
}

/** Finds the session of the storefront's cookie. Sessions are not cached, so signing out takes effect immediately. */
export function cookieSessionFinder(context: SessionContext & Pick<Context, 'publicUrl'>) {
  return async (request: SessionRequest): Promise<Session> => {
    const token = readSessionCookie(context.publicUrl, request.headers.cookie)
    const { profileId, sessionId } = await getSession(
      context,
      'web',
      hashToken(token),
      'This session has ended. Sign in again.',
    )
    return { profileId, sessionId, surface: 'web', token }
  }
}

/** Finds the profile of the storefront's cookie, or null. */
export function cookieProfileFinder(context: Parameters<typeof cookieSessionFinder>[0]) {
  const findSession = cookieSessionFinder(context)
  return async (request: SessionRequest): Promise<string | null> => {
    if (request.headers.cookie === undefined) return null
    return findSession(request).then(
      ({ profileId }) => profileId,
      () => null,
    )
  }
}

/** Throws `forbidden` unless the request comes from a page of this server. */
export function rejectOtherOrigins({ publicUrl }: Pick<Context, 'publicUrl'>, request: SessionRequest): void {
  if (request.method === 'GET') return
  const { origin, 'sec-fetch-site': site } = request.headers
  const own = new URL(publicUrl).origin
  const isSameOrigin = origin === undefined ? site === 'same-origin' : origin === own
  if (!isSameOrigin)
    throw forbidden(
      'foreign-page',
      `POST requests below /web/v1 require the header Origin: ${own}, and a session cookie instead of a bearer token.`,
    )
}

/** Lifetime and renewal of storefront sessions. */
const RENEWAL = { seconds: 12 * 3600, everySeconds: 3600, mostSeconds: 7 * 86_400, graceSeconds: 60 }

/** Renews a session token. Returns null if no renewal is due or possible. */
export async function renewWebSession(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  token: string,
): Promise<{ token: string; expiresAt: string } | null> {
  const now = clock()
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const newToken = randomBytes(32).toString('base64url')
  const expiresAt = at(RENEWAL.seconds)
  const isRenewed = await renewSession(sql, {
    oldSha256: hashToken(token),
    newSha256: hashToken(newToken),
    issuedBefore: at(-RENEWAL.everySeconds),
    beganAfter: at(-RENEWAL.mostSeconds),
    expiresAt,
    graceSeconds: RENEWAL.graceSeconds,
    now,
  }).catch(ignoreOutage)
  return isRenewed ? { token: newToken, expiresAt: expiresAt.toISOString() } : null
}

export async function describeSessions(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  current: Session,
): Promise<AnswerOf<typeof listWalletSessions>> {
  const rows = await listSessions(sql, current.profileId, clock())
  return {
    sessions: rows.map((row) => ({
      sessionId: row.sessionId,
      surface: row.surface,
      client: row.clientHint,
      startedAt: row.beganAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
      isCurrent: row.sessionId === current.sessionId,
    })),
  }
}

/** Ends one session of the caller, or all if `sessionId` is null. */
export const endSessions = (
  { sql }: Pick<Context, 'sql'>,
  { profileId }: Session,
  sessionId: string | null,
): Promise<number> => deleteSessions(sql, profileId, sessionId)

const TOUCH_MILLISECONDS = 60_000

/** Ignores an outage of the primary. The next request repeats the write. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof DatabaseOutage)) throw error
}

/** Returns the session of a token's hash. Throws `unauthenticated`, or `forbidden` for a blocked wallet. */
async function getSession(
  context: SessionContext,
  surface: Surface,
  hash: Uint8Array,
  failure: string,
): Promise<SessionRow> {
  const { sql, replica, config } = context
  const now = context.clock()
  const session = await onPrimary(context, async (from) => {
    const found = await findSession(from, surface, hash)
    if (!found || found.expiresAt <= now) throw unauthenticated('session-required', failure)
    if (config.blockedAddresses.length > 0)
      for (const binding of await listBindingsOfProfile(from, found.profileId))
        rejectBlocked(context, [binding.ordinalsScript, binding.paymentScript])
    return found
  })
  const isDue = now.getTime() - session.lastUsedAt.getTime() >= TOUCH_MILLISECONDS
  if (isDue && !replica?.state.isPrimaryAway)
    await touchSession(sql, session.sessionId, now).catch(ignoreOutage)
  return session
}
