import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { demoWallets } from './demo-wallets.ts'
import { CheckFailed } from './errors.ts'
import { scriptedMarket } from './scripted-market.ts'
import { signIn, signInWeb } from './sign-in.ts'

const { first } = demoWallets('regtest')
const { ordinalsAddress, paymentAddress } = first
const textFor = (host: string, address: string) =>
  `${host} asks you to sign in\n\nAddress: ${address}\nNonce: 1\n`

/** A sign-in at a market with these texts; returns what the wallet signed, the requests and the error. */
async function signInTo(texts: readonly { address: string; message: string }[]) {
  const { origin, asked } = await scriptedMarket(({ path }) =>
    path.endsWith('/auth/challenge')
      ? {
          body: {
            authRequestId: 'request',
            challenges: texts.map((each, n) => ({ challengeId: `challenge ${n}`, ...each })),
          },
        }
      : { body: { sessionToken: 'token' } },
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
  const error: unknown = await signIn(client, wallet, 'market.example').then(
    () => null,
    (problem) => problem,
  )
  return { client, signed, asked, error }
}

describe('a sign-in', () => {
  it('signs the text of each address and keeps the token', async () => {
    const texts = [ordinalsAddress, paymentAddress].map((address) => ({
      address,
      message: textFor('market.example', address),
    }))
    const { client, asked, error } = await signInTo(texts)
    expect(error).toBeNull()
    expect(client.token).toBe('token')
    expect(asked[0]!.body).toEqual({ ordinalsAddress, paymentAddress })
    expect(asked[1]!.body).toEqual({
      authRequestId: 'request',
      verifications: [ordinalsAddress, paymentAddress].map((address, n) => ({
        challengeId: `challenge ${n}`,
        address,
        signature: `signature by ${address}`,
      })),
    })
  })

  it.each([
    ['names another host', textFor('other.example', ordinalsAddress)],
    ['only begins like the host', textFor('market.example.evil', ordinalsAddress)],
    ['names another address', textFor('market.example', paymentAddress)],
    ['names a longer address', textFor('market.example', `${ordinalsAddress}x`)],
    ['names no address', 'market.example asks you to sign in\n'],
  ])('signs nothing that %s', async (_, message) => {
    const { client, signed, asked, error } = await signInTo([{ address: ordinalsAddress, message }])
    expect(error).toBeInstanceOf(CheckFailed)
    expect(signed).toEqual([])
    expect(asked).toHaveLength(1)
    expect(client.token).toBeNull()
  })

  it('asks the surface of pages for a cookie, and keeps no token', async () => {
    const { origin, asked } = await scriptedMarket(({ path }) =>
      path.endsWith('/challenge') ? { body: { authRequestId: 'request', challenges: [] } } : { body: {} },
    )
    const client = new Client(`${origin}/web/v1`)
    await signInWeb(client, first, 'market.example')
    expect(asked.map(({ path }) => path)).toEqual(['/web/v1/session/challenge', '/web/v1/session'])
    expect(client.token).toBeNull()
  })

  it('keeps the cookie of the surface of pages and names its origin, as a browser does', async () => {
    const { origin, asked } = await scriptedMarket(({ path }) =>
      path.endsWith('/challenge')
        ? { body: { authRequestId: 'request', challenges: [] } }
        : { headers: { 'set-cookie': 'session=abc; HttpOnly; Path=/web/v1' }, body: {} },
    )
    const client = new Client(`${origin}/web/v1`)
    await signInWeb(client, first, 'market.example')
    await client.with({ repeats: 1 }).call('getWebSession')
    expect(asked.map(({ headers }) => headers.origin)).toEqual([origin, origin, origin])
    expect(asked.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, 'session=abc'])
  })
})
