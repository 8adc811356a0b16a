import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { buy, delist, prepareListing } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  setUpTrader,
  startTogether,
  until,
} from '../support/market.ts'
import { escrowsOf, isHome, moveEscrows, relist, strandAll } from './support/escrow-market.ts'

/** Repeated preflights must not use up the generations of an escrow coin. After the last generation the owner can still withdraw. */
const market = setUpMarket()
const seller = setUpTrader(market)

/** Strands inscriptions of the seller in wallet-form escrows. */
async function resting(count: number) {
  const { trader: attacker, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, count)
  const escrows = await strandAll(market, { attacker, key: keys.payment }, seller, {
    slug,
    ids,
    priceSats: 50_000,
  })
  return escrows.map((escrow, i) => {
    const set = (change: { nextGeneration?: number; agedSeconds?: number }) => market.sql`
      update escrows set next_generation = coalesce(${change.nextGeneration ?? null}::int, next_generation),
        created_at = created_at - make_interval(secs => ${change.agedSeconds ?? 0})
      where txid = ${escrow.txid} and vout = ${escrow.vout}`
    return { slug, id: ids[i]!, escrow, set }
  })
}

type Resting = Awaited<ReturnType<typeof resting>>[number]

const prepare = (escrow: { txid: string; vout: number }, priceSats: number) =>
  seller.client.call('preflightRelist', {
    body: {
      walletBindingId: seller.walletBindingId,
      ordinalsPublicKey: seller.wallet.ordinalsPublicKey,
      items: [{ txid: escrow.txid, vout: escrow.vout, priceSats }],
    },
  })

it('limits generations by the age of an escrow coin', async () => {
  const [{ escrow, set }] = (await resting(1)) as [Resting]
  await prepare(escrow, 60_000)
  await set({ nextGeneration: 1200 })
  await expect(prepare(escrow, 61_000)).rejects.toMatchObject({
    status: 429,
    message: expect.stringMatching(/has used 1200 prices, .*Retry-After: 10/),
  })
  await set({ agedSeconds: 2020 })
  expect((await prepare(escrow, 61_000)).items[0]!.generation).toBe(1200)
  await expect
    .poll(() => prepare(escrow, 61_000).catch(({ status }) => status), { interval: 0, timeout: 20_000 })
    .toBe(429)
})

it('prepares new prices of an escrow coin on all connections at the same time', async () => {
  const [{ escrow }] = (await resting(1)) as [Resting]
  const answers = await startTogether(
    market,
    (tx) => tx`select 1 from escrows where txid = ${escrow.txid} and vout = ${escrow.vout} for update`,
    Array.from(
      { length: market.server.context.config.databaseConnections },
      (_, i) => () => prepare(escrow, 60_000 + 1000 * i),
    ),
  )
  expect(answers.map((each) => (each.status === 'fulfilled' ? 'prepared' : each.reason.code))).toEqual(
    answers.map(() => 'prepared'),
  )
})

it('limits repeated preflights of a listing', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [inscriptionId] = ids as [string]
  const listed = await listAll(market, seller, slug, ids, 50_000)
  await delist(seller, slug, [{ inscriptionId, listingId: listed.get(inscriptionId)! }])
  const agreement = {
    inscriptionId,
    priceSats: 60_000,
    maxFeeBps: 100,
    coin: await market.coinOf(inscriptionId),
  }
  const prepareAgain = () => prepareListing(seller, slug, [agreement])
  await prepareAgain()
  await market.sql`update escrows set next_generation = 1200 where inscription_id = ${inscriptionId}`
  await expect(prepareAgain()).rejects.toMatchObject({ status: 429 })
})

it('settles the last possible generation', async () => {
  // List the items together, so that no recovery returns the second after the sale of the first.
  const [sold, kept] = (await resting(2)) as [Resting, Resting]
  const lifetime = LAST_GENERATION * 10
  for (const { set } of [sold, kept]) await set({ nextGeneration: LAST_GENERATION, agedSeconds: lifetime })
  for (const { escrow } of [sold, kept]) {
    await relist(seller, [{ ...escrow, priceSats: 70_000 }])
    await expect(prepare(escrow, 80_000)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/has no prices left/),
    })
  }
  // The lowest sequence without a relative locktime.
  const buyer = await market.trader()
  const { settlementTxid } = await buy(buyer, sold.slug, await agreementFor(market, buyer, [sold.id]))
  const { inputs } = decodeTransaction(await market.regtest.call<string>('getrawtransaction', settlementTxid))
  expect(inputs.find(({ txid }) => txid === sold.escrow.txid)!.sequence).toBe(0x80000000)
  await market.mine()
  expect(await isHome(market, sold.id, buyer)).toBe(true)

  const [row] = await market.sql<{ listingId: string }[]>`
    select listing_id from listings where inscription_id = ${kept.id} and state = 'buyable'`
  await delist(seller, kept.slug, [{ inscriptionId: kept.id, listingId: row!.listingId }])
  const outpoint = `${kept.escrow.txid}:${kept.escrow.vout}`
  expect(await market.server.context.signer.floors([outpoint])).toEqual([
    { outpoint, floor: LAST_GENERATION + 1, next: LAST_GENERATION + 2 },
  ])
  await market.sql`update escrows set next_generation = 1 where txid = ${kept.escrow.txid}`
  await expect(prepare(kept.escrow, 80_000)).rejects.toMatchObject({ status: 409 })
  const { escrows } = await moveEscrows(market, seller, [kept.escrow], 'wallet')
  await market.mine()
  const moved = await until('the new escrow', async () =>
    (await escrowsOf(seller)).find(({ txid, state }) => txid === escrows[0]!.txid && state === 'resting'),
  )
  expect((await prepare(moved, 80_000)).items[0]!.generation).toBe(0)
})
