import { unauthenticated } from '@ordbook/db/process/errors.ts'
import { parseCookie, stringifySetCookie } from 'cookie'

/**
 * Returns name and path of the session cookie, which the API and `/events` read. On https, the `__Host-` prefix prevents other subdomains
 * from setting it. Browsers reject the prefix on http.
 */
export const sessionCookieOf = (publicUrl: string) =>
  publicUrl.startsWith('https:')
    ? { name: '__Host-ordbook_session', path: '/', secure: true }
    : { name: 'ordbook_session', path: '/', secure: false }

/**
 * Returns the session token. Throws `unauthenticated` without a session cookie, or with more than one, because
 * another site may have set one of them.
 */
export function readSessionCookie(publicUrl: string, header: string | undefined): string {
  const { name } = sessionCookieOf(publicUrl)
  const tokens = (header ?? '').split(';').flatMap((cookie) => parseCookie(cookie)[name] || [])
  if (tokens.length === 0)
    throw unauthenticated('session-required', 'Not signed in: the session cookie is missing.')
  if (tokens.length > 1)
    throw unauthenticated(
      'session-ambiguous',
      "The request has two session cookies. Delete this site's cookies and sign in again.",
    )
  return tokens[0]!
}

/** Returns a Set-Cookie header. Deletes the cookie if `session` is null. */
export function writeSessionCookie(
  publicUrl: string,
  session: { token: string; expiresAt: string } | null,
): string {
  return stringifySetCookie({
    ...sessionCookieOf(publicUrl),
    value: session?.token ?? '',
    httpOnly: true,
    sameSite: 'strict',
    expires: session ? new Date(session.expiresAt) : new Date(0),
  })
}
