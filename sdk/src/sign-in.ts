import type { Client } from './client.ts'
import { CheckFailed } from './errors.ts'
import type { Answer } from './operations.ts'
import type { Wallet } from './wallet.ts'

/**
 * Signs a wallet in and leaves the token with the client. Signs only text that names this market's host and the address
 * that signs. Throws ApiError (403: too little funding, 503: try a fresh sign-in later) and CheckFailed.
 */
export async function signIn(
  client: Client,
  wallet: Wallet,
  host: string,
): Promise<Answer<'verifyAuthChallenge'>> {
  const { ordinalsAddress, paymentAddress } = wallet
  const begun = await client.call('createAuthChallenge', { body: { ordinalsAddress, paymentAddress } })
  const session = await client.call('verifyAuthChallenge', { body: await answered(wallet, host, begun) })
  client.token = session.sessionToken
  return session
}

/** The same on a client of `/web/v1`, where the session comes as a cookie, without a floor of funding. */
export async function signInWeb(
  client: Client,
  wallet: Pick<Wallet, 'ordinalsAddress' | 'paymentAddress' | 'signMessage'>,
  host: string,
): Promise<Answer<'openWebSession'>> {
  const { ordinalsAddress, paymentAddress } = wallet
  const begun = await client.call('beginWebSignIn', { body: { ordinalsAddress, paymentAddress } })
  return client.call('openWebSession', { body: await answered(wallet, host, begun) })
}

async function answered(
  wallet: Pick<Wallet, 'signMessage'>,
  host: string,
  { authRequestId, challenges }: Answer<'createAuthChallenge'>,
) {
  const verifications = []
  for (const { challengeId, message, address } of challenges) {
    if (!message.startsWith(`${host} `))
      throw new CheckFailed(`the challenge is not for ${host}: ${message.split('\n')[0]}`)
    if (!message.includes(`Address: ${address}\n`))
      throw new CheckFailed('the challenge does not name the address that signs it')
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address, message) })
  }
  return { authRequestId, verifications }
}

/** The binding of a wallet among those of its session. */
export const findBinding = <B extends { ordinalsAddress: string; paymentAddress: string }>(
  bindings: readonly B[],
  { ordinalsAddress, paymentAddress }: Pick<Wallet, 'ordinalsAddress' | 'paymentAddress'>,
): B | undefined =>
  bindings.find((each) => each.ordinalsAddress === ordinalsAddress && each.paymentAddress === paymentAddress)
