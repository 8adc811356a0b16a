import { randomBytes } from 'node:crypto'
import { endRevoked } from '@ordbook/market/listings/recover.ts'
import { buy, delist, list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import {
  escrowsOf,
  isHome,
  moveEscrows,
  prepareRelist,
  reclaim,
  relist,
  strand,
} from './support/escrow-market.ts'

const market = setUpMarket({ ANCHOR_POOL: '160', tuning: { feeRateFallbackSatVb: 1 } })
let attacker: TestTrader
let key: Uint8Array
beforeAll(async () => {
  const holder = await keyHolder(market)
  attacker = holder.trader
  key = holder.keys.payment
  await market.regtest.pay([{ valueSats: 50_000_000, script: attacker.wallet.paymentScript }])
  await market.mine()
})

/** Strands listed inscriptions in escrow by double-spending their purchase. */
async function stranded(seller: TestTrader, count: number, priceSats = 50_000) {
  const { slug, ids } = await market.collection(seller.wallet, count)
  await market.anchors(2 * count)
  const listed = await listAll(market, seller, slug, ids, priceSats)
  await strand(market, attacker, key, slug, ids)
  await market.mine()
  const escrows = await until('the escrows', async () => {
    const found = await escrowsOf(seller)
    const ownEscrows = ids.map((id) => found.find((each) => each.inscriptionIds.includes(id)))
    return ownEscrows.every((escrow) => escrow?.state === 'resting') && ownEscrows
  })
  return { slug, ids, listed, escrows: escrows.map((escrow) => escrow!) }
}

it('lets four sellers withdraw stranded inscriptions', async () => {
  const sellers: TestTrader[] = []
  for (let n = 0; n < 4; n++) sellers.push(await market.trader())
  const { slug, ids } = await market.collection(
    sellers.map((seller) => seller.wallet),
    6,
  )
  await market.anchors(50)
  const ownOf = (n: number) => ids.slice(n * 6, n * 6 + 6)
  const listed = new Map<string, string>()
  for (const [n, seller] of sellers.entries())
    for (const [id, listingId] of await listAll(market, seller, slug, ownOf(n), 1_000_000))
      listed.set(id, listingId)
  await strand(
    market,
    attacker,
    key,
    slug,
    ids.filter((_, i) => i % 6 !== 5),
  )
  await market.mine()
  for (const [n, seller] of sellers.entries()) {
    const escrows = await until('five escrows', async () => {
      const found = await escrowsOf(seller)
      return found.length === 5 && found.every((each) => each.state === 'resting') && found
    })
    await delist(
      seller,
      slug,
      ownOf(n).map((inscriptionId) => ({ inscriptionId, listingId: listed.get(inscriptionId)! })),
    )
    await market.anchors(8)
    await reclaim(seller, escrows)
  }
  await market.mine()
  for (const [n, seller] of sellers.entries()) {
    for (const id of ownOf(n)) expect(await isHome(market, id, seller)).toBe(true)
    expect(await escrowsOf(seller)).toEqual([])
  }
})

it('reprices a listing in escrow', async () => {
  const seller = await market.trader()
  const { slug, ids, listed, escrows } = await stranded(seller, 2)
  const agreement = {
    inscriptionId: ids[0]!,
    priceSats: 70_000,
    maxFeeBps: 100,
    coin: await market.coinOf(ids[0]!),
  }
  await expect(list(seller, slug, [agreement])).rejects.toMatchObject({ status: 409, message: /relist/ })
  const [again] = await relist(seller, [{ ...escrows[0]!, priceSats: 200_000 }])
  const [row] = await market.sql<{ state: string }[]>`
    select state from listings where listing_id = ${listed.get(ids[0]!)!}`
  expect(row!.state).toBe('replaced')
  const shown = await escrowsOf(seller)
  expect(shown.find((each) => each.inscriptionIds.includes(ids[0]!))!.listing).toMatchObject({
    listingId: again!.listingId,
    priceSats: 200_000,
    generation: 1,
  })
  const buyer = await market.trader()
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  expect(await isHome(market, ids[0]!, buyer)).toBe(true)
  const sold = await market.sql`select 1 from sales where txid = ${settlementTxid} and price_sats = 200000`
  expect(sold).toHaveLength(1)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
  await market.mine()
  expect(await isHome(market, ids[1]!, buyer)).toBe(true)
})

it('signs no leg below the minimum generation', async () => {
  const seller = await market.trader()
  const { slug, ids, escrows } = await stranded(seller, 1, 40_000)
  const { signer } = market.server.context
  const [old] = await market.sql<{ terms: object; legSignature: Uint8Array }[]>`
    select terms, leg_signature from listings where inscription_id = ${ids[0]!} and state = 'buyable'`
  await relist(seller, [{ ...escrows[0]!, priceSats: 90_000 }])
  const outpoint = `${escrows[0]!.txid}:${escrows[0]!.vout}`
  expect(await signer.floors([outpoint])).toEqual([{ outpoint, floor: 1, next: 2 }])
  await market.sql`update listings set state = 'cancelled', ended_at = now() where inscription_id = ${ids[0]!} and state = 'buyable'`
  await market.sql`update listings set state = 'buyable', ended_at = null where terms ->> 'generation' = '0'
    and inscription_id = ${ids[0]!} and state = 'replaced'`
  expect(old).toBeTruthy()
  const buyer = await market.trader()
  await expect(buy(buyer, slug, await agreementFor(market, buyer, ids))).rejects.toMatchObject({
    status: 409,
  })
  expect(await isHome(market, ids[0]!, buyer)).toBe(false)
})

it('raises the minimum generation when a listing is cancelled', async () => {
  const seller = await market.trader()
  const { slug, ids, escrows } = await stranded(seller, 2)
  const [first] = escrows
  const listings = await relist(seller, [{ ...first!, priceSats: 60_000 }])
  const prepared = await seller.client.call('preflightRelist', {
    body: {
      walletBindingId: seller.walletBindingId,
      ordinalsPublicKey: seller.wallet.ordinalsPublicKey,
      items: [{ txid: first!.txid, vout: first!.vout, priceSats: 30_000 }],
    },
  })
  expect(prepared.items[0]!.generation).toBe(2)
  await delist(seller, slug, [{ inscriptionId: ids[0]!, listingId: listings[0]!.listingId }])
  const outpoint = `${first!.txid}:${first!.vout}`
  expect(await market.server.context.signer.floors([outpoint])).toEqual([{ outpoint, floor: 3, next: 4 }])
  const [again] = await relist(seller, [{ ...first!, priceSats: 80_000 }])
  expect(again!.inscriptionId).toBe(ids[0]!)
})

it('publishes the new price after a crash', async () => {
  const seller = await market.trader()
  const { listed, ids, escrows } = await stranded(seller, 2)
  const [escrow] = escrows
  const { items, submit } = await prepareRelist(seller, [{ ...escrow!, priceSats: 60_000 }])
  const { generation } = items[0]!
  const { context } = market.server
  await context.signer.raiseFloors([{ outpoint: `${escrow!.txid}:${escrow!.vout}`, floor: generation }])
  await endRevoked(context, 'the signer signs no older price')
  const [old] = await market.sql<{ state: string }[]>`
    select state from listings where listing_id = ${listed.get(ids[0]!)!}`
  expect(old!.state).toBe('cancelled')
  await submit()
  const escrowRow = (await escrowsOf(seller)).find((each) => each.inscriptionIds.includes(ids[0]!))
  expect(escrowRow!.listing).toMatchObject({ priceSats: 60_000, generation })
})

it('reclaims any subset of escrows', async () => {
  const seller = await market.trader()
  const { slug, ids, escrows } = await stranded(seller, 3)
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[2]!]))
  await expect(reclaim(seller, [escrows[2]!])).rejects.toMatchObject({
    status: 409,
    message: /purchase of .* is in progress/i,
  })
  await expect(relist(seller, [{ ...escrows[2]!, priceSats: 90_000 }])).rejects.toMatchObject({ status: 409 })
  const txid = await reclaim(seller, [escrows[0]!])
  expect(await market.regtest.call<string[]>('getrawmempool')).toContain(txid)
  const leaving = (await escrowsOf(seller)).find((each) => each.inscriptionIds.includes(ids[0]!))
  expect(leaving).toMatchObject({ state: 'leaving', pending: { kind: 'reclaim', txid }, listing: null })
  await expect(relist(seller, [{ ...escrows[0]!, priceSats: 90_000 }])).rejects.toMatchObject({ status: 409 })
  await market.mine()
  expect(await isHome(market, ids[0]!, seller)).toBe(true)
  expect(await isHome(market, ids[2]!, buyer)).toBe(true)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
  await market.mine()
  expect(await isHome(market, ids[1]!, buyer)).toBe(true)
})

