import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { ApiError, buy, preparePurchase } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { escrowsOf, isHome, signedExit, strandAll } from './support/escrow-market.ts'

/**
 * An owner exits while a purchase of the escrow is prepared or pending. The higher fee wins. If the exit wins, the buyer pays nothing and
 * the owner is charged for the market's costs.
 */
const market = setUpMarket({ ANCHOR_POOL: '100', tuning: { feeRateFallbackSatVb: 1 } })
let attacker: Awaited<ReturnType<typeof keyHolder>>
beforeAll(async () => {
  attacker = await keyHolder(market)
})

const mempool = () => market.regtest.call<string[]>('getrawmempool')
const makeSeller = async (): Promise<TestTrader> => ({ ...(await market.trader()), escrowForm: 'wallet' })
const satsOf = async ({ wallet }: TestTrader) =>
  (await market.regtest.coinsOf(wallet.paymentScript)).reduce((sum, coin) => sum + coin.valueSats, 0)
const send = (hex: string) => market.regtest.call<string>('sendrawtransaction', hex)

async function listingOf(listingId: string) {
  const [row] = await market.sql<{ state: string; transferTxid: string; escrowVout: number }[]>`
    select state, transfer_txid, escrow_vout from listings where listing_id = ${listingId}`
  return row!
}
const settlementOf = async (settlementTxid: string) => {
  const [row] = await market.sql<{ state: string; settlementId: string }[]>`
    select state, settlement_id from settlements where settlement_txid = ${settlementTxid}`
  return row!
}
const bookedTo = async ({ walletBindingId }: TestTrader) => [
  ...(await market.sql<{ purpose: string; sats: number }[]>`
    select purpose, sum(sats)::bigint as sats from market_ledger
    where wallet_binding_id = ${walletBindingId} group by purpose order by purpose`),
]

