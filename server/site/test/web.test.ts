import { randomBytes } from 'node:crypto'
import { buy } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  agreementFor,
  freshWallet,
  listAll,
  setUpMarket,
  type TestTrader,
  until,
} from '../../../e2e/support/market.ts'
import { signInAtStorefront, type Visit, visit as visitAt } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
let origin: string
let reader: TestTrader
beforeAll(async () => {
  origin = market.server.url
  reader = await market.trader()
})

const visit = (path: string, how?: Visit) => visitAt(origin, path, how)

/** Signs a wallet in at the storefront. Returns the cookie and the binding. */
async function enterWeb(wallet = freshWallet()) {
  return { wallet, ...(await signInAtStorefront(origin, wallet)) }
}

describe('storefront session', () => {
  it('the session cookie is HttpOnly', async () => {
    const { opened, cookie, wallet } = await enterWeb()
    expect(opened.status).toBe(200)
    expect(opened.headers.get('set-cookie')).toMatch(
      /^ordbook_session=[\w-]{43}; .*Path=\/; .*HttpOnly; SameSite=Strict/,
    )
    expect(JSON.stringify(opened.body)).not.toContain(cookie.split('=')[1])
    expect(opened.headers.get('access-control-allow-origin')).toBeNull()
    const me = await visit('/web/v1/session', { cookie })
    expect(me.body.walletBindings[0].ordinalsAddress).toBe(wallet.ordinalsAddress)
    expect(me.headers.get('cache-control')).toBe('private, no-store')
  })

  it('the API rejects the session cookie', async () => {
    const { cookie } = await enterWeb()
    const token = cookie.split('=')[1]!
    const asBearer = await visit('/api/v1/me', { headers: { authorization: `Bearer ${token}` } })
    expect(asBearer.status).toBe(401)
    expect((await visit('/api/v1/me', { cookie })).status).toBe(401)
    const bearer = reader.client.token!
    expect((await visit('/web/v1/session', { headers: { authorization: `Bearer ${bearer}` } })).status).toBe(
      401,
    )
    expect((await visit('/web/v1/session', { cookie: `ordbook_session=${bearer}` })).status).toBe(401)
  })

  it('a challenge is valid for one API', async () => {
    const wallet = freshWallet()
    const { ordinalsAddress, paymentAddress } = wallet
    const { body, opened } = await enterWeb(wallet)
    expect(opened.status).toBe(200)
    // The challenge is used up here, and unknown to the other API.
    expect((await visit('/web/v1/session', { body })).status).toBe(409)
    const begun = await visit('/api/v1/auth/challenge', { body: { ordinalsAddress, paymentAddress } })
    const challenge = begun.body.challenges[0]
    const signature = await wallet.signMessage(challenge.address, challenge.message)
    const verifications = [{ challengeId: challenge.challengeId, address: challenge.address, signature }]
    const crossed = { authRequestId: begun.body.authRequestId, verifications }
    expect((await visit('/web/v1/session', { body: crossed })).status).toBe(404)
  })

  it('writes from other sites are rejected', async () => {
    const { cookie } = await enterWeb()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: origin.replace(/:\d+$/, ':1') },
    ])
      expect((await visit('/web/v1/session/end', { method: 'POST', cookie, headers })).status).toBe(403)
    const bare = await fetch(`${origin}/web/v1/session/end`, { method: 'POST', headers: { cookie } })
    expect(bare.status).toBe(403)
    expect(await bare.json()).toMatchObject({ error: expect.stringContaining(`Origin: ${origin}`) })
    // A form of another site cannot send JSON.
    const form = await fetch(`${origin}/web/v1/proposals`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'visibility=public',
    })
    expect(form.status).toBe(400)
    expect((await visit('/web/v1/session', { cookie })).status).toBe(200)
  })

  it('signing out ends the session', async () => {
    const { cookie } = await enterWeb()
    const ended = await visit('/web/v1/session/end', { method: 'POST', cookie })
    expect(ended.body).toEqual({ ended: true })
    expect(ended.headers.get('set-cookie')).toMatch(/^ordbook_session=; .*Expires=Thu, 01 Jan 1970/)
    expect((await visit('/web/v1/session', { cookie })).status).toBe(401)
  })
})

