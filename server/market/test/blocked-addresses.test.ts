import { randomBytes } from 'node:crypto'
import { LocalWallet } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Asked, everyRequest } from '../../../e2e/operations/support/every-request.ts'
import { enter, freshWallet, serveAgain, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { signInAtStorefront, visit } from '../../../e2e/support/storefront.ts'

/** Wallets that signed in before one of their addresses was added to BLOCKED_ADDRESSES. */
const ROLES = ['ordinals', 'payment'] as const
const SURFACES = { api: '/api/v1/auth', storefront: '/web/v1/session' }
const BLOCKED = { status: 403, body: { code: 'wallet-blocked' } }

interface Blocked {
  wallet: LocalWallet
  address: string
  /** Sign-ins started before the block, by surface. */
  begun: Record<string, unknown>
  requests: Asked[]
}

const NETWORK = { network: 'regtest', paymentKind: 'p2wpkh' } as const
const key = () => new Uint8Array(randomBytes(32))
/** Ordinals key of the wallet whose payment address is blocked. */
const ordinals = key()

const market = setUpMarket()
const other = setUpTrader(market)
const blocked = {} as Record<(typeof ROLES)[number], Blocked>
beforeAll(async () => {
  for (const role of ROLES) {
    const wallet = new LocalWallet(
      { ordinals: role === 'payment' ? ordinals : key(), payment: key() },
      NETWORK,
    )
    await market.regtest.pay([{ valueSats: 1_000_000, script: wallet.paymentScript }])
    await market.mine()
    const trader = await enter(market.base, wallet)
    const { cookie } = await signInAtStorefront(market.server.url, wallet)
    blocked[role] = {
      wallet,
      address: role === 'ordinals' ? wallet.ordinalsAddress : wallet.paymentAddress,
      begun: {},
      requests: await everyRequest(market, market.server.url, { trader, cookie, otherCookie: cookie }),
    }
    for (const [surface, path] of Object.entries(SURFACES))
      blocked[role].begun[surface] = await sign(wallet, (await challenge(path, wallet)).body)
  }
  const port = new URL(market.server.url).port
  await market.sql.end()
  await market.server.close()
  await serveAgain(market, market.databaseUrl, {
    PORT: port,
    BLOCKED_ADDRESSES: ROLES.map((role) => blocked[role].address).join(', '),
  })
})

const challenge = (path: string, { ordinalsAddress, paymentAddress }: LocalWallet) =>
  visit(market.server.url, `${path}/challenge`, { body: { ordinalsAddress, paymentAddress } })

async function sign(
  wallet: LocalWallet,
  { authRequestId, challenges }: { authRequestId: string; challenges: Record<string, string>[] },
) {
  const verifications = []
  for (const { challengeId, address, message } of challenges)
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address!, message!) })
  return { authRequestId, verifications }
}

async function ask({ path, method, headers, body }: Asked) {
  const response = await fetch(`${market.server.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, code }
}

describe.each(ROLES)('wallet with a blocked %s address', (role) => {
  it.each(Object.entries(SURFACES))('rejects a new sign-in at the %s', async (_, path) => {
    const { wallet, address } = blocked[role]
    expect(await challenge(path, wallet)).toMatchObject(BLOCKED)
    const withOtherPartner = Object.assign(freshWallet(), {
      [role === 'ordinals' ? 'ordinalsAddress' : 'paymentAddress']: address,
    })
    expect(await challenge(path, withOtherPartner)).toMatchObject(BLOCKED)
  })

  it.each([
    ['api', '/api/v1/auth/verify'],
    ['storefront', '/web/v1/session'],
  ])('rejects an earlier sign-in at the %s', async (surface, path) => {
    const body = blocked[role].begun[surface]
    expect(await visit(market.server.url, path, { body })).toMatchObject(BLOCKED)
  })

  it('rejects all operations of an open session', async () => {
    const rejected: string[] = []
    const calls = blocked[role].requests.filter(({ path }) => /^\/(api|web)\/v1\//.test(path))
    await Promise.all(
      calls.map(async (request) => {
        const { authorization, cookie, ...headers } = request.headers
        const needsSession = (await ask({ ...request, headers })).status === 401
        if (!needsSession) return
        const { status, code } = await ask(request)
        expect([status, code], request.name).toEqual([403, 'wallet-blocked'])
        rejected.push(request.name)
      }),
    )
    expect(rejected).toEqual(
      expect.arrayContaining(
        ['/api/v1', '/web/v1'].flatMap((surface) => [
          `POST ${surface}/collection/{slug}/listings/submit`,
          `POST ${surface}/collection/{slug}/purchases/submit`,
          `POST ${surface}/collection/{slug}/offers/submit`,
          `POST ${surface}/inscriptions/{id}/offers/{offerId}/accept/submit`,
        ]),
      ),
    )
  })
})

it('accepts sign-ins of other wallets', async () => {
  expect((await enter(market.base, other.wallet)).walletBindingId).toBe(other.walletBindingId)
  const { opened, cookie } = await signInAtStorefront(market.server.url, other.wallet)
  expect(opened.status).toBe(200)
  expect(cookie).not.toBe('')
})

it('rejects all sessions of a blocked profile', async () => {
  const otherPayment = new LocalWallet({ ordinals, payment: key() }, NETWORK)
  const { opened, cookie } = await signInAtStorefront(market.server.url, otherPayment)
  expect(opened.status).toBe(200)
  expect(await visit(market.server.url, '/web/v1/me', { cookie })).toMatchObject(BLOCKED)
})
