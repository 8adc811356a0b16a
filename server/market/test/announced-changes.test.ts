import { offer } from '@ordbook/sdk/index.ts'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { listAll, setUpMarket, setUpTrader, until } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'
import { visit } from '../../../e2e/support/storefront.ts'

/** Cached pages about wallets, holdings and offers change immediately. Without its trigger, each change is missed. */
const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
let id: string
let other: string
beforeAll(async () => {
  const collection = await market.collection(seller.wallet, 2)
  id = collection.ids[0]!
  await offer(buyer, collection.slug, await offering(market, buyer, [id], 100_000))
  await listAll(market, seller, collection.slug, [collection.ids[1]!], 200_000)
  const inscription = { contentType: 'text/plain', body: new TextEncoder().encode('of no collection') }
  const owner = seller.wallet.ordinalsScript
  other = (await market.regtest.inscribe([{ inscription, owner, postageSats: 10_000 }]))[0]!
  await market.server.sync()
})

beforeEach(async () => {
  await market.sql`update offers set executable = true`
  await market.sql`update listings set state = 'buyable'`
  await market.sql`update wallet_bindings set ordinals_script = substring(ordinals_script for 34)`
})

const holdings = async () => {
  const { body } = await visit(market.server.url, `/web/v1/holdings/${seller.wallet.ordinalsAddress}`)
  return body.holdings
}
const sent = () => buyer.client.call('listMyOffers', { query: { view: 'sent' } })
const history = () => buyer.client.call('listMyOffers', { query: { view: 'history' } })
const live = () => buyer.client.call('listInscriptionOffers', { params: { id } })
const past = () => buyer.client.call('listInscriptionOfferHistory', { params: { id } })

const another = `
  insert into offers select (jsonb_populate_record(o, jsonb_build_object('offer_id', gen_random_uuid(), 'recovery_handle', null,
    'settlement_txid', encode(sha256(gen_random_uuid()::text::bytea), 'hex')))).* from offers o limit 1`
const executable = 'update offers set executable = false'
const binding = `update wallet_bindings set ordinals_script = ordinals_script || '\\x00'::bytea`

it.each([
  ['offers', 'offers_announced', () => another, sent],
  ['offers', 'offers_announced', () => another, live],
  ['offers', 'offers_announced', () => another, past],
  ['offers', 'offers_changed', () => executable, sent],
  ['offers', 'offers_changed', () => executable, live],
  ['offers', 'offers_changed', () => executable, past],
  [
    'offer_events',
    'offer_events_announced',
    () => `insert into offer_events (offer_id, event_type, buyer_script, seller_script, occurred_at)
      select offer_id, event_type, buyer_script, seller_script, now() from offer_events limit 1`,
    history,
  ],
  ['wallet_bindings', 'wallet_bindings_announced', () => binding, sent],
  [
    'inscribed_sats',
    'inscribed_sats_announced',
    () => 'update inscribed_sats set output_value_sats = output_value_sats + 1',
    holdings,
  ],
  [
    'inscription_rows',
    'inscription_rows_announced',
    (round: string) =>
      `update inscription_rows set content_type = 'text/${round}' where inscription_id = '${other}'`,
    holdings,
  ],
  [
    'listings',
    'listings_announced',
    (round: string) => `update listings set state = '${round === 'a' ? 'hidden_locked' : 'pending_public'}'`,
    holdings,
  ],
] as const)('announces changes of %s: %s (%#)', async (table, trigger, change, read) => {
  // Renders the listings.
  await seller.client.call('listListings', { query: {} })
  const before = await read()
  expect(await read()).toEqual(before)
  await market.sql.unsafe(`alter table ${table} disable trigger ${trigger}`)
  await market.sql.unsafe(change('a'))
  const missed = await read()
  await market.sql.unsafe(`alter table ${table} enable trigger ${trigger}`)
  await market.sql.unsafe(change('b'))
  const after = await read()
  expect(missed).toEqual(before)
  expect(after).not.toEqual(before)
})

it('keeps a page whose offers are rendered', async () => {
  await market.sql`update offers set rendered_row = null, rendered_version = rendered_version + 1`
  await live()
  const [row] = await market.sql<
    { count: number }[]
  >`select count(*) as count from offers where rendered_row is null`
  expect(row!.count).toBe(0)
  await market.sql`alter table offers disable trigger offers_changed`
  const before = await live()
  await market.sql`update offers set executable = not executable`
  expect(await live()).toEqual(before)
  await market.sql`alter table offers enable trigger offers_changed`
})

it('drops pages when an offer expires', async () => {
  const topOffers = async () =>
    (await holdings()).map((holding: { topOfferSats: number | null }) => holding.topOfferSats)
  const counts = async () => [
    (await seller.client.call('listMyOffers', { query: { view: 'owned' } })).ownedCount,
    (await seller.client.call('listInscriptionOffers', { params: { id } })).liveOfferCount,
    (await topOffers()).some((sats: number | null) => sats !== null),
  ]
  await market.sql`update offers set executable = true, expires_at = now() + interval '3 seconds'`
  // Without the announcement of the jobs.
  await market.sql`alter table offers disable trigger offers_changed`
  await market.sql`alter table offer_events disable trigger offer_events_announced`
  expect(await counts()).toEqual([1, expect.any(Number), true])
  await until('offers that expire', async () => (await counts()).every((each) => !each) || null)
})