describe('proposals', () => {
  const feed = async (query: { collectionSlug?: string } = {}) =>
    (await reader.client.call('listTradeProposals', { query: { limit: 100, ...query } })).proposals
  const isInFeed = async (id: string) => (await feed()).some((each) => each.id === id)

  async function setUp() {
    const trader = await market.trader()
    const { cookie, opened } = await enterWeb(trader.wallet)
    const { walletBindingId } = opened.body.walletBindings[0]
    const collection = await market.collection(trader.wallet, 3)
    const other = await market.collection((await market.trader()).wallet, 2)
    const request = {
      walletBindingId,
      visibility: 'public',
      offeredInscriptionIds: [collection.ids[0]],
      offeredBtcSats: 5000,
      wantedLegs: [
        { collectionSlug: other.slug, quantity: 2, target: { kind: 'all' } },
        {
          collectionSlug: other.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: [other.ids[1]] },
        },
      ],
      requestedBtcSats: 0,
      validityHours: 24,
      paymentPublicKey: trader.wallet.paymentPublicKey,
      spendableUtxos: (await market.regtest.coinsOf(trader.wallet.paymentScript)).map(
        ({ txid, vout, valueSats }) => ({ txid, vout, valueSats }),
      ),
    }
    const propose = (changes: object = {}) =>
      visit('/web/v1/proposals', { cookie, body: { ...request, ...changes } })
    return { trader, cookie, own: collection, other, propose }
  }

  it('a public proposal appears in the feed', async () => {
    const { cookie, own, other, propose, trader } = await setUp()
    const made = await propose()
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      creatorAddress: trader.wallet.ordinalsAddress,
      state: 'active',
      available: true,
      visibility: 'public',
      offeredItems: [{ inscriptionId: own.ids[0], collection: { slug: own.slug } }],
      wantedLegs: [{ quantity: 2 }, { specificItems: [{ inscriptionId: other.ids[1] }] }],
    })
    expect(Date.parse(made.body.expiresAt) - Date.parse(made.body.createdAt)).toBe(24 * 3_600_000)
    const { id } = made.body
    for (const collectionSlug of [own.slug, other.slug])
      expect((await feed({ collectionSlug })).map((each) => each.id)).toEqual([id])
    const hidden = await propose({ visibility: 'private', offeredInscriptionIds: [own.ids[1]] })
    expect(hidden.status).toBe(200)
    expect(await isInFeed(hidden.body.id)).toBe(false)
    const mine = await visit('/web/v1/proposals?limit=1', { cookie })
    expect(mine.body.proposals.map((proposal: { id: string }) => proposal.id)).toEqual([hidden.body.id])
    const next = await visit(
      `/web/v1/proposals?limit=1&cursor=${encodeURIComponent(mine.body.pagination.nextCursor)}`,
      { cookie },
    )
    expect(next.body.proposals.map((proposal: { id: string }) => proposal.id)).toEqual([id])
    expect(next.body.pagination).toMatchObject({ hasNext: false, nextCursor: null })

    // Another wallet can neither see nor cancel it.
    const stranger = await enterWeb()
    const cancel = (who: string, proposalId = id) =>
      visit(`/web/v1/proposals/${proposalId}/cancel`, { method: 'POST', cookie: who })
    expect((await cancel(stranger.cookie)).status).toBe(404)
    expect((await cancel(cookie)).body).toMatchObject({ id, state: 'cancelled' })
    expect((await cancel(cookie)).status).toBe(200)
    expect(await isInFeed(id)).toBe(false)
  })

  it('a proposal can request at most 50 items', async () => {
    const { own, other, propose } = await setUp()
    const wants = (slug: string, quantity: number) => ({
      collectionSlug: slug,
      quantity,
      target: { kind: 'all' },
    })
    const response = await propose({ wantedLegs: [wants(other.slug, 50), wants(own.slug, 1)] })
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ code: 'proposal-too-large' })
    expect(response.body.error).toContain('at most 50 inscriptions, but this one needs 51')
  })

  it('a proposal can name at most 250 candidates', async () => {
    const { other, propose } = await setUp()
    const legs = (count: number, target: object) =>
      Array.from({ length: count }, () => ({ collectionSlug: other.slug, quantity: 1, target }))
    const namedItems = {
      kind: 'inscriptions',
      inscriptionIds: Array.from({ length: 7 }, (_, n) => `${'ab'.repeat(32)}i${n}`),
    }
    const tooMany = await propose({ wantedLegs: legs(36, namedItems) })
    expect(tooMany.status).toBe(400)
    expect(tooMany.body).toMatchObject({ code: 'proposal-too-large' })
    expect(tooMany.body.error).toContain('inscription ids, got 252')
    const traits = [{ type: 'Hat', values: ['a', 'b'].map((each) => each.repeat(500)) }]
    const tooLong = await propose({ wantedLegs: legs(4, { kind: 'traits', traits }) })
    expect(tooLong.status).toBe(400)
    expect(tooLong.body).toMatchObject({ code: 'traits-too-long' })
    expect(tooLong.body.error).toContain('4000 bytes in total, got 4012')
  })

  it('estimates follow the current floors', async () => {
    const { own, propose, trader } = await setUp()
    const { id } = (await propose()).body
    const values = async () => {
      const found = (await feed({ collectionSlug: own.slug })).find((each) => each.id === id)!
      return [
        found.estimatedOfferedValueSats,
        found.estimatedRequestedValueSats,
        ...found.wantedLegs.map((leg) => leg.estimatedUnitValueSats),
      ]
    }
    expect(await values()).toEqual([5000, 0, null, null])
    await listAll(market, trader, own.slug, [own.ids[1]!], 30_000)
    expect(await values()).toEqual([35_000, 0, null, null])
    // Values are capped at the total supply.
    const all = 2_100_000_000_000_000
    const dear = await propose({
      offeredInscriptionIds: [own.ids[2]],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: own.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: all,
    })
    expect(dear.body).toMatchObject({ requestedBtcSats: all, estimatedRequestedValueSats: all })
  })

  it('a proposal is unavailable after its item is sold', async () => {
    const { own, propose, trader, cookie } = await setUp()
    const { id } = (await propose()).body
    const listed = await listAll(market, trader, own.slug, [own.ids[0]!], 20_000)
    // An item may be offered and listed: the first trade ends the other.
    expect(await isInFeed(id)).toBe(true)
    const buyer = await market.trader()
    await buy(buyer, own.slug, await agreementFor(market, buyer, [own.ids[0]!]))
    expect(listed.size).toBe(1)
    expect(await isInFeed(id)).toBe(false)
    const state = async () =>
      (await visit('/web/v1/proposals', { cookie })).body.proposals.find(
        (proposal: { id: string }) => proposal.id === id,
      )
    expect(await state()).toMatchObject({ state: 'active', available: false })
    // The inscription cannot be offered again during the purchase or after it.
    expect((await propose()).status).toBe(409)
    await market.mine()
    expect((await propose()).status).toBe(403)
    expect(await isInFeed(id)).toBe(false)
    // A reorg removes the block. The creator owns the item again, but the purchase is still open.
    const tip = await market.regtest.call<string>('getbestblockhash')
    await market.regtest.call('invalidateblock', tip)
    await market.server.sync()
    expect(await isInFeed(id)).toBe(false)
    await market.mine()
  })

  it('an expired proposal cannot be cancelled', async () => {
    const { propose, cookie } = await setUp()
    const { id } = (await propose({ validityHours: 6 })).body
    await market.sql`update proposals set expires_at = now() where proposal_id = ${id}`
    expect(await isInFeed(id)).toBe(false)
    await until('expiry', async () => {
      const [row] = await market.sql<
        { state: string }[]
      >`select state from proposals where proposal_id = ${id}`
      return row!.state === 'expired'
    })
    const cancel = await visit(`/web/v1/proposals/${id}/cancel`, { method: 'POST', cookie })
    expect(cancel.status).toBe(409)
  })

  it('invalid proposals are rejected', async () => {
    const { own, other, propose, cookie } = await setUp()
    const unknownId = `${randomBytes(32).toString('hex')}i0`
    const leg = (changes: object) => ({
      wantedLegs: [{ collectionSlug: other.slug, quantity: 1, target: { kind: 'all' }, ...changes }],
    })
    const cases: [number, object][] = [
      [400, { offeredInscriptionIds: [], offeredBtcSats: 0 }],
      [400, { wantedLegs: [], requestedBtcSats: 0 }],
      [400, { offeredInscriptionIds: [], wantedLegs: [], offeredBtcSats: 0, requestedBtcSats: 10 }],
      [400, { requestedBtcSats: 10 }],
      [400, { offeredInscriptionIds: [own.ids[0], own.ids[0]] }],
      [400, { offeredInscriptionIds: Array.from({ length: 51 }, (_, n) => `${unknownId.slice(0, -1)}${n}`) }],
      [400, { paymentPublicKey: undefined }],
      [400, { spendableUtxos: undefined }],
      [400, { spendableUtxos: [] }],
      [400, { offeredBtcSats: 2_100_000_000_000_000 }],
      [400, { offeredBtcSats: 0, requestedBtcSats: 545 }],
      [400, { offeredBtcSats: 1.5 }],
      [400, { offeredBtcSats: -1 }],
      [400, { validityHours: 7 }],
      [400, { visibility: 'secret' }],
      [400, { surprise: true }],
      [400, leg({ quantity: 3 })],
      [400, leg({ quantity: 51 })],
      [400, leg({ target: { kind: 'inscriptions', inscriptionIds: [own.ids[0]] } })],
      [400, leg({ target: { kind: 'traits', traits: [{ type: 'Hat', values: ['None such'] }] } })],
      [400, leg({ target: { kind: 'traits', traits: [] } })],
      [403, { walletBindingId: reader.walletBindingId }],
      [403, { offeredInscriptionIds: [other.ids[0]] }],
      [404, { offeredInscriptionIds: [unknownId] }],
      [404, leg({ collectionSlug: 'unknown' })],
    ]
    for (const [status, changes] of cases) {
      const answer = await propose(changes)
      expect(answer.status, JSON.stringify(changes)).toBe(status)
      expect(answer.body, JSON.stringify(changes)).toMatchObject({ error: expect.any(String) })
    }
    expect((await visit('/web/v1/proposals', { cookie })).body.proposals).toEqual([])
    expect((await visit('/web/v1/proposals')).status).toBe(401)
    expect((await visit('/web/v1/proposals/nonsense/cancel', { method: 'POST', cookie })).status).toBe(400)
    expect((await visit('/web/v1/nowhere', { cookie })).status).toBe(404)
    expect((await visit('/web/v1/session/end', { cookie })).status).toBe(405)
  })
})
