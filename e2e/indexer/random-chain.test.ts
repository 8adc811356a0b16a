import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { FAUCET_KEY, RpcError } from '@ordbook/devnet/regtest.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { ApiError, acceptOffer, bid, buy, CheckFailed, delist, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, startMarket, type TestMarket, type TestTrader } from '../support/market.ts'
import { hasBitcoind, type NodeKind, nodeKind, startNode, type TestNode } from '../support/node.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { indexOf, satsOf, slowSats } from './support/index-of.ts'
import { Crowd, Dice, JsonChain } from './support/random-chain.ts'
import { withSecondIndex } from './support/second-index.ts'
import { recompute, type SlowIndex } from './support/slow-index.ts'

/**
 * Generates random chain events. After each step the index must equal a recomputation, and orders must match the chain. ORDBOOK_SEED
 * repeats a run.
 */
const STEPS = Number(process.env.ORDBOOK_STEPS ?? sampled(150, 3000, 75))
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

async function checkOrders(market: TestMarket, chain: JsonChain, index: SlowIndex): Promise<void> {
  const { regtest, sql } = market
  const listings = await sql<
    {
      listingId: string
      inscriptionId: string
      state: string
      txid: string
      vout: number
      traded: boolean
      transferTxid: string
    }[]
  >`
    select listing_id, inscription_id, state, transfer_txid,
      case when transfer_height is null then coin_txid else transfer_txid end as txid,
      case when transfer_height is null then coin_vout else 0 end as vout,
      exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and l.inscription_id = any(s.inscription_ids)) as traded
    from listings l where state in ('buyable', 'hidden_locked', 'pending_public')`
  const placeOf = new Map(
    index.inscriptions.map((inscription) => [inscription.inscriptionId, inscription.satpoint]),
  )
  for (const { listingId, inscriptionId, state, txid, vout, traded, transferTxid } of listings) {
    const isInPlace = placeOf.get(inscriptionId)?.startsWith(`${txid}:${vout}:`) ?? false
    const [{ spendingtxid }] = (await regtest.call<[{ spendingtxid?: string }]>('gettxspendingprevout', [
      { txid, vout },
    ])) as [{ spendingtxid?: string }]
    const spent = spendingtxid !== undefined && spendingtxid !== transferTxid
    const expected = traded || spent ? 'hidden_locked' : isInPlace ? 'buyable' : 'pending_public'
    if (state !== expected) throw new Error(`listing ${listingId} is ${state}, expected ${expected}`)
  }
  // Each sale is in the chain, and its buyer owns the inscription or has transferred it.
  const heights = await sql<{ txid: string; blockHash: string }[]>`
    select s.txid, b.block_hash from sales s join blocks b using (height)`
  for (const { txid, blockHash } of heights)
    if (!chain.find(blockHash)?.tx.some((tx) => tx.txid === txid))
      throw new Error(`${txid} is not in ${blockHash}`)
  const backing = await sql<{ txid: string; vout: number; gone: string | null }[]>`
    select distinct txid, vout, gone from backing_coins b
    where exists (select 1 from offers o where o.offer_id = b.offer_id and o.state = 'active')
      or exists (select 1 from collection_offers o where o.offer_id = b.offer_id and o.state = 'active')`
  for (const { txid, vout, gone } of backing) {
    expect(gone).toBeNull()
    if ((await regtest.call('gettxout', txid, vout, true)) === null)
      throw new Error(`an active offer depends on ${txid}:${vout}, which does not exist`)
  }
}

/** Errors that concurrent changes can cause. */
const isRefusal = (error: unknown) =>
  (error instanceof ApiError && [400, 403, 404, 409, 503].includes(error.status)) ||
  error instanceof CheckFailed

