import { randomBytes } from 'node:crypto'
import {
  deleteOldSessions,
  deleteOldSignIns,
  deleteSessions,
  renewSession,
} from '@ordbook/market/auth/queries.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { enter, freshWallet, setUpMarket, startTogether, until } from '../../../e2e/support/market.ts'
import { signInAtStorefront, type Visit, visit as visitAt } from '../../../e2e/support/storefront.ts'

const market = setUpMarket({ TRUST_PROXY: '1' })
let origin: string
beforeAll(() => {
  origin = market.server.url
})

const visit = (path: string, how?: Visit) => visitAt(origin, path, how)
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'

interface Listed {
  sessionId: string
  surface: 'api' | 'web'
  client: string | null
  isCurrent: boolean
}

describe('/web/v1/sessions', () => {
  /** Returns a wallet with a bearer token and two storefront sessions. */
  async function signInThrice() {
    const { client, wallet } = await market.trader()
    const { cookie } = await signInAtStorefront(origin, wallet, { 'user-agent': FIREFOX })
    const other = await signInAtStorefront(origin, wallet, { 'user-agent': 'curl/8.5.0' })
    const list = async () => (await visit('/web/v1/sessions', { cookie })).body.sessions as Listed[]
    const asBearer = async () =>
      (await visit('/api/v1/me', { headers: { authorization: `Bearer ${client.token}` } })).status
    const asBrowser = async (sent: string) => (await visit('/web/v1/session', { cookie: sent })).status
    return { client, wallet, cookie, other: other.cookie, list, asBearer, asBrowser }
  }

  it('lists sessions without their tokens', async () => {
    const { cookie, client, list } = await signInThrice()
    const sessions = await list()
    expect(sessions).toHaveLength(3)
    expect(sessions.find(({ isCurrent }) => isCurrent)).toMatchObject({
      surface: 'web',
      client: 'Firefox on Linux',
    })
    expect(sessions.filter(({ isCurrent }) => !isCurrent)).toEqual([
      expect.objectContaining({ surface: 'web', client: 'curl/8.5.0' }),
      expect.objectContaining({ surface: 'api' }),
    ])
    for (const secret of [cookie.split('=')[1]!, client.token!])
      expect(JSON.stringify(sessions)).not.toContain(secret)
  })

  it('lists a renewed session once', async () => {
    const { cookie, list } = await signInThrice()
    await market.sql`update sessions set issued_at = now() - interval '61 minutes' where surface = 'web'`
    expect((await visit('/web/v1/session', { cookie })).headers.get('set-cookie')).not.toBeNull()
    expect(await list()).toHaveLength(3)
  })

  it.each(['all sessions', 'one session'])('ends %s while a token is renewed', async (which) => {
    const { sql } = market
    const { wallet } = await market.trader()
    await signInAtStorefront(origin, wallet)
    const [session] = await sql<{ tokenSha256: Uint8Array; profileId: string; sessionId: string }[]>`
      select token_sha256, profile_id, session_id from sessions where surface = 'web' order by issued_at desc limit 1`
    const { tokenSha256: oldSha256, profileId, sessionId } = session!
    const now = new Date()
    const [ended] = await startTogether(
      market,
      async (tx) =>
        expect(
          await renewSession(tx, {
            oldSha256,
            newSha256: randomBytes(32),
            issuedBefore: new Date(now.getTime() + 1000),
            beganAfter: new Date(0),
            expiresAt: new Date(now.getTime() + 3_600_000),
            graceSeconds: 60,
            now,
          }),
        ).toBe(true),
      [
        () =>
          deleteSessions(market.server.context.sql, profileId, which === 'one session' ? sessionId : null),
      ],
    )
    expect(ended).toEqual({ status: 'fulfilled', value: which === 'one session' ? 1 : 2 })
    expect(await sql`select 1 from sessions where session_id = ${sessionId}`).toHaveLength(0)
  })

  it('updates the last use of a session', async () => {
    const { cookie, list } = await signInThrice()
    await market.sql`update sessions set last_used_at = now() - interval '1 day'`
    const [first] = (await visit('/web/v1/sessions', { cookie })).body.sessions
    expect(first.isCurrent).toBe(true)
    expect(Date.parse(first.lastUsedAt)).toBeGreaterThan(Date.now() - 60_000)
    expect((await list())[1]).toMatchObject({ isCurrent: false })
  })

  it('ends a single session', async () => {
    const { cookie, other, list, asBearer, asBrowser } = await signInThrice()
    expect([await asBearer(), await asBrowser(other)]).toEqual([200, 200])
    for (const { sessionId, isCurrent } of await list())
      if (!isCurrent)
        expect((await visit(`/web/v1/sessions/${sessionId}/end`, { method: 'POST', cookie })).body).toEqual({
          ended: true,
        })
    expect(await asBrowser(other)).toBe(401)
    await until('the end of the token', async () => (await asBearer()) === 401)
    expect((await list()).map(({ isCurrent }) => isCurrent)).toEqual([true])
  })

  it('ends all sessions and clears the cookie', async () => {
    const { cookie, other, asBearer, asBrowser } = await signInThrice()
    const ended = await visit('/web/v1/sessions/end', { method: 'POST', cookie })
    expect(ended.body).toEqual({ endedCount: 3 })
    expect(ended.headers.get('set-cookie')).toMatch(/^ordbook_session=; /)
    expect([await asBrowser(cookie), await asBrowser(other)]).toEqual([401, 401])
    await until('the end of the token', async () => (await asBearer()) === 401)
  })

  it('returns 404 for a session of another wallet', async () => {
    const { list, asBrowser, other } = await signInThrice()
    const stranger = await signInAtStorefront(origin, freshWallet())
    const [{ sessionId }] = (await list()) as [Listed]
    const end = await visit(`/web/v1/sessions/${sessionId}/end`, { method: 'POST', cookie: stranger.cookie })
    expect(end.status).toBe(404)
    expect((await visit('/web/v1/sessions', { cookie: stranger.cookie })).body.sessions).toHaveLength(1)
    expect(await asBrowser(other)).toBe(200)
    expect((await visit('/web/v1/sessions')).status).toBe(401)
  })
})