it('charges a reclaim to the wallet that requested it', async () => {
  const seller = await market.trader()
  const { escrows } = await stranded(seller, 1)
  const txid = await reclaim(seller, escrows)
  const { fees } = await market.regtest.call<{ fees: { base: number } }>('getmempoolentry', txid)
  await market.mine()
  const booked = await market.sql<{ sats: number; walletBindingId: string }[]>`
    select sats, wallet_binding_id from market_ledger where txid = ${txid} and purpose = 'reclaim'`
  expect(booked).toEqual([{ sats: -Math.round(fees.base * 1e8), walletBindingId: seller.walletBindingId }])
})

it("moves an escrow at the owner's expense", async () => {
  const seller = await market.trader()
  const { slug, ids, escrows } = await stranded(seller, 1)
  const before = await market.regtest.coinsOf(seller.wallet.paymentScript)
  const moved = await moveEscrows(market, seller, escrows, 'wallet')
  const [pending] = await escrowsOf(seller)
  expect(pending).toMatchObject({ state: 'leaving', pending: { kind: 'move', txid: moved.txid } })
  await expect(relist(seller, [{ ...moved.escrows[0]!, priceSats: 70_000 }])).rejects.toMatchObject({
    status: 409,
  })
  await market.mine()
  const sum = (coins: { valueSats: number }[]) => coins.reduce((sats, coin) => sats + coin.valueSats, 0)
  const after = await market.regtest.coinsOf(seller.wallet.paymentScript)
  expect(sum(before) - sum(after)).toBe(moved.costSats)
  const [escrow] = await escrowsOf(seller)
  expect(escrow).toMatchObject({
    ...moved.escrows[0]!,
    escrowForm: 'wallet',
    state: 'resting',
    listing: null,
  })
  await relist(seller, [{ ...escrow!, priceSats: 70_000 }])
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  expect(await isHome(market, ids[0]!, buyer)).toBe(true)
})

