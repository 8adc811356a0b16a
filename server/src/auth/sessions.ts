import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { unauthenticated } from '../errors.ts'
import type { Session } from '../http/operations.ts'
import { refuseBlocked } from './challenge.ts'
import { findSession, listBindingsOfProfile } from './queries.ts'

/** Only this is stored of a token, and looked up by index: no comparison that time could tell from. */
export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}

const MOST_CACHED = 10_000

/** Finds the session of a bearer token. Sessions do not change until they expire, so found ones are kept in memory. */
export function sessionFinder(context: Pick<Context, 'sql' | 'clock' | 'config'>) {
  const cache = new Map<string, { profileId: string; expiresAt: Date }>()
  return async (request: FastifyRequest): Promise<Session> => {
    const { authorization } = request.headers
    const [scheme, token, ...rest] = (authorization ?? '').trim().split(/\s+/)
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0)
      throw unauthenticated('Bearer session token required')
    const hash = hashToken(token)
    const key = Buffer.from(hash).toString('base64')
    let session = cache.get(key)
    if (!session) {
      const found = await findSession(context.sql, hash)
      if (!found) throw unauthenticated('Invalid or expired bearer session token')
      const bindings = await listBindingsOfProfile(context.sql, found.profileId)
      for (const binding of bindings) refuseBlocked(context, [binding.ordinalsScript, binding.paymentScript])
      session = found
      cache.set(key, session)
      if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value!)
    }
    if (session.expiresAt <= context.clock()) {
      cache.delete(key)
      throw unauthenticated('Invalid or expired bearer session token')
    }
    return { profileId: session.profileId }
  }
}
