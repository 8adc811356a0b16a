import { describe, expect, it } from 'vitest'
import { assertAnswerSchema } from './answer-forms.ts'
import { demoWallets } from './demo-wallets.ts'
import { enter } from './enter.ts'
import { type Asked, challengesFor, scriptedMarket } from './scripted-market.ts'

const OWN = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const { first: wallet, second: other } = demoWallets('regtest')
const bindingOf = ({ ordinalsAddress, paymentAddress }: typeof wallet, walletBindingId: string) => ({
  walletBindingId,
  ordinalsAddress,
  paymentAddress,
})

/** A market with numbered sessions; only the session `state.valid` is accepted. */
async function market({ surface }: { surface: 'api' | 'storefront' }) {
  const state = { sessions: 0, valid: 0, isDown: false }
  const sessionOf = ({ headers }: Asked) => String(headers.authorization ?? headers.cookie ?? '')
  const { origin, requests } = await scriptedMarket((request) => {
    if (state.isDown) return { status: 503, body: { error: 'Down', code: 'server-busy', retryable: true } }
    if (/challenge$/.test(request.path))
      return { body: challengesFor(request, { host: request.headers.host as string }) }
    if (/(verify|session)$/.test(request.path)) {
      state.valid = ++state.sessions
      const walletBindings = [bindingOf(other, OTHER), bindingOf(wallet, OWN)]
      return surface === 'api'
        ? { body: { sessionToken: `s${state.valid}`, walletBindings } }
        : {
            headers: { 'set-cookie': `session=s${state.valid}; Path=/web/v1; HttpOnly` },
            body: { walletBindings },
          }
    }
    return sessionOf(request).endsWith(`s${state.valid}`)
      ? { body: { ok: true } }
      : { status: 401, body: { error: 'Sign in', code: 'session-required', retryable: false } }
  })
  return { origin, requests, state }
}

it('validates responses against the contract', async () => {
  const { origin } = await market({ surface: 'api' })
  const { client } = await enter(origin, wallet)
  expect(client.checkAnswer).toBe(assertAnswerSchema)
})

describe.each(['api', 'storefront'] as const)('trader on the %s surface', (surface) => {
  it('selects the binding of the wallet', async () => {
    const { origin } = await market({ surface })
    expect((await enter(origin, wallet, { surface })).walletBindingId).toBe(OWN)
  })

  it('signs in again when the session expires', async () => {
    const { origin, state } = await market({ surface })
    const { client } = await enter(origin, wallet, { surface })
    state.valid = 99
    const calls = await Promise.all([1, 2, 3].map(() => client.call('listListings')))
    expect(calls).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    expect(state.sessions).toBe(2)
  })

  it('retries a write in the new session', async () => {
    const { origin, state, requests } = await market({ surface })
    const { client } = await enter(origin, wallet, { surface })
    state.valid = 99
    const body = { walletBindingId: OWN, listings: [] }
    expect(await client.call('delistListing', { params: { slug: 'lamps' }, body })).toMatchObject({
      ok: true,
    })
    expect(requests.filter(({ path }) => path.endsWith('/delist')).map(({ body }) => body)).toEqual([
      body,
      body,
    ])
  })

  it('signs in again after a failed sign-in', async () => {
    const { origin, state } = await market({ surface })
    const { client } = await enter(origin, wallet, { surface })
    state.isDown = true
    await expect(client.call('listListings')).rejects.toMatchObject({ status: 503 })
    state.isDown = false
    state.valid = 99
    expect(await client.call('listListings')).toMatchObject({ ok: true })
  })
})

it('throws 401 if the new session is rejected', async () => {
  const { origin, state } = await market({ surface: 'api' })
  const { client } = await enter(origin, wallet)
  const signIn = client.signInAgain!
  client.signInAgain = async (target) => {
    await signIn(target)
    state.valid = 99
  }
  state.valid = 99
  await expect(client.call('listListings')).rejects.toMatchObject({ status: 401 })
  expect(state.sessions).toBe(2)
})

it('throws CheckFailed for a session with other addresses', async () => {
  const { origin } = await scriptedMarket(({ path, headers, body }) => ({
    body: path.endsWith('challenge')
      ? challengesFor({ body }, { host: headers.host as string })
      : { sessionToken: 'token', walletBindings: [bindingOf(other, OTHER)] },
  }))
  await expect(enter(origin, wallet)).rejects.toThrow("the market's session has other addresses")
})
