import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, keyHolder, setUpMarket, until } from '../support/market.ts'
import {
  escrowsOf,
  isHome,
  prepareMove,
  reclaim,
  relist,
  signedExit,
  strandAll,
} from './support/escrow-market.ts'

/**
 * Disconnects a sale, a reclaim, a move and an exit. All state must follow the chain in both directions. If the new branch spends their
 * coins elsewhere, the owner can act again.
 */
type Holder = Awaited<ReturnType<typeof keyHolder>>
type Escrow = Awaited<ReturnType<typeof escrowsOf>>[number]

const market = setUpMarket({ ANCHOR_POOL: '160', tuning: { feeRateFallbackSatVb: 1 } })
let owner: Holder
let attacker: Holder
beforeAll(async () => {
  owner = await keyHolder(market)
  owner.trader.escrowForm = 'wallet'
  attacker = await keyHolder(market)
  await market.regtest.pay(
    [owner, owner, owner, attacker].map(({ trader }) => ({
      valueSats: 5_000_000,
      script: trader.wallet.paymentScript,
    })),
  )
  await market.mine()
})

/** All chain-derived state. Recovery coins count as free, because a reorg does not undo their release. */
const picture = async () => ({
  inscriptions: [...(await market.sql`select * from inscriptions order by sequence`)],
  moves: [...(await market.sql`select * from coin_moves order by height, position`)],
  blocks: [...(await market.sql`select * from blocks order by height`)],
  sales: [...(await market.sql`select txid, inscription_id, price_sats, height from sales order by sale_id`)],
  escrows: [
    ...(await market.sql`
      select txid, vout, next_generation, floor, made_height, leaving_txid from escrows order by txid, vout`),
  ],
  listings: [
    ...(await market.sql`
      select inscription_id, listing_id, state, generation, transfer_height from listings order by listing_id`),
  ],
  settlements: [
    ...(await market.sql`
      select settlement_txid, state, confirmed_height from settlements order by settlement_txid`),
  ],
  transactions: [
    ...(await market.sql`select txid, state, confirmed_height from market_transactions order by txid`),
  ],
  coins: [
    ...(await market.sql`
      select c.txid, c.vout, c.value_sats, c.height, c.spent_height,
        case when l.recovery_handle is null or c.state <> 'held' then c.state else 'free' end as state,
        case when l.recovery_handle is null or c.state <> 'held' then c.reserved_for end as reserved_for
      from market_coins c left join (select distinct recovery_handle from listings) l on l.recovery_handle = c.reserved_for
      order by c.txid, c.vout`),
  ],
  ledger: [...(await market.sql`select txid, purpose, sats from market_ledger order by txid, purpose, sats`)],
})

async function freeCoin({ trader }: Holder): Promise<Coin> {
  const coins = await market.regtest.coinsOf(trader.wallet.paymentScript)
  const unspent = await market.server.context.node.areUnspent(coins)
  return coins.find((_, i) => unspent[i])!
}

/** Double-spends the first payment input of the wallet's transaction. */
async function spentElsewhere({ trader, keys }: Holder, txid: string): Promise<Tx> {
  const { inputs } = decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))
  for (const input of inputs) {
    const parent = decodeTransaction(await market.regtest.call<string>('getrawtransaction', input.txid))
    const coin = { txid: input.txid, vout: input.vout, ...parent.outputs[input.vout]! }
    if (Buffer.from(coin.script).equals(trader.wallet.paymentScript))
      return buildPayment([coin], [], { privateKey: keys.payment, feeRateSatVb: 5 })
  }
  throw new Error(`${txid} spends no payment coin of the wallet`)
}

