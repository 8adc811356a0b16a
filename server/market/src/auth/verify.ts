import { randomBytes } from 'node:crypto'
import { isAddressOf } from '@ordbook/bitcoin/address.ts'
import { publicKeyIn, unsupportedForm, verifyMessage } from '@ordbook/bitcoin/bip322.ts'
import type { verifyAuthChallenge } from '@ordbook/contract/auth.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import type { openWebSession } from '@ordbook/contract/web.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import {
  conflict,
  expired,
  Fault,
  forbidden,
  invalid,
  missing,
  unauthenticated,
  unavailable,
} from '@ordbook/db/process/errors.ts'
import type { Caller } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { challengesOf, hashClient, rejectBlocked, rejectPinned } from './challenge.ts'
import { clientHint } from './client-hint.ts'
import { heldSatsOf } from './funding.ts'
import { describeProfile } from './me.ts'
import {
  type AuthRequestRow,
  countPartners,
  findAuthRequest,
  insertBinding,
  insertSession,
  lockProfile,
  type Surface,
  setPaymentKey,
  touchBinding,
  useAuthRequest,
} from './queries.ts'
import { hashToken } from './sessions.ts'

/** Only storefront sessions are renewed (sessions.ts). */
const SESSION_SECONDS: Record<Surface, number> = { api: 3600, web: 12 * 3600 }

/** Maximum partner addresses per address. */
const MAX_PARTNERS = 20

/** Finishes a sign-in on the API and issues a token. */
export async function verifyChallenge(
  context: Context,
  input: BodyOf<typeof verifyAuthChallenge>,
  caller: Caller,
): Promise<AnswerOf<typeof verifyAuthChallenge>> {
  const request = await proveWallet(context, input, 'api')
  await checkFunding(context, request.paymentScript)
  const { token, profileId, expiresAt } = await openSession(context, request, caller)
  await keepPaymentKey(context, request, input)
  return { ...(await describeProfile(context, profileId)), sessionToken: token, expiresAt }
}

/** Finishes a sign-in on the storefront. The token is returned only in the cookie. */
export async function verifyWebSignIn(
  context: Context,
  input: BodyOf<typeof verifyAuthChallenge>,
  caller: Caller,
): Promise<{ token: string; answer: AnswerOf<typeof openWebSession> }> {
  const request = await proveWallet(context, input, 'web')
  const { token, profileId, expiresAt } = await openSession(context, request, caller)
  await keepPaymentKey(context, request, input)
  return { token, answer: { ...(await describeProfile(context, profileId)), expiresAt } }
}

/** Verifies the signatures and marks the sign-in as used. */
async function proveWallet(
  context: Context,
  input: BodyOf<typeof verifyAuthChallenge>,
  surface: Surface,
): Promise<AuthRequestRow> {
  const { sql, clock } = context
  const request = await findAuthRequest(sql, input.authRequestId)
  if (request?.surface !== surface)
    throw missing('sign-in-unknown', 'Sign-in not found. Start a new sign-in.')
  refuseUnusable(request, clock())
  checkSignatures(context, request, input)
  rejectBlocked(context, [request.ordinalsScript, request.paymentScript])
  await rejectPinned(context, request.ordinalsScript, request.paymentScript)
  if (!(await useAuthRequest(sql, request.authRequestId, clock())))
    throw conflict('challenge-used', 'This challenge was already used. Start a new sign-in.')
  return request
}

async function openSession(context: Context, request: AuthRequestRow, caller: Caller) {
  const { sql, clock, log } = context
  const { surface } = request
  const profileId = await bindWallet(context, request)
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(clock().getTime() + SESSION_SECONDS[surface] * 1000)
  const session = {
    tokenSha256: hashToken(token),
    surface,
    profileId,
    client: hashClient(caller.key),
    clientHint: clientHint(caller.userAgent),
    expiresAt,
  }
  await inTransaction(sql, (tx) => insertSession(tx, session, clock()))
  log.info({ profileId, surface }, 'sign-in')
  return { token, profileId, expiresAt: expiresAt.toISOString() }
}

