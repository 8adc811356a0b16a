import { randomUUID } from 'node:crypto'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { Rpc } from '@ordbook/indexer/node/rpc.ts'
import { moveListing } from '@ordbook/market/listings/lifecycle.ts'
import { lockLiveListing } from '@ordbook/market/listings/queries.ts'
import { resumeSettlements } from '@ordbook/market/settlements/broadcast.ts'
import { ApiError, buy, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket, startTogether } from '../support/market.ts'

const ROUNDS = sampled(15, 100, 2)

const market = setUpMarket({ ANCHOR_POOL: '500' })

it(`settles one of two concurrent purchases, ${ROUNDS} times`, async () => {
  const seller = await market.trader()
  const buyers = [await market.trader('p2wpkh', 200_000_000), await market.trader('p2tr', 200_000_000)]
  await market.anchors(ROUNDS * 2 + 10)
  const { slug, ids } = await market.collection(seller.wallet, ROUNDS)
  await listAll(market, seller, slug, ids, 20_000)
  const wins = [0, 0]
  for (const id of ids) {
    const prepared = []
    for (const buyer of buyers)
      prepared.push(await preparePurchase(buyer, slug, await agreementFor(market, buyer, [id])))
    const answers = await Promise.allSettled(
      prepared.map(({ body }, i) => buyers[i]!.client.call('submitPurchase', { params: { slug }, body })),
    )
    const won = answers.findIndex((answer) => answer.status === 'fulfilled')
    const lost = answers[1 - won]!
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1)
    expect(lost.status === 'rejected' && lost.reason).toBeInstanceOf(ApiError)
    expect(lost.status === 'rejected' && lost.reason.status).toBe(409)
    wins[won]!++
    await market.mine()
    const { locationTxid, owner } = (
      await buyers[0]!.client.call('listCollectionInscriptions', { params: { slug }, query: { limit: 100 } })
    ).items.find((item) => item.inscriptionId === id)!
    expect(locationTxid).toBe(prepared[won]!.answer.expectedSettlementTxid)
    expect(owner).toBe(buyers[won]!.wallet.ordinalsAddress)
    const coin = await market.coinOf(id)
    expect(await market.regtest.call('gettxout', coin.txid, coin.vout)).not.toBeNull()
  }
  console.log(`${market.node.kind}: first buyer won ${wins[0]}, second ${wins[1]}`)
  const [row] = await market.sql<{ live: number }[]>`
    select count(*) as live from settlements where state in ('intended', 'broadcast')`
  expect(row!.live).toBe(0)
})

it('sells a listing once while its row is locked', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 20_000)).get(ids[0]!)!
  const calls = []
  for (const buyer of [await market.trader(), await market.trader()]) {
    const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
    calls.push(() => buyer.client.call('submitPurchase', { params: { slug }, body }))
  }
  const answers = await startTogether(
    market,
    (tx) => tx`select 1 from listings where listing_id = ${listingId} for update`,
    calls,
  )
  expect(answers.map((answer) => answer.status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const lost = answers.find((answer) => answer.status === 'rejected')
  expect(lost?.reason).toMatchObject({ status: 409, code: 'listing-not-buyable' })
  await market.mine()
})

it('does not sell a listing that a block invalidates during the submit', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 20_000)).get(ids[0]!)!
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const [answer] = await startTogether(
    market,
    (tx) => moveListing(tx, listingId, 'invalidated', { reason: 'a test', now: new Date() }),
    [() => buyer.client.call('submitPurchase', { params: { slug }, body })],
  )
  expect(answer).toMatchObject({ reason: { status: 409, code: 'listing-not-buyable' } })
})

it('locks the listing that replaces the one it waited for', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 20_000)).get(ids[0]!)!
  const newer = randomUUID()
  const [locked] = await startTogether(
    market,
    async (tx) => {
      await moveListing(tx, listingId, 'replaced', { reason: 'a test', now: new Date() })
      await tx`
        insert into listings select (jsonb_populate_record(l, jsonb_build_object('listing_id', ${newer}::text,
          'anchor_utxo_id', ${randomUUID()}::text, 'recovery_handle', ${randomUUID()}::text, 'state', 'buyable',
          'ended_at', null))).* from listings l where listing_id = ${listingId}`
    },
    [() => inTransaction(market.server.context.sql, (tx) => lockLiveListing(tx, ids[0]!))],
  )
  expect(locked).toMatchObject({ value: { listingId: newer } })
})

it('returns the same response to concurrent submits', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 20_000)).get(ids[0]!)!
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const submit = () => buyer.client.call('submitPurchase', { params: { slug }, body })
  const [first, second] = await startTogether(
    market,
    (tx) => tx`select 1 from listings where listing_id = ${listingId} for update`,
    [submit, submit],
  )
  expect(first!.status).toBe('fulfilled')
  expect(second).toEqual(first)
  await market.mine()
})

it('reports a sale if the package confirms during the check', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  await market.anchors(10)
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 20_000)
  const { node } = market.server.context
  // Another process broadcasts the package and a miner confirms it, at two moments of the broadcast.
  for (const [moment, id] of [
    ['testPackage', ids[0]!],
    ['submitPackage', ids[1]!],
  ] as const) {
    const original = node[moment]
    node[moment] = async (hexes) => {
      node[moment] = original
      await market.regtest.call('submitpackage', hexes)
      await market.regtest.mine()
      return node[moment](hexes)
    }
    const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [id]))
    const { settlementTxid } = await buyer.client.call('submitPurchase', { params: { slug }, body })
    await market.mine()
    expect((await market.coinOf(id)).txid).toBe(settlementTxid)
    expect((await buyer.client.call('listSales', { query: { limit: 1 } })).sales[0]?.txid).toBe(
      settlementTxid,
    )
  }
})

it('keeps a package that another process broadcasts', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 20_000)
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  const { context } = market.server
  const move = (state: string) =>
    market.sql`update settlements set state = ${state} where settlement_txid = ${settlementTxid}`
  await move('intended')
  // The jobs have read the row, but the package has left the mempool again when they query the node.
  const node = Object.assign(Object.create(context.node), {
    isInMempool: async () => false,
    testPackage: async () => {
      await move('broadcast')
      return { ok: false, reasons: new Map([[settlementTxid, 'mempool min fee not met']]), refused: [] }
    },
  })
  await resumeSettlements(Object.assign(Object.create(context), { node }))
  const rows = await market.sql`select state from settlements where settlement_txid = ${settlementTxid}`
  expect([...rows]).toEqual([{ state: 'broadcast' }])
  await market.mine()
  expect((await market.coinOf(ids[0]!)).txid).toBe(settlementTxid)
})

it('returns 500 for an unexpected node error', async () => {
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 20_000)
  const { node } = market.server.context
  const original = node.txOut
  node.txOut = () => new Rpc(market.node.url).call(5000, 'nonsense', [], () => null)
  try {
    const { items, coins } = await agreementFor(market, buyer, ids)
    await expect(
      preparePurchase(buyer, slug, { items, coins, maxFeeBps: 100, maxNetworkSats: 100_000 }),
    ).rejects.toMatchObject({ status: 500, message: 'Unexpected server error. Retry once.' })
  } finally {
    node.txOut = original
  }
})