it('reverts and restores escrow trades after a reorg', async () => {
  const { regtest, server, sql } = market
  const { trader } = owner
  const { slug, ids } = await market.collection(trader.wallet, 4)
  const stranded = await strandAll(
    market,
    { attacker: attacker.trader, key: attacker.keys.payment },
    trader,
    {
      slug,
      ids,
      priceSats: 50_000,
    },
  )
  const [sold, reclaimed, moved, left] = stranded as [Escrow, Escrow, Escrow, Escrow]
  const [soldId, reclaimedId, movedId, leftId] = ids as [string, string, string, string]
  const heldOf = async (id: string) =>
    (await escrowsOf(trader)).filter(({ inscriptionIds }) => inscriptionIds.includes(id))

  await relist(trader, [{ ...sold, priceSats: 70_000 }])
  const bought = await buy(attacker.trader, slug, await agreementFor(market, attacker.trader, [soldId]))
  const reclaimTxid = await reclaim(trader, [reclaimed])
  const move = await prepareMove(market, trader, [moved], 'wallet')
  await move.submit()
  const exit = await signedExit(market, trader, [left], { coins: [await freeCoin(owner)] })
  await regtest.call('sendrawtransaction', hexOfTransaction(exit))
  await until('the exited listing to end', async () => {
    const rows = await sql`select 1 from listings where inscription_id = ${leftId} and state = 'cancelled'`
    return rows.length > 0
  })
  await server.sync()
  const before = await picture()
  expect(before.settlements.filter(({ state }) => state === 'broadcast')).toHaveLength(1)

  const [block] = await regtest.mine()
  await server.sync()
  const after = await picture()
  expect(await isHome(market, soldId, attacker.trader)).toBe(true)
  for (const id of [reclaimedId, leftId]) expect(await isHome(market, id, trader)).toBe(true)
  expect(await heldOf(movedId)).toMatchObject([{ txid: move.expectedTxid, state: 'resting' }])
  expect(after.ledger.length).toBeGreaterThan(before.ledger.length)

  await regtest.call('invalidateblock', block)
  await server.sync()
  expect(await picture()).toEqual(before)
  expect(await heldOf(movedId)).toMatchObject([{ txid: moved.txid, state: 'leaving' }])
  expect(await heldOf(reclaimedId)).toMatchObject([{ state: 'leaving', pending: { txid: reclaimTxid } }])
  // The spend is pending again, so other actions are rejected.
  await expect(relist(trader, [{ ...moved, priceSats: 90_000 }])).rejects.toMatchObject({ status: 409 })
  await regtest.call('reconsiderblock', block)
  await server.sync()
  expect(await picture()).toEqual(after)

  await regtest.call('invalidateblock', block)
  const reclaimedByExit = await signedExit(market, trader, [reclaimed], {
    coins: [await freeCoin(owner)],
    feeRateSatVb: 9,
  })
  await regtest.mineExactly([
    await spentElsewhere(attacker, bought.settlementTxid),
    reclaimedByExit,
    await spentElsewhere(owner, move.expectedTxid),
    await spentElsewhere(owner, txidOf(exit)),
  ])
  await regtest.mineExactly([])
  await server.sync()
  expect(await isHome(market, reclaimedId, trader)).toBe(true)
  await until('the reclaim and the move to fail', async () => {
    const rows = await sql`
      select 1 from market_transactions where txid in (${reclaimTxid}, ${move.expectedTxid}) and state = 'failed'`
    return rows.length === 2
  })
  const feeCoins = await sql<{ state: string }[]>`
    select c.state from market_coins c
      join unnest(${before.coins.filter((coin) => coin.state === 'spending').map((coin) => coin.txid)}::text[],
        ${before.coins.filter((coin) => coin.state === 'spending').map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
        on c.txid = o.txid and c.vout = o.vout`
  expect(feeCoins.length).toBeGreaterThan(0)
  for (const { state } of feeCoins) expect(state).not.toBe('spending')

  const { listings } = await until('the listing to be for sale again', async () => {
    const found = await trader.client.call('listListings', { query: { inscriptionId: soldId } })
    return found.listings.length > 0 && found
  })
  expect(listings).toMatchObject([{ priceSats: 70_000 }])
  const [again] = await relist(trader, [{ ...sold, priceSats: 80_000 }])
  expect(again!.inscriptionId).toBe(soldId)
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, [soldId]))

  // A new listing of the old escrow must be above every issued leg.
  expect(await heldOf(movedId)).toMatchObject([{ txid: moved.txid, state: 'resting', listing: null }])
  await relist(trader, [{ ...moved, priceSats: 90_000 }])
  const [held] = await heldOf(movedId)
  const floorBefore = Number(before.escrows.find((escrow) => escrow.txid === moved.txid)!.floor)
  expect(held!.listing!.generation).toBeGreaterThanOrEqual(floorBefore)
  await buy(buyer, slug, await agreementFor(market, buyer, [movedId]))

  // The listing stays ended. The owner reclaims with the market.
  expect(await heldOf(leftId)).toMatchObject([{ txid: left.txid, state: 'resting', listing: null }])
  await reclaim(trader, [left])
  await market.mine()
  expect(await isHome(market, leftId, trader)).toBe(true)
  for (const id of [soldId, movedId]) expect(await isHome(market, id, buyer)).toBe(true)
  expect(await escrowsOf(trader)).toEqual([])
  expect(await listImbalances(sql)).toEqual([])
  const floors = new Map(
    (await picture()).escrows.map((escrow) => [`${escrow.txid}:${escrow.vout}`, Number(escrow.floor)]),
  )
  for (const escrow of after.escrows)
    expect(floors.get(`${escrow.txid}:${escrow.vout}`)).toBeGreaterThanOrEqual(Number(escrow.floor))
})