/** Stores the key of a payment address. Only a signature reveals it, and spending payouts requires it. */
async function keepPaymentKey(
  { sql, config }: Context,
  { paymentScript }: AuthRequestRow,
  { verifications }: BodyOf<typeof verifyAuthChallenge>,
): Promise<void> {
  const verification = verifications.find(({ address }) =>
    isAddressOf(address, paymentScript, config.addressNetwork),
  )
  const key = verification && publicKeyIn(verification.signature)
  if (key) await setPaymentKey(sql, paymentScript, key)
}

function refuseUnusable(request: AuthRequestRow, now: Date): void {
  if (request.usedAt)
    throw conflict('challenge-used', 'This challenge was already used. Start a new sign-in.')
  if (request.expiresAt <= now)
    throw expired('challenge-expired', 'This challenge has expired. Start a new sign-in.')
}

function checkSignatures(
  { config }: Pick<Context, 'config'>,
  request: AuthRequestRow,
  { verifications }: BodyOf<typeof verifyAuthChallenge>,
): void {
  const challenges = challengesOf(request, config)
  const byId = new Map(challenges.map((each) => [each.challengeId, each]))
  for (const { challengeId, address, signature } of verifications) {
    const challenge = byId.get(challengeId.toLowerCase())
    if (!challenge)
      throw missing('sign-in-unknown', `Challenge ${challengeId} does not belong to this sign-in.`)
    if (!isAddressOf(address, challenge.script, config.addressNetwork))
      throw invalid(
        'challenges-mismatched',
        `verifications: the address differs from the address of the ${challenge.role} challenge`,
      )
    if (verifyMessage(challenge.script, challenge.message, signature)) continue
    const form = unsupportedForm(challenge.script, signature)
    throw unauthenticated(
      'challenge-signature-invalid',
      form
        ? `The signature of the ${challenge.role} challenge is ${form}. Sign the message as BIP-322 simple (smp) or full (ful) with the key of the address.`
        : `The signature of the ${challenge.role} challenge is not a valid BIP-322 signature of its message. Sign the message with the key of the address, as BIP-322 simple or full, or sign its to_sign transaction as a PSBT.`,
    )
  }
  const answered = new Set(verifications.map((each) => each.challengeId.toLowerCase()))
  if (answered.size !== challenges.length || verifications.length !== challenges.length)
    throw invalid(
      'challenges-mismatched',
      'verifications must contain each challenge of the sign-in exactly once.',
    )
}

async function checkFunding(context: Context, paymentScript: Uint8Array): Promise<void> {
  const { config } = context
  if (config.minFundingSats === 0) return
  let heldSats: number
  try {
    heldSats = await heldSatsOf(context, paymentScript)
  } catch (cause) {
    if (cause instanceof Fault && cause.kind !== 'unavailable') throw cause
    throw unavailable(
      'funding-check-unavailable',
      `Failed to check the funds of this wallet. ${cause instanceof Fault ? cause.message : 'Retry later.'}`,
      cause,
    )
  }
  if (heldSats < config.minFundingSats)
    throw forbidden(
      'wallet-underfunded',
      `The payment address holds ${heldSats} confirmed sats. At least ${config.minFundingSats} are required to trade.`,
    )
}

/** Adds the pair to the profile of the ordinals address. Profiles that share a payment address cannot act for each other. */
function bindWallet({ sql }: Context, request: AuthRequestRow): Promise<string> {
  return inTransaction(sql, async (tx) => {
    const profileId = await lockProfile(tx, request.ordinalsScript)
    if (await touchBinding(tx, request)) return profileId
    const { ofOrdinals, ofPayment } = await countPartners(tx, request)
    // Without this limit, one funded payment address could fund any number of profiles.
    if (Math.max(ofOrdinals, ofPayment) >= MAX_PARTNERS)
      throw conflict(
        'address-linked',
        `One of these addresses already has ${MAX_PARTNERS} partner addresses. Sign in with one of the existing pairs.`,
      )
    await insertBinding(tx, { ...request, profileId })
    return profileId
  })
}
