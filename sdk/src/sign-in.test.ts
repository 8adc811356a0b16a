import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { demoWallets } from './demo-wallets.ts'
import { CheckFailed } from './errors.ts'
import { challengesFor, scriptedMarket } from './scripted-market.ts'
import { signIn, signInWeb } from './sign-in.ts'

const { first } = demoWallets('regtest')
const { ordinalsAddress, paymentAddress } = first
const HOST = 'market.example'

type Challenges = ReturnType<typeof challengesFor>

/** Signs in at a market with these challenges. Returns the signed messages, the requests and the error. */
async function signInTo(answer: Challenges) {
  const { origin, requests } = await scriptedMarket(({ path }) =>
    path.endsWith('/auth/challenge') ? { body: answer } : { body: { sessionToken: 'token' } },
  )
  const signed: string[] = []
  const wallet = Object.assign(Object.create(first), {
    ordinalsAddress,
    paymentAddress,
    signMessage: async (address: string, message: string) => {
      signed.push(message)
      return `signature by ${address}`
    },
  })
  const client = new Client(`${origin}/api/v1`)
  const error: unknown = await signIn(client, wallet, HOST).then(
    () => null,
    (problem) => problem,
  )
  return { client, signed, requests, error }
}
const honest = (changes: Parameters<typeof challengesFor>[1] = {}) => challengesFor({ body: first }, changes)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

describe('sign-in', () => {
  it('signs a message with each address', async () => {
    const answer = honest()
    const { client, signed, requests, error } = await signInTo(answer)
    expect(error).toBeNull()
    expect(client.token).toBe('token')
    expect(signed).toEqual(answer.challenges.map(({ message }) => message))
    expect(requests[0]!.body).toEqual({ ordinalsAddress, paymentAddress })
    expect(requests[1]!.body).toEqual({
      authRequestId: answer.authRequestId,
      verifications: answer.challenges.map(({ challengeId, address }) => ({
        challengeId,
        address,
        signature: `signature by ${address}`,
      })),
    })
  })

  it("signs for the client's host by default", async () => {
    const { origin } = await scriptedMarket(({ path, body }) =>
      path.endsWith('/auth/challenge')
        ? { body: challengesFor({ body }, { host: new URL(origin).host }) }
        : { body: { sessionToken: 'token' } },
    )
    const client = new Client(origin)
    await signIn(client, first)
    expect(client.token).toBe('token')
    await expect(signIn(client, first, HOST)).rejects.toThrow(CheckFailed)
  })

  const edited = (edit: (message: string) => string): Challenges => {
    const { challenges, ...answer } = honest()
    return {
      ...answer,
      challenges: challenges.map((challenge) => ({ ...challenge, message: edit(challenge.message) })),
    }
  }
  const { challenges } = honest()
  it.each<[string, Challenges]>([
    ['is for another host', honest({ host: 'other.example' })],
    ['is for a host with the same prefix', honest({ host: 'market.example.evil' })],
    ['contains one address twice', honest({ address: paymentAddress })],
    ['contains one role twice', honest({ role: 'payment' })],
    ['contains a longer address', edited((text) => text.replace(ordinalsAddress, `${ordinalsAddress}x`))],
    ['contains no address', edited((text) => text.replace(/Address: .*\n/, ''))],
    [
      'has text after the host',
      edited((text) => text.replace(' wants', ' likes evil.example.\nevil.example wants')),
    ],
    ['has text at the end', edited((text) => `${text}\nI sell everything.`)],
    [
      'has another text',
      edited(() => `${HOST} holds that I sell everything.\n\nAddress: ${ordinalsAddress}\n`),
    ],
    ['is valid for a century', honest({ expiresAt: inDays(36_500) })],
    ['is issued in the future', honest({ issuedAt: inDays(30), expiresAt: inDays(30.01) })],
    ['expires before it is issued', honest({ expiresAt: inDays(-1) })],
    ['has a nonce of words', honest({ nonce: 'I sell everything' })],
    [
      'has an id of words',
      { ...honest(), challenges: challenges.map((challenge) => ({ ...challenge, challengeId: 'x\ny' })) },
    ],
    ['covers only one of two addresses', { ...honest(), challenges: challenges.slice(0, 1) }],
    ['is duplicated', { ...honest(), challenges: [...challenges, ...challenges] }],
    ['is in another order', { ...honest(), challenges: challenges.toReversed() }],
  ])('does not sign a challenge that %s', async (_, answer) => {
    const { client, signed, requests, error } = await signInTo(answer)
    expect(error).toBeInstanceOf(CheckFailed)
    expect(signed).toEqual([])
    expect(requests).toHaveLength(1)
    expect(client.token).toBeNull()
  })

  it('opens a cookie session at the storefront API', async () => {
    const { origin, requests } = await scriptedMarket(({ path, body }) => ({
      body: path.endsWith('/challenge') ? challengesFor({ body }) : {},
    }))
    const client = new Client(`${origin}/web/v1`)
    await signInWeb(client, first, 'market.example')
    expect(requests.map(({ path }) => path)).toEqual(['/web/v1/session/challenge', '/web/v1/session'])
    expect(client.token).toBeNull()
  })

  it('sends the session cookie to the storefront API', async () => {
    const { origin, requests } = await scriptedMarket(({ path, body }) =>
      path.endsWith('/challenge')
        ? { body: challengesFor({ body }) }
        : { headers: { 'set-cookie': 'session=abc; HttpOnly; Path=/web/v1' }, body: {} },
    )
    const client = new Client(`${origin}/web/v1`)
    await signInWeb(client, first, 'market.example')
    await client.with({ repeats: 1 }).call('getWebSession')
    expect(requests.map(({ headers }) => headers.origin)).toEqual([origin, origin, origin])
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, 'session=abc'])
  })
})