describe('auth_requests', () => {
  const begin = async (wallet = freshWallet(), client = '203.0.113.1') => {
    const { ordinalsAddress, paymentAddress } = wallet
    const headers = { 'x-forwarded-for': client }
    const { status, body } = await visit('/api/v1/auth/challenge', {
      body: { ordinalsAddress, paymentAddress },
      headers,
    })
    expect(status).toBe(200)
    return body.authRequestId as string
  }
  const listStored = async (ids: string[]) => {
    const rows = await market.sql<{ authRequestId: string }[]>`
      select auth_request_id from auth_requests where auth_request_id = any(${ids}::uuid[])`
    return rows.map((row) => row.authRequestId)
  }

  it('keeps the 20 newest sign-ins per address', async () => {
    const wallet = freshWallet()
    const owner = await begin(wallet, '203.0.113.2')
    const ids: string[] = []
    for (let n = 0; n < 25; n++) ids.push(await begin(wallet))
    expect((await listStored(ids)).toSorted()).toEqual(ids.slice(5).toSorted())
    expect(await listStored([owner])).toEqual([owner])
  })

  it('keeps the 200 newest sign-ins per client', async () => {
    const wallets = Array.from({ length: 15 }, () => freshWallet())
    const ids: string[] = []
    for (let n = 0; n < 210; n++) ids.push(await begin(wallets[n % 15]!, '203.0.113.3'))
    expect((await listStored(ids)).toSorted()).toEqual(ids.slice(10).toSorted())
  })

  it('stores less than 300 bytes per sign-in', async () => {
    const id = await begin()
    const [row] = await market.sql<{ bytes: number }[]>`
      select pg_column_size(r)::int as bytes from auth_requests r where auth_request_id = ${id}`
    expect(row!.bytes).toBeLessThan(300)
  })

  it('deletes expired sign-ins and sessions', async () => {
    const [late, old] = [await begin(), await begin()]
    const { cookie } = await signInAtStorefront(origin, freshWallet())
    await market.sql`update auth_requests set expires_at = now() - interval '59 minutes' where auth_request_id = ${late}`
    await market.sql`update auth_requests set expires_at = now() - interval '61 minutes' where auth_request_id = ${old}`
    await market.sql`update sessions set expires_at = now() - interval '1 second' where surface = 'web'`
    await deleteOldSignIns(market.sql, new Date(), 5000)
    await deleteOldSessions(market.sql, new Date(), 5000)
    expect(await listStored([late, old])).toEqual([late])
    const [remaining] = await market.sql<
      { count: number }[]
    >`select count(*)::int as count from sessions where surface = 'web'`
    expect(remaining!.count).toBe(0)
    expect((await visit('/web/v1/session', { cookie })).status).toBe(401)
  })

  it('keeps the 100,000 newest sign-ins', async () => {
    const last = await begin()
    await market.sql`
      insert into auth_requests (auth_request_id, surface, ordinals_script, payment_script, ordinals_challenge_id, host, nonce,
        issued_at, expires_at, client)
      select gen_random_uuid(), 'api', '', '', gen_random_uuid(), '', '', now(), now() - interval '1 minute', ${randomBytes(8)}
      from generate_series(1, 100050)`
    await deleteOldSignIns(market.sql, new Date(), 5000)
    const [remaining] = await market.sql<
      { count: number }[]
    >`select count(*)::int as count from auth_requests`
    expect(remaining!.count).toBe(100_000)
    expect(await listStored([last])).toEqual([last])
  })

  it('ends the oldest of 51 API sessions', async () => {
    const { client, wallet } = await market.trader()
    const tokens = [client.token!]
    for (let n = 0; n < 50; n++) tokens.push((await enter(market.base, wallet)).client.token!)
    const status = async (token: string) =>
      (await visit('/api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status
    expect([await status(tokens[0]!), await status(tokens[1]!), await status(tokens[50]!)]).toEqual([
      401, 200, 200,
    ])
  })
})
