import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import { type Route, route } from '../http/operations.ts'
import { createChallenge } from './challenge.ts'
import { describeProfile } from './me.ts'
import { findAuthRequest } from './queries.ts'
import { verifyChallenge } from './verify.ts'

/** Sign-in, and who is signed in. */
export function authRoutes(context: Context): Route[] {
  return [
    route(operations.createAuthChallenge, ({ body }) => createChallenge(context, body), {
      limitKeys: async ({ body }) => [...new Set([body.ordinalsAddress, body.paymentAddress])],
    }),
    route(operations.verifyAuthChallenge, ({ body }) => verifyChallenge(context, body), {
      async limitKeys({ body }) {
        const request = await findAuthRequest(context.sql, body.authRequestId)
        return request
          ? [...new Set([request.ordinalsScript, request.paymentScript].map((each) => bytesToHex(each)))]
          : []
      },
    }),
    route(operations.getMe, ({ session }) => describeProfile(context, session.profileId)),
  ]
}
