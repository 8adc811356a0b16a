import type { Server } from '@ordbook/app/server.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { assertClean, recovered, startDoomed } from '../purchases/support/doomed.ts'
import { sampled } from '../support/effort.ts'
import { agreementFor, keyHolder, setUpMarket, type TestTrader, until } from '../support/market.ts'
import {
  escrowsOf,
  isHome,
  leaveAlone,
  prepareMove,
  prepareReclaim,
  prepareRelist,
  strandAll,
} from './support/escrow-market.ts'

/** Tests every STRIDE-th moment, starting at a random one. */
const STRIDE = sampled(97, 4, 193)
const FIRST = 1 + Math.floor(Math.random() * STRIDE)
/** Larger, because a block has more moments. */
const BLOCK_STRIDE = sampled(193, 8, 389)
const MOMENTS = 800
const ROUNDS = Math.ceil(MOMENTS / STRIDE)

/**
 * Crashes during an owner's actions on escrows and during their block. Each action must be either done or without effect, a repeated submit
 * must return the same response, and generations and minimums must never decrease.
 */
type Escrow = Awaited<ReturnType<typeof escrowsOf>>[number]

const port = await freePort()
const market = setUpMarket({
  PORT: String(port),
  ANCHOR_POOL: '300',
  tuning: { feeRateFallbackSatVb: 1 },
  STRANDING_ALLOWANCE_SATS: '10000000',
  WALLET_ALLOWANCE_SATS: '10000000',
})
let owner: TestTrader
let buyer: TestTrader
let slug: string
/** One escrow per round and operation, plus four for the block. */
let escrows: Escrow[]
beforeAll(async () => {
  const { trader: attacker, keys } = await keyHolder(market)
  owner = { ...(await market.trader('p2wpkh', 100_000_000)), escrowForm: 'wallet' }
  buyer = await market.trader()
  await market.regtest.pay(
    Array.from({ length: ROUNDS }, () => ({ valueSats: 5_000_000, script: attacker.wallet.paymentScript })),
  )
  await market.mine()
  const collection = await market.collection(owner.wallet, 4 * ROUNDS + 4)
  slug = collection.slug
  const of = { slug, ids: collection.ids, priceSats: 50_000 }
  escrows = await strandAll(market, { attacker, key: keys.payment }, owner, of)
  await market.server.close()
}, 3_600_000)

/** Returns an escrow's next generation, and its minimums in the database and at the signer. */
async function floorsOf({ context }: Server, { txid, vout }: Escrow) {
  const [row] = await market.sql<{ nextGeneration: number; floor: number }[]>`
    select next_generation, floor from escrows where txid = ${txid} and vout = ${vout}`
  const [told] = await context.signer.floors([`${txid}:${vout}`])
  return { ...row!, signer: told!.floor }
}

const waiting = () => market.regtest.call<string[]>('getrawmempool')
const liveListings = (inscriptionId: string) => market.sql<{ listingId: string; generation: number }[]>`
  select listing_id, generation from listings
  where inscription_id = ${inscriptionId} and state in ('buyable', 'hidden_locked', 'pending_public')`

interface Act {
  submit(): Promise<unknown>
  isDone(): Promise<boolean>
  txid: string | null
  holds(): Promise<void>
}

const writtenAs = async (txid: string) =>
  (await market.sql`select 1 from market_transactions where txid = ${txid}`).length > 0

const operations: Record<string, (escrow: Escrow) => Promise<Act>> = {
  async relist(escrow) {
    const { items, submit } = await prepareRelist(owner, [{ ...escrow, priceSats: 70_000 }])
    const { inscriptionId, generation } = items[0]!
    const isListed = async () =>
      (await liveListings(inscriptionId)).some((live) => live.generation === generation)
    return {
      submit,
      isDone: isListed,
      txid: null,
      async holds() {
        expect(await liveListings(inscriptionId)).toMatchObject([{ generation }])
        await buy(buyer, slug, await agreementFor(market, buyer, [inscriptionId]))
        await market.mine()
        expect(await isHome(market, inscriptionId, buyer)).toBe(true)
      },
    }
  },
  async reclaim(escrow) {
    const { expectedTxid: txid, submit } = await prepareReclaim(owner, [escrow])
    return {
      submit,
      isDone: () => writtenAs(txid),
      txid,
      async holds() {
        expect(await isHome(market, escrow.inscriptionIds[0]!, owner)).toBe(true)
      },
    }
  },
  async move(escrow) {
    const { expectedTxid: txid, submit } = await prepareMove(market, owner, [escrow], 'wallet')
    return {
      submit,
      isDone: () => writtenAs(txid),
      txid,
      async holds() {
        const moved = (await escrowsOf(owner)).find((each) => each.txid === txid)
        expect(moved).toMatchObject({
          inscriptionIds: escrow.inscriptionIds,
          state: 'resting',
          listing: null,
        })
        const { items } = await prepareRelist(owner, [{ ...moved!, priceSats: 70_000 }])
        expect(items[0]!.generation).toBe(0)
      },
    }
  },
}