it('replaces a pending purchase and its transfer', async () => {
  const [seller, buyer] = [await makeSeller(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const listed = await listAll(market, seller, slug, ids, 50_000)
  const listingId = listed.get(id)!
  const paidBefore = await satsOf(buyer)
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const submit = () => buyer.client.call('submitPurchase', { params: { slug }, body })
  const { settlementTxid } = await submit()
  const { transferTxid: txid, escrowVout: vout } = await listingOf(listingId)
  const escrow = { txid, vout, valueSats: 10_000 }
  expect(await mempool()).toEqual(expect.arrayContaining([txid, settlementTxid]))

  // At a lower fee, the node keeps the settlement.
  const cheap = await signedExit(market, seller, [escrow], { feeRateSatVb: 1 })
  await expect(send(hexOfTransaction(cheap))).rejects.toThrow(/fee/)
  const exit = await signedExit(market, seller, [escrow], { feeRateSatVb: 60 })
  await send(hexOfTransaction(exit))
  expect(await mempool()).not.toContain(settlementTxid)
  await until('the exit to be detected', async () => {
    const rows = await market.sql`
      select 1 from order_events where listing_id = ${listingId} and reason like ${`%${txidOf(exit)}%`}`
    return rows.length > 0
  })
  expect((await listingOf(listingId)).state).toBe('hidden_locked')
  expect((await settlementOf(settlementTxid)).state).toBe('broadcast')
  await expect(submit()).rejects.toMatchObject({ status: 503, message: /Repeat the submit/ })
  await expect(agreementFor(market, buyer, ids)).rejects.toThrow(/not listed/)

  await market.mine()
  expect(await isHome(market, id, seller)).toBe(true)
  await until('the purchase to fail', async () => (await settlementOf(settlementTxid)).state === 'failed')
  await expect(submit()).rejects.toMatchObject({ status: 409, message: /Create it again/ })
  expect(['cancelled', 'invalidated']).toContain((await listingOf(listingId)).state)
  expect(await escrowsOf(seller)).toEqual([])
  expect(await satsOf(buyer)).toBe(paidBefore)
  expect(await mempool()).toEqual([])
  // The owner is charged for the lost anchor and the fee of creating it.
  expect(await bookedTo(seller)).toEqual([
    { purpose: 'split', sats: -43 },
    { purpose: 'transfer', sats: -330 },
  ])
  expect(await bookedTo(buyer)).toEqual([])
  const { settlementId } = await settlementOf(settlementTxid)
  expect(
    await market.sql`select 1 from market_coins where reserved_for = ${settlementId} and state <> 'spent'`,
  ).toHaveLength(0)
  expect(await listImbalances(market.sql)).toEqual([])
  await listAll(market, seller, slug, ids, 55_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  expect(await isHome(market, id, buyer)).toBe(true)
})

it('fails if a purchase confirmed first', async () => {
  const [seller, buyer] = [await makeSeller(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listed = await listAll(market, seller, slug, ids, 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  const { transferTxid: txid, escrowVout: vout } = await listingOf(listed.get(ids[0]!)!)
  const exit = await signedExit(market, seller, [{ txid, vout, valueSats: 10_000 }], { feeRateSatVb: 60 })
  await market.mine()
  await expect(send(hexOfTransaction(exit))).rejects.toThrow(/missing|spent/i)
  expect(await isHome(market, ids[0]!, buyer)).toBe(true)
  expect((await listingOf(listed.get(ids[0]!)!)).state).toBe('sold')
  expect(await listImbalances(market.sql)).toEqual([])
})

it('replaces a purchase of a confirmed escrow at no cost', async () => {
  const [seller, buyer] = [await makeSeller(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const of = { slug, ids, priceSats: 50_000 }
  const [escrow] = await strandAll(
    market,
    { attacker: attacker.trader, key: attacker.keys.payment },
    seller,
    of,
  )
  const booked = { seller: await bookedTo(seller), paid: await satsOf(buyer) }
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  const exit = await signedExit(market, seller, [escrow!], { feeRateSatVb: 60 })
  await send(hexOfTransaction(exit))
  expect(await mempool()).not.toContain(settlementTxid)
  const escrowRow = await until('the escrows to include the exit', async () => {
    const [held] = await escrowsOf(seller)
    return held?.pending?.kind === 'exit' && held
  })
  expect(escrowRow).toMatchObject({ state: 'leaving', pending: { txid: txidOf(exit) }, actions: ['exit'] })
  await market.mine()
  expect(await isHome(market, ids[0]!, seller)).toBe(true)
  await until('the purchase to fail', async () => (await settlementOf(settlementTxid)).state === 'failed')
  expect(await satsOf(buyer)).toBe(booked.paid)
  expect(await bookedTo(seller)).toEqual(booked.seller)
  expect(await bookedTo(buyer)).toEqual([])
  expect(await listImbalances(market.sql)).toEqual([])
})

it('invalidates a prepared purchase', async () => {
  const [seller, buyer] = [await makeSeller(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const of = { slug, ids, priceSats: 50_000 }
  const [escrow] = await strandAll(
    market,
    { attacker: attacker.trader, key: attacker.keys.payment },
    seller,
    of,
  )
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const submit = () => buyer.client.call('submitPurchase', { params: { slug }, body })
  const exit = await signedExit(market, seller, [escrow!])
  await send(hexOfTransaction(exit))
  const refused = await submit().catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ status: 409 })
  await until('the listing to end', async () => {
    const { listings } = await buyer.client.call('listListings', { query: { inscriptionId: ids[0]! } })
    return listings.length === 0
  })
  await expect(submit()).rejects.toMatchObject({ status: 409 })
  expect(await mempool()).toEqual([txidOf(exit)])
  const reservedCoins =
    await market.sql`select 1 from market_coins where reserved_for = ${body.purchaseAnchorUtxoId}`
  expect(reservedCoins).toHaveLength(0)
  await market.mine()
  expect(await isHome(market, ids[0]!, seller)).toBe(true)
  expect(await listImbalances(market.sql)).toEqual([])
})
