import { type SignInFacts, signInMessage } from '@ordbook/contract/sign-in-message.ts'
import type { Client } from './client.ts'
import type { Answer } from './operations.ts'
import type { Session, WebSession } from './results.ts'
import { assert } from './verify/assert.ts'
import type { Wallet } from './wallet.ts'

/**
 * Signs a wallet in and sets the client's token. Signs only a sign-in at `host`, by default the client's, with the wallet's addresses, issued at most a day after
 * `now`. Throws ApiError (403: insufficient funding, 503: retry later) and CheckFailed.
 */
export async function signIn(
  client: Client,
  wallet: Wallet,
  host: string = client.host,
  now: Date = new Date(),
): Promise<Session> {
  const { ordinalsAddress, paymentAddress } = wallet
  const challenge = await client.call('createAuthChallenge', { body: { ordinalsAddress, paymentAddress } })
  const session = await client.call('verifyAuthChallenge', {
    body: await signChallenges(wallet, host, challenge, now),
  })
  client.token = session.sessionToken
  return session
}

/** Signs in on a client of `/web/v1`. The session is a cookie, and no minimum funding is required. */
export async function signInWeb(
  client: Client,
  wallet: Pick<Wallet, 'ordinalsAddress' | 'paymentAddress' | 'signMessage'>,
  host: string = client.host,
): Promise<WebSession> {
  const { ordinalsAddress, paymentAddress } = wallet
  const challenge = await client.call('beginWebSignIn', { body: { ordinalsAddress, paymentAddress } })
  return client.call('openWebSession', { body: await signChallenges(wallet, host, challenge, new Date()) })
}

async function signChallenges(
  wallet: Pick<Wallet, 'ordinalsAddress' | 'paymentAddress' | 'signMessage'>,
  host: string,
  { authRequestId, challenges }: Answer<'createAuthChallenge'>,
  now: Date,
) {
  const { ordinalsAddress, paymentAddress } = wallet
  const roles: Pick<SignInFacts, 'role' | 'address'>[] = [{ role: 'ordinals', address: ordinalsAddress }]
  if (paymentAddress !== ordinalsAddress) roles.push({ role: 'payment', address: paymentAddress })
  assert(
    challenges.length === roles.length,
    `the market sent ${challenges.length} challenges, expected one for each address`,
  )
  const texts = roles.map((role, n) => rebuildText(challenges[n]!, { ...role, host }, now))
  const verifications = []
  for (const [n, { challengeId, address }] of challenges.entries())
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address, texts[n]!) })
  return { authRequestId, verifications }
}

/** Maximum validity of a challenge, and maximum clock difference, in milliseconds. */
const MAX_AHEAD = 24 * 3_600_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Rebuilds the text of a challenge with the market's nonce and times. Throws CheckFailed if it differs from the market's text. */
function rebuildText(
  { challengeId, message, address }: Answer<'createAuthChallenge'>['challenges'][number],
  own: Pick<SignInFacts, 'host' | 'role' | 'address'>,
  now: Date,
): string {
  assert(
    address === own.address || (/^(bc|tb|bcrt)1/i.test(own.address) && address === own.address.toLowerCase()),
    'the challenge is for another address',
  )
  const [, nonce = '', issued = '', expires = ''] =
    /\nNonce: ([0-9a-f]{32})\nIssued at: (\S{24})\nExpires at: (\S{24})$/.exec(message) ?? []
  const [issuedAt, expiresAt] = [new Date(issued), new Date(expires)]
  const validity = expiresAt.getTime() - issuedAt.getTime()
  assert(
    UUID.test(challengeId) &&
      validity > 0 &&
      validity <= MAX_AHEAD &&
      issuedAt.getTime() <= now.getTime() + MAX_AHEAD,
    `the challenge of ${own.host} has an invalid id or invalid times`,
  )
  const text = signInMessage({ ...own, address, challengeId, nonce, issuedAt, expiresAt })
  assert(
    text === message,
    `the challenge is not a sign-in at ${own.host}: ${message.slice(0, 200).split('\n')[0]}`,
  )
  return text
}

export const findBinding = <B extends { ordinalsAddress: string; paymentAddress: string }>(
  bindings: readonly B[],
  { ordinalsAddress, paymentAddress }: Pick<Wallet, 'ordinalsAddress' | 'paymentAddress'>,
): B | undefined =>
  bindings.find(
    (binding) => binding.ordinalsAddress === ordinalsAddress && binding.paymentAddress === paymentAddress,
  )