for (const [name, prepare] of Object.entries(operations))
  it(`completes or drops a ${name} after a crash at any step`, async () => {
    const outcomes = { done: 0, absent: 0 }
    let moment = FIRST
    for (; ; moment += STRIDE) {
      if (moment > MOMENTS) throw new Error(`the submit has more than ${MOMENTS} moments`)
      const escrow = escrows.pop()!
      const doomed = startDoomed(market, port, {
        ROLES: 'api',
        CRASH_AT: String(moment),
        CRASH_FROM: 'signal',
      })
      await doomed.ready()
      const act = await prepare(escrow)
      const [prepared] = await market.sql<{ nextGeneration: number; floor: number }[]>`
        select next_generation, floor from escrows where txid = ${escrow.txid} and vout = ${escrow.vout}`
      doomed.child.kill('SIGUSR2')
      const answer = await act.submit().catch(() => null)
      // A response means that the submit has no further moments.
      if (answer) doomed.child.kill('SIGTERM')
      await doomed.ended

      await recovered(market, port, async (server) => {
        const isDone = await act.isDone()
        outcomes[isDone ? 'done' : 'absent']++
        if (answer) expect(isDone).toBe(true)
        if (act.txid && isDone)
          await until('the transaction to reach the mempool', async () =>
            (await waiting()).includes(act.txid!),
          )
        if (act.txid && !isDone) expect(await waiting()).not.toContain(act.txid)
        const crashed = await floorsOf(server, escrow)
        expect(crashed.nextGeneration).toBeGreaterThanOrEqual(prepared!.nextGeneration)
        expect(crashed.floor).toBeGreaterThanOrEqual(prepared!.floor)
        await until('a book without legs below the minimum', async () => {
          const live = await liveListings(escrow.inscriptionIds[0]!)
          return live.every(({ generation }) => generation >= crashed.signer)
        })
        const repeated = await act.submit()
        if (answer) expect(repeated).toEqual(answer)
        expect(await act.submit()).toEqual(repeated)
        const after = await floorsOf(server, escrow)
        expect(after.floor).toBeGreaterThanOrEqual(crashed.floor)
        expect(after.signer).toBeGreaterThanOrEqual(crashed.signer)
        await until("the signer's minimum to rise", async () => {
          const { floor, signer } = await floorsOf(server, escrow)
          return signer === floor && floor > prepared!.floor
        })
        await market.mine()
        await act.holds()
        await assertClean(market)
        expect(await listImbalances(market.sql)).toEqual([])
      })
      if (answer) break
    }
    console.log(
      `${market.node.kind} ${name}: ${moment} moments, every ${STRIDE}th: ${JSON.stringify(outcomes)}`,
    )
    expect(outcomes.done).toBeGreaterThan(0)
    expect(outcomes.absent).toBeGreaterThan(0)
  })

it('ends the listing after a crash while an exit is detected', async () => {
  let moment = FIRST
  for (; ; moment += STRIDE) {
    const escrow = escrows.pop()
    if (!escrow) throw new Error(`an exit has more than ${moment} moments`)
    const [inscriptionId] = escrow.inscriptionIds as [string]
    const [last] = await market.sql`select polled_at from mempool_poll`
    const doomed = startDoomed(market, port, {
      ROLES: 'follower',
      tuning: { pollMilliseconds: 50 },
      CRASH_AT: String(moment),
      CRASH_FROM: 'signal',
    })
    await until('a poll of the mempool', async () => {
      const [poll] = await market.sql`select polled_at from mempool_poll`
      return poll!.polledAt > last!.polledAt
    })
    doomed.child.kill('SIGUSR2')
    await leaveAlone(market, owner, [escrow])
    const seen = await until('the listing or the follower to end', async () => {
      if (doomed.child.signalCode !== null) return 'crashed'
      return (await liveListings(inscriptionId)).length === 0 && 'ended'
    })
    if (seen === 'ended') await doomed.kill('SIGTERM')
    await recovered(market, port, async (server) => {
      await until('the listing to end', async () => (await liveListings(inscriptionId)).length === 0)
      const { nextGeneration, floor } = await floorsOf(server, escrow)
      expect(floor).toBe(nextGeneration)
      await until(
        "the signer's minimum to rise",
        async () => (await floorsOf(server, escrow)).signer === floor,
      )
      await market.mine()
      expect(await isHome(market, inscriptionId, owner)).toBe(true)
      await assertClean(market)
      expect(await listImbalances(market.sql)).toEqual([])
    })
    if (seen === 'ended') break
  }
  console.log(`${market.node.kind} exit: ${moment} moments, every ${STRIDE}th`)
})