async function run(kind: NodeKind, steps: number, seedOf: number): Promise<TestMarket> {
  const dice = new Dice(seedOf)
  const market = await startMarket({}, kind)
  const { regtest, sql, server } = market
  const chain = new JsonChain(regtest)
  const crowd = new Crowd(dice, FAUCET_KEY)
  const traders: TestTrader[] = []
  for (let n = 0; n < 3; n++) traders.push(await market.trader(n === 0 ? 'p2tr' : 'p2wpkh', 100_000_000))
  const slug = 'random'
  const members: string[] = []
  const folder = join(market.dataDir, 'random')
  const join_ = async (ids: readonly string[]) => {
    members.push(...ids)
    mkdirSync(join(folder, slug), { recursive: true })
    writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
    writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(members.map((id) => ({ id }))))
    await loadCollections(sql, folder, { now: new Date() })
  }
  let index = recompute(await chain.read())
  const heldBy = (trader: TestTrader) => {
    const script = bytesToHex(trader.wallet.ordinalsScript)
    return index.inscriptions.filter(
      (inscription) => inscription.script === script && members.includes(inscription.inscriptionId),
    )
  }
  const booked = async () => {
    const { listings } = await traders[0]!.client.call('listListings', { query: { collectionSlug: slug } })
    return listings
  }
  const tally = new Map<string, number>()
  const acts: Record<string, { weight: number; act: () => Promise<unknown> }> = {
    'a block of the crowd': {
      weight: 30,
      act: async () =>
        regtest.mineExactly(crowd.block(index, (await regtest.call<number>('getblockcount')) + 1)),
    },
    'a block of the mempool': { weight: 12, act: () => regtest.mine() },
    'several blocks': { weight: 3, act: () => regtest.mine(2 + dice.roll(8)) },
    'an empty block': { weight: 4, act: () => regtest.mineExactly([]) },
    'something for the mempool': {
      weight: 12,
      act: async () => {
        for (const tx of crowd.block(index, (await regtest.call<number>('getblockcount')) + 1))
          await regtest.call('sendrawtransaction', hexOfTransaction(tx), 0)
      },
    },
    'a reorg': {
      weight: 8,
      act: async () => {
        const tip = await regtest.call<number>('getblockcount')
        const depth = 1 + (dice.chance(15) ? dice.roll(60) : dice.roll(8))
        if (tip - depth < 125) return
        const hash = await regtest.call<string>('getblockhash', tip - depth + 1)
        await regtest.call('invalidateblock', hash)
        if (dice.chance(30)) await server.sync()
        if (dice.chance(50)) await regtest.mineExactly([])
        else await regtest.mine(1 + dice.roll(depth + 2))
        if (dice.chance(40)) {
          if (dice.chance(50)) await server.sync()
          await regtest.call('reconsiderblock', hash)
        }
      },
    },
    'new items': {
      weight: 4,
      act: async () =>
        join_(
          await regtest.inscribe(
            [0, 1].map((n) => ({
              inscription: {
                contentType: 'text/plain',
                body: new TextEncoder().encode(`item ${members.length + n}`),
              },
              owner: dice.pick(traders).wallet.ordinalsScript,
              postageSats: dice.pick([10_000, 546]),
            })),
          ),
        ),
    },
    list: {
      weight: 10,
      act: async () => {
        const trader = dice.pick(traders)
        const heldIds = heldBy(trader)
        if (heldIds.length > 0)
          await listAll(
            market,
            trader,
            slug,
            [dice.pick(heldIds).inscriptionId],
            20_000 + dice.roll(50) * 1000,
          )
      },
    },
    buy: {
      weight: 9,
      act: async () => {
        const trader = dice.pick(traders)
        const listing = (await booked()).find((each) => each.sellerAddress !== trader.wallet.ordinalsAddress)
        if (listing) await buy(trader, slug, await agreementFor(market, trader, [listing.inscriptionId]))
      },
    },
    cancel: {
      weight: 3,
      act: async () => {
        for (const trader of traders) {
          const mine = (await booked()).find((each) => each.sellerAddress === trader.wallet.ordinalsAddress)
          if (mine) return delist(trader, slug, [mine])
        }
      },
    },
    offer: {
      weight: 4,
      act: async () => {
        const trader = dice.pick(traders)
        const other = dice.pick(traders)
        const heldIds = heldBy(other)
        if (other === trader || heldIds.length === 0) return
        await offer(trader, slug, await offering(market, trader, [dice.pick(heldIds).inscriptionId], 40_000))
      },
    },
    accept: {
      weight: 4,
      act: async () => {
        const [row] = await sql<{ offerId: string; inscriptionId: string }[]>`
          select offer_id, inscription_id from offers where state = 'active' order by created_at limit 1`
        const owner = traders.find((trader) =>
          heldBy(trader).some((each) => each.inscriptionId === row?.inscriptionId),
        )
        if (row && owner)
          await acceptOffer(owner, row.offerId, await selling(market, row.inscriptionId, 40_000))
      },
    },
    bid: {
      weight: 2,
      act: async () => {
        const trader = dice.pick(traders)
        if (members.length === 0) return
        const coins = await coinsOf(market, trader)
        await bid(trader, slug, { target: { kind: 'all' }, priceSats: 15_000, coins })
      },
    },
  }
  const names = Object.entries(acts).flatMap(([name, { weight }]) => Array<string>(weight).fill(name))
  const began = Date.now()
  for (let step = 0; step < steps; step++) {
    const name = dice.pick(names)
    try {
      await acts[name]!.act()
      tally.set(name, (tally.get(name) ?? 0) + 1)
    } catch (error) {
      // The state may change before a request arrives.
      if (
        !isRefusal(error) &&
        !(error instanceof RpcError) &&
        !/faucet|not listed|not in the index/.test(String(error))
      )
        throw error
      tally.set('refused', (tally.get('refused') ?? 0) + 1)
    }
    await server.sync()
    index = recompute(await chain.read())
    try {
      expect(await indexOf(sql)).toEqual(index.inscriptions)
      if (step % 5 === 0) expect(await satsOf(sql)).toEqual(slowSats(index))
      // Jobs and the follower are asynchronous, so retry.
      for (let tries = 1; ; tries++) {
        try {
          await checkOrders(market, chain, tries === 1 ? index : recompute(await chain.read()))
          break
        } catch (error) {
          if (tries === 20) throw error
          await new Promise((done) => setTimeout(done, 500))
          await server.sync()
        }
      }
      if (step % 50 === 0) {
        expect(await listUnexplained(sql)).toEqual([])
        expect(await checkRollups(server.context)).toEqual([])
      }
    } catch (error) {
      throw new Error(`step ${step} (${name}) of seed ${seedOf} on ${kind}`, { cause: error })
    }
  }
  const { sales, offers } = (
    await sql<{ sales: number; offers: number }[]>`
      select (select count(*) from sales) as sales, (select count(*) from offers) as offers`
  )[0]!
  console.log(
    `${kind}, seed ${seedOf}: ${steps} steps in ${((Date.now() - began) / 1000).toFixed(0)} s, ` +
      `${index.inscriptions.length} inscriptions, ${sales} sales, ${offers} offers; ` +
      [...tally].map(([name, count]) => `${name} ${count}`).join(', '),
  )
  return market
}

