import { randomUUID } from 'node:crypto'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { deleteOldCalls } from '@ordbook/http/operations/idempotency-queries.ts'
import { beforeAll, expect, it } from 'vitest'
import {
  freshWallet,
  listAll,
  setUpMarket,
  setUpTrader,
  type TestTrader,
} from '../../../e2e/support/market.ts'

/** Writes with an `Idempotency-Key`. */
const market = setUpMarket()
const seller = setUpTrader(market)
const other = setUpTrader(market)
let slug: string
let ids: string[]
beforeAll(async () => {
  ;({ slug, ids } = await market.collection(seller.wallet, 4))
})

async function write(trader: TestTrader, path: string, body: unknown, key?: string) {
  const response = await fetch(`${market.base}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(trader.client.token ? { authorization: `Bearer ${trader.client.token}` } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text,
    ...JSON.parse(text),
  }
}

const listingOf = (inscriptionId: string, priceSats = 50_000, { wallet, walletBindingId } = seller) => ({
  walletBindingId,
  ordinalsPublicKey: wallet.ordinalsPublicKey,
  items: [{ inscriptionId, priceSats }],
})
const preflight = (inscriptionId: string, key?: string, priceSats?: number) =>
  write(seller, `/collection/${slug}/listings/preflight`, listingOf(inscriptionId, priceSats), key)

const storedCallsOf = (trader: TestTrader) => market.sql<{ status: number | null; bytes: number | null }[]>`
  select status, octet_length(body) as bytes from idempotency_keys k join wallet_bindings b using (profile_id)
  where b.wallet_binding_id = ${trader.walletBindingId} order by k.began_at desc`

it('a repeated write returns the original response', async () => {
  const key = randomUUID()
  const first = await preflight(ids[0]!, key)
  expect(first.status).toBe(200)
  expect(await preflight(ids[0]!, key)).toEqual(first)
  // A call with another key reserves other anchors.
  expect((await preflight(ids[0]!, randomUUID())).text).not.toBe(first.text)
})

it('a key cannot be reused for another request', async () => {
  const key = randomUUID()
  expect((await preflight(ids[0]!, key)).status).toBe(200)
  const reused = { status: 409, code: 'idempotency-key-reused', retryable: false }
  expect(await preflight(ids[0]!, key, 60_000)).toMatchObject(reused)
  expect(
    await write(
      seller,
      `/collection/${slug}/listings/delist`,
      {
        walletBindingId: seller.walletBindingId,
        listings: [{ listingId: randomUUID(), inscriptionId: ids[0]! }],
      },
      key,
    ),
  ).toMatchObject(reused)
  // The same request by another profile, which is not allowed to list the item.
  const asOther = () =>
    write(other, `/collection/${slug}/listings/preflight`, listingOf(ids[0]!, 50_000, seller), key)
  const rejected = await asOther()
  expect(rejected.status).toBe(403)
  expect(await asOther()).toEqual(rejected)
})

it('concurrent requests with one key run once', async () => {
  const key = randomUUID()
  const all = await Promise.all(Array.from({ length: 8 }, () => preflight(ids[1]!, key)))
  const done = all.filter(({ status }) => status === 200)
  expect(done.length).toBeGreaterThan(0)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  for (const response of all)
    if (response.status !== 200)
      expect(response).toMatchObject({
        status: 409,
        code: 'idempotent-call-running',
        retryable: true,
        retryAfter: expect.stringMatching(/^[1-9]\d?$/),
      })
  expect(await preflight(ids[1]!, key)).toEqual(done[0])
})

it('retryable errors are not stored', async () => {
  const unknown = {
    walletBindingId: seller.walletBindingId,
    listings: [{ listingId: randomUUID(), inscriptionId: ids[0]! }],
  }
  const key = randomUUID()
  const rejected = await write(seller, `/collection/${slug}/listings/delist`, unknown, key)
  expect(rejected).toMatchObject({ status: 404, code: 'listing-unknown' })
  expect(await write(seller, `/collection/${slug}/listings/delist`, unknown, key)).toEqual(rejected)

  const { context } = market.server
  const later = randomUUID()
  const before = (await storedCallsOf(seller)).length
  const { takerOf } = context.funding
  context.funding.takerOf = async () => {
    throw unavailable('node-unavailable', 'unavailable in this test')
  }
  try {
    expect((await preflight(ids[2]!, later)).status).toBe(503)
  } finally {
    context.funding.takerOf = takerOf
  }
  expect(await storedCallsOf(seller)).toHaveLength(before)
  expect((await preflight(ids[2]!, later)).status).toBe(200)
})

/** Simulates a server that died before it stored the response of the latest call. */
const dropLatestResponse = () => market.sql`
  update idempotency_keys set status = null, body = null where began_at = (select max(began_at) from idempotency_keys)`

it("a call is retried after the server's lease expires", async () => {
  const key = randomUUID()
  const first = await preflight(ids[3]!, key)
  await dropLatestResponse()
  const blocked = await preflight(ids[3]!, key)
  expect(blocked).toMatchObject({ status: 409, code: 'idempotent-call-running' })
  expect(Number(blocked.retryAfter)).toBeLessThanOrEqual(market.server.context.config.requestSeconds + 10)
  expect(await preflight(ids[3]!, key, 60_000)).toMatchObject({ code: 'idempotency-key-reused' })
  await market.sql`
    update idempotency_keys set began_at = began_at - interval '10 minutes' where body is null`
  const retried = await preflight(ids[3]!, key)
  expect(retried.status).toBe(200)
  expect(retried.text).not.toBe(first.text)
  expect(await preflight(ids[3]!, key)).toEqual(retried)
})

it('a retry succeeds if the response was not stored', async () => {
  const collection = await market.collection(seller.wallet, 1)
  const listed = await listAll(market, seller, collection.slug, collection.ids, 50_000)
  const listings = [{ inscriptionId: collection.ids[0]!, listingId: listed.get(collection.ids[0]!)! }]
  const key = randomUUID()
  const delist = () =>
    write(
      seller,
      `/collection/${collection.slug}/listings/delist`,
      { walletBindingId: seller.walletBindingId, listings },
      key,
    )
  const delisted = await delist()
  expect(delisted).toMatchObject({ status: 200, listings })
  await dropLatestResponse()
  await market.sql`update idempotency_keys set began_at = began_at - interval '10 minutes' where body is null`
  expect(await delist()).toEqual(delisted)
})

it('deleteOldCalls limits all stored responses', async () => {
  for (let i = 0; i < 4; i++) await preflight(ids[0]!, randomUUID())
  const oldest = new Date(0)
  const bytes = async () => (await storedCallsOf(seller)).map((call) => call.bytes!)
  await deleteOldCalls(market.sql, oldest, 5000, { calls: 3, bytes: 10_000_000 })
  const newest = await bytes()
  expect(newest).toHaveLength(3)
  await deleteOldCalls(market.sql, oldest, 5000, { calls: 3, bytes: newest[0]! + newest[1]! })
  expect(await bytes()).toEqual(newest.slice(0, 2))
})

it('a key expires after a day', async () => {
  const key = randomUUID()
  const first = await preflight(ids[0]!, key)
  await market.sql`update idempotency_keys set began_at = began_at - interval '25 hours'`
  expect((await preflight(ids[0]!, key, 70_000)).status).toBe(200)
  expect((await preflight(ids[0]!, key)).text).not.toBe(first.text)
})

it('stored responses are limited per profile', async () => {
  const [{ profileId }] = (await market.sql<{ profileId: string }[]>`
    select profile_id from wallet_bindings where wallet_binding_id = ${seller.walletBindingId}`) as [
    { profileId: string },
  ]
  const fillWith = (rows: number, bytes: number) => market.sql`
    insert into idempotency_keys (profile_id, key_sha256, request_sha256, claim_id, began_at, status, body)
    select ${profileId}, sha256(convert_to(gen_random_uuid()::text, 'UTF8')), sha256('x'), gen_random_uuid(), now(), 200,
      convert_to(repeat('x', ${bytes}), 'UTF8') from generate_series(1, ${rows})`
  await fillWith(500, 10)
  const key = randomUUID()
  const response = await preflight(ids[0]!, key)
  expect((await storedCallsOf(seller)).length).toBeLessThanOrEqual(200)
  await fillWith(100, 100_000)
  await preflight(ids[1]!, randomUUID())
  expect((await storedCallsOf(seller)).reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).toBeLessThanOrEqual(
    2_000_000,
  )
  expect(response.status).toBe(200)
})

it('sign-in responses are not stored', async () => {
  const count = async () =>
    (await market.sql<{ calls: number }[]>`select count(*) as calls from idempotency_keys`)[0]!.calls
  const before = await count()
  const key = `secret-${randomUUID()}`
  const { ordinalsAddress, paymentAddress } = freshWallet()
  const nobody = { ...other, client: { token: null } } as unknown as TestTrader
  const challenge = await write(nobody, '/auth/challenge', { ordinalsAddress, paymentAddress }, key)
  expect(challenge.status).toBe(200)
  expect(await count()).toBe(before)
  await preflight(ids[0]!, key)
  const [row] = await market.sql<{ text: string }[]>`
    select string_agg(k::text, ' ') || string_agg(encode(body, 'escape'), ' ') as text from idempotency_keys k`
  expect(row!.text).not.toContain(key)
  expect(row!.text).not.toContain(Buffer.from(key).toString('hex'))
})

it.each(['', 'a b', 'ä', 'x'.repeat(256)])('the Idempotency-Key %j is rejected', async (key) => {
  const response = await preflight(ids[0]!, key).catch(() => null)
  // The HTTP client itself rejects some of these keys.
  if (response) expect(response).toMatchObject({ status: 400, code: 'request-invalid' })
})
