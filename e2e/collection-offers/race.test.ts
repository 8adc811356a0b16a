import { bid, prepareBid } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { setUpMarket, startTogether } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'

const market = setUpMarket({})

it('stores 200 of 201 collection offers if the last two are submitted at once', async () => {
  const [seller, maker] = [await market.trader(), await market.trader()]
  const { slug } = await market.collection(seller.wallet, 1)
  const coins = await coinsOf(market, maker)
  const agreement = { target: { kind: 'all' as const }, priceSats: 20_000, coins }
  const { offerId } = (await bid(maker, slug, agreement)).offers[0]!
  await market.sql`
    insert into collection_offers select (jsonb_populate_record(o, jsonb_build_object('offer_id', gen_random_uuid(),
      'funding_txid', n, 'secret_hash', n))).*
    from collection_offers o cross join generate_series(1, 198) as n where offer_id = ${offerId}`
  const calls = []
  for (const coin of coins) {
    const { body } = await prepareBid(maker, slug, { ...agreement, priceSats: 30_000, coins: [coin] })
    calls.push(() => maker.client.call('submitCollectionWideOffer', { params: { slug }, body }))
  }
  expect(calls).toHaveLength(2)
  // Without its coins, the first offer is not replaced.
  await market.sql`delete from backing_coins where offer_id = ${offerId}`
  const answers = await startTogether(
    market,
    (tx) => tx`
      select 1 from wallet_bindings b join profiles p using (profile_id)
      where b.wallet_binding_id = ${maker.walletBindingId} for update`,
    calls,
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { status: 409, code: 'too-many-orders' },
  })
})