/** Replays the blocks on another node, whose index must be identical. */
async function replay(market: TestMarket, other: TestNode): Promise<void> {
  const { regtest } = market
  const tip = await regtest.call<number>('getblockcount')
  for (let height = 1; height <= tip; height++) {
    const hash = await regtest.call<string>('getblockhash', height)
    const verdict = await other.regtest.call('submitblock', await regtest.call('getblock', hash, 0))
    if (verdict !== null) throw new Error(`${other.kind} rejected block ${height}: ${verdict}`)
  }
  expect(await other.regtest.call('getbestblockhash')).toBe(await regtest.call('getbestblockhash'))
  await readAgain(market, other.url)
}

/** Reads the chain into another index, whose rows must be identical. */
const readAgain = (market: TestMarket, nodeUrl: string) =>
  withSecondIndex(nodeUrl, async (sql) => {
    expect(await indexOf(sql)).toEqual(await indexOf(market.sql))
    expect(await satsOf(sql)).toEqual(await satsOf(market.sql))
    expect(await treesOf(sql)).toEqual(await treesOf(market.sql))
  })

const treesOf = (sql: Queryable) => sql`
  select sat_id, levels, parent_id, sat_offset, first_id, txid, vout, low_offset, high_offset
  from inscribed_sats order by sat_id`

it(`matches a recomputed index in ${STEPS} random steps`, async () => {
  const market = await run(nodeKind, STEPS, seed)
  await readAgain(market, market.node.url)
  if (nodeKind === 'bitcoind') {
    const devnet = await startNode('devnet')
    await replay(market, devnet)
    await devnet.stop()
  }
  await market.stop()
})

// bitcoind must accept the devnet's blocks.
if (nodeKind === 'bitcoind' && hasBitcoind())
  it('bitcoind accepts the chains of the devnet', async () => {
    const market = await run('devnet', Math.ceil(STEPS / 10), seed + 1)
    const bitcoind = await startNode('bitcoind')
    await replay(market, bitcoind)
    await bitcoind.stop()
    await market.stop()
  })
