import { beforeAll, describe, expect, it } from 'vitest'
import { freshWallet, setUpMarket } from '../../../e2e/support/market.ts'
import { signInAtStorefront, type Visit, visit as visitAt } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
let origin: string
beforeAll(() => {
  origin = market.server.url
})

const visit = (path: string, how: Visit = {}) => visitAt(origin, path, how)

describe('storefront session', () => {
  it('the session token rotates every hour', async () => {
    const { cookie } = await signInAtStorefront(origin, freshWallet())
    const first = await visit('/web/v1/session', { cookie })
    expect(first.headers.get('set-cookie')).toBeNull()
    await market.sql`update sessions set issued_at = now() - interval '61 minutes' where surface = 'web'`
    const renewed = await visit('/web/v1/session', { cookie })
    const next = renewed.headers.get('set-cookie')!.split(';')[0]!
    expect(next).toMatch(/^ordbook_session=/)
    expect(next).not.toBe(cookie)
    expect((await visit('/web/v1/session', { cookie: next })).status).toBe(200)
    // Concurrent requests with the old token succeed and get no third token.
    const late = await visit('/web/v1/session', { cookie })
    expect([late.status, late.headers.get('set-cookie')]).toEqual([200, null])
    await market.sql`update sessions set expires_at = expires_at - interval '61 seconds' where expires_at < now() + interval '1 hour'`
    expect((await visit('/web/v1/session', { cookie })).status).toBe(401)
    await market.sql`update sessions set issued_at = now() - interval '2 hours', began_at = now() - interval '8 days'`
    expect((await visit('/web/v1/session', { cookie: next })).headers.get('set-cookie')).toBeNull()
  })
})
