import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { writeSessionCookie } from '@ordbook/http/operations/session-cookie.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { Context } from '../context.ts'
import { createChallenge } from './challenge.ts'
import { describeProfile } from './me.ts'
import { findAuthRequest } from './queries.ts'
import { describeSessions, endSessions, renewWebSession } from './sessions.ts'
import { verifyChallenge, verifyWebSignIn } from './verify.ts'

/**
 * Secondary rate-limit keys of sign-ins. Scripts are used, so that all spellings of an address share a key. The operation itself rejects
 * invalid addresses.
 */
const keysOfChallenge =
  ({ config }: Pick<Context, 'config'>) =>
  async ({ body }: { body: { ordinalsAddress: string; paymentAddress: string } }) => {
    const scripts = [body.ordinalsAddress, body.paymentAddress].flatMap((address) => {
      try {
        return [scriptOfAddress(address, config.addressNetwork)]
      } catch {
        return []
      }
    })
    return keysOfScripts(scripts)
  }
const keysOfScripts = (scripts: readonly Uint8Array[]) => [...new Set(scripts.map(bytesToHex))]
const keysOfVerify =
  ({ sql }: Pick<Context, 'sql'>) =>
  async ({ body }: { body: { authRequestId: string } }) => {
    const request = await findAuthRequest(sql, body.authRequestId)
    return request ? keysOfScripts([request.ordinalsScript, request.paymentScript]) : []
  }

export function authRoutes(context: Context): Route[] {
  return [
    route(operations.createAuthChallenge, ({ body, caller }) => createChallenge(context, body, caller.key), {
      limitKeys: keysOfChallenge(context),
    }),
    route(
      operations.verifyAuthChallenge,
      ({ body, caller, signal }) => verifyChallenge(forClient(context, signal), body, caller),
      { limitKeys: keysOfVerify(context) },
    ),
    route(operations.getMe, ({ session }) => describeProfile(context, session.profileId)),
  ]
}

/** Sign-in routes of the storefront. The session token is sent only in a cookie. */
export function webAuthRoutes(context: Context): Route[] {
  const issued = new WeakMap<object, { token: string; expiresAt: string }>()
  const setCookie = (answer: object): Record<string, string> => {
    const session = issued.get(answer)
    return session ? { 'set-cookie': writeSessionCookie(context.publicUrl, session) } : {}
  }
  const clearCookie = () => ({ 'set-cookie': writeSessionCookie(context.publicUrl, null) })
  return [
    route(
      webOperations.beginWebSignIn,
      ({ body, caller }) => createChallenge(context, body, caller.key, 'web'),
      {
        limitKeys: keysOfChallenge(context),
      },
    ),
    route(
      webOperations.openWebSession,
      async ({ body, caller }) => {
        const { token, answer } = await verifyWebSignIn(context, body, caller)
        issued.set(answer, { token, expiresAt: answer.expiresAt })
        return answer
      },
      {
        limitKeys: keysOfVerify(context),
        headers: setCookie,
      },
    ),
    route(
      webOperations.getWebSession,
      async ({ session }) => {
        const answer = await describeProfile(context, session.profileId)
        const renewed = await renewWebSession(context, session.token!)
        if (renewed) issued.set(answer, renewed)
        return answer
      },
      { headers: setCookie },
    ),
    route(
      webOperations.endWebSession,
      async ({ session }) => {
        await endSessions(context, session, session.sessionId)
        return { ended: true as const }
      },
      { headers: clearCookie },
    ),
    route(webOperations.listWalletSessions, ({ session }) => describeSessions(context, session)),
    route(webOperations.endWalletSession, async ({ params, session }) => {
      if ((await endSessions(context, session, params.sessionId)) === 0)
        throw missing('session-unknown', 'Session not found. GET /web/v1/sessions lists open sessions.')
      return { ended: true as const }
    }),
    route(
      webOperations.endWalletSessions,
      async ({ session }) => ({ endedCount: await endSessions(context, session, null) }),
      { headers: clearCookie },
    ),
  ]
}