it('counts each trade once after a crash during its block', async () => {
  const [sold, reclaimed, moved, left] = escrows.splice(-4) as [Escrow, Escrow, Escrow, Escrow]
  const idOf = ({ inscriptionIds }: Escrow) => inscriptionIds[0]!
  const { moveTxid, settlementTxid } = await recovered(market, port, async () => {
    const { submit: list } = await prepareRelist(owner, [{ ...sold, priceSats: 70_000 }])
    await list()
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, [idOf(sold)]))
    const { submit: takeBack } = await prepareReclaim(owner, [reclaimed])
    await takeBack()
    const { submit: move } = await prepareMove(market, owner, [moved], 'wallet')
    const { txid } = await move()
    const free = await until('the move to release its coins', async () => {
      const coins = await market.regtest.coinsOf(owner.wallet.paymentScript)
      const unspent = await market.server.context.node.areUnspent(coins)
      return coins.filter((_, i) => unspent[i])
    })
    await leaveAlone(market, owner, [left], { coins: free.slice(0, 1) })
    await until('the listing to end', async () => (await liveListings(idOf(left))).length === 0)
    return { moveTxid: txid, settlementTxid: bought.settlementTxid }
  })
  const floors = () => market.sql`select txid, vout, next_generation, floor from escrows order by txid, vout`
  const before = await floors()
  const [block] = await market.regtest.mine()
  let moment = FIRST
  for (; ; moment += BLOCK_STRIDE) {
    const doomed = startDoomed(market, port, {
      ROLES: 'follower',
      tuning: { pollMilliseconds: 50 },
      CRASH_AT: String(moment),
      CRASH_FROM: 'getblock',
    })
    await until('the block', async () => {
      const [row] = await market.sql<{ height: number }[]>`select max(height) as height from blocks`
      return (
        doomed.child.signalCode !== null ||
        row!.height === (await market.regtest.call<number>('getblockcount'))
      )
    })
    await Promise.race([doomed.ended, new Promise((done) => setTimeout(done, 150))])
    const survived = doomed.child.signalCode === null
    if (survived) await doomed.kill('SIGKILL')
    await recovered(market, port, async (server) => {
      await server.sync()
      expect(await isHome(market, idOf(sold), buyer)).toBe(true)
      for (const each of [reclaimed, left]) expect(await isHome(market, idOf(each), owner)).toBe(true)
      const held = (await escrowsOf(owner)).filter(({ inscriptionIds }) =>
        [sold, reclaimed, moved, left].some((each) => inscriptionIds.includes(idOf(each))),
      )
      expect(held).toMatchObject([{ txid: moveTxid, state: 'resting', listing: null }])
      const sales = await market.sql`select txid from sales where inscription_id = ${idOf(sold)}`
      expect(sales).toEqual([{ txid: settlementTxid }])
      expect(await listImbalances(market.sql)).toEqual([])
      await assertClean(market)
    })
    expect(await floors()).toEqual(before)
    if (survived) break
    await market.regtest.call('invalidateblock', block)
    await recovered(market, port, async (server) => {
      await server.sync()
      expect(await listImbalances(market.sql)).toEqual([])
    })
    expect(await market.sql`select 1 from sales where txid = ${settlementTxid}`).toHaveLength(0)
    expect(await floors()).toEqual(before)
    await market.regtest.call('reconsiderblock', block)
  }
  console.log(`${market.node.kind}: ${moment} moments of a block of escrows, every ${BLOCK_STRIDE}th`)
  expect(moment).toBeGreaterThan(10)
  await recovered(market, port, async () => {
    const [escrow] = (await escrowsOf(owner)).filter((each) => each.txid === moveTxid)
    const { submit } = await prepareReclaim(owner, [escrow!])
    await submit()
    await market.mine()
    expect(await isHome(market, idOf(moved), owner)).toBe(true)
  })
})
