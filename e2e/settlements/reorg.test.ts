import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../support/market.ts'

const market = setUpMarket()

const index = async () => ({
  inscriptions: [...(await market.sql`select * from inscriptions order by sequence`)],
  moves: [...(await market.sql`select * from coin_moves order by height, position`)],
  blocks: [...(await market.sql`select * from blocks order by height`)],
  sales: [...(await market.sql`select txid, inscription_id, price_sats, height from sales order by sale_id`)],
  coins: [
    ...(await market.sql`select txid, vout, value_sats, height, spent_height from market_coins order by txid, vout`),
  ],
  sats: [...(await market.sql`select outpoint, body from sat_coins order by outpoint`)],
  rare: [...(await market.sql`select * from rare_sats order by born_height`)],
  keys: [...(await market.sql`select inscription_id, sort_key from collection_items order by 1, 2`)],
})

it('restores the same state after a reorg', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 80_000)
  const beforeSale = await index()
  const bought = await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  const [block] = await market.regtest.mine()
  await market.server.sync()
  const afterSale = await index()
  expect(afterSale.sales).toHaveLength(1)

  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect(await index()).toEqual(beforeSale)
  // The settlement is in the mempool again, so the listing is hidden.
  expect(await market.regtest.call('getrawmempool')).toContain(bought.settlementTxid)
  const item = async () =>
    (await buyer.client.call('listCollectionInscriptions', { params: { slug } })).items.find(
      (each) => each.inscriptionId === ids[0],
    )!
  expect(await item()).toMatchObject({
    listingState: 'hidden_locked',
    owner: seller.wallet.ordinalsAddress,
    lastSale: null,
  })

  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect(await index()).toEqual(afterSale)
  expect(await item()).toMatchObject({
    listingState: null,
    owner: buyer.wallet.ordinalsAddress,
    lastSale: 0.0008,
  })

  // Disconnect the inscriptions as well, and mine another branch. The collection still lists them.
  const inscriptionBlock = await market.regtest.call<string>(
    'getblockhash',
    Number(afterSale.inscriptions[0]!.height),
  )
  await market.regtest.call('invalidateblock', inscriptionBlock)
  await market.regtest.mineExactly([])
  await market.server.sync()
  expect((await index()).inscriptions).toEqual([])
  expect(await item()).toMatchObject({ locationSatpoint: null, owner: null, inscription: 0 })
  await market.regtest.call('reconsiderblock', inscriptionBlock)
  await market.server.sync()
  expect((await index()).inscriptions).toEqual(afterSale.inscriptions)
})