it('hides escrows of other owners', async () => {
  const seller = await market.trader()
  const other = await market.trader()
  const { escrows } = await stranded(seller, 1)
  expect(await escrowsOf(other)).toEqual([])
  await expect(reclaim(other, escrows)).rejects.toMatchObject({ status: 403 })
  const unknown = { txid: randomBytes(32).toString('hex'), vout: 0 }
  await expect(reclaim(seller, [unknown])).rejects.toMatchObject({ status: 404 })
})

it('reuses the anchor of a relisted inscription', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await market.anchors(4)
  await listAll(market, seller, slug, ids, 50_000)
  const anchorOf = async () => {
    const [row] = await market.sql<{ anchor: string; generation: number }[]>`
      select terms #>> '{anchor,txid}' as anchor, generation from listings
      where inscription_id = ${ids[0]!} and state = 'buyable'`
    return row!
  }
  const first = await anchorOf()
  for (const [n, priceSats] of [60_000, 45_000].entries()) {
    await listAll(market, seller, slug, ids, priceSats)
    expect(await anchorOf()).toEqual({ ...first, generation: n + 1 })
  }
  const coins = await market.sql`
    select c.state from listings l join market_coins c
      on c.reserved_for = l.anchor_utxo_id where l.inscription_id = ${ids[0]!}`
  expect(coins).toEqual([{ state: 'held' }])
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  expect(await isHome(market, ids[0]!, buyer)).toBe(true)
})
