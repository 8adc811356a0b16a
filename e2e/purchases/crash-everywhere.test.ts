import { freePort } from '@ordbook/db/process/free-port.ts'
import { buy, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader, until } from '../support/market.ts'
import { assertClean, recovered, startDoomed } from './support/doomed.ts'

const STRIDE = sampled(97, 2, 193)
const FIRST = 1 + Math.floor(Math.random() * STRIDE)
/** Larger, because a block has more moments and each needs two servers. */
const BLOCK_STRIDE = sampled(193, 2, 389)

const port = await freePort()
const market = setUpMarket({ PORT: String(port), ANCHOR_POOL: '300' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 400_000_000)

it('settles or drops a purchase after a crash at any step', async () => {
  const items = Math.ceil(800 / STRIDE)
  const { slug, ids } = await market.collection(seller.wallet, items)
  await market.anchors(2 * items + 4)
  await listAll(market, seller, slug, ids, 30_000)
  await market.server.close()
  const outcomes = { settled: 0, absent: 0 }
  let moment = FIRST
  for (; ; moment += STRIDE) {
    const id = ids.pop()
    if (!id) throw new Error(`a submit has more than ${items * STRIDE} moments`)
    const doomed = startDoomed(market, port, { ROLES: 'api', CRASH_AT: String(moment), CRASH_FROM: 'signal' })
    await doomed.ready()
    const { body, answer } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [id]))
    doomed.child.kill('SIGUSR2')
    const key = { idempotencyKey: `moment-${moment}` }
    const answered = await buyer.client
      .call('submitPurchase', { params: { slug }, body }, key)
      .catch(() => null)
    // A response means that the submit has no further moments, or that the server was armed too late.
    if (answered) doomed.child.kill('SIGTERM')
    await doomed.ended

    await recovered(market, port, async () => {
      const state = await until('the trade to be resolved', async () => {
        const [row] = await market.sql<{ state: string }[]>`
          select coalesce(state || coalesce(': ' || failure, ''), 'prepared') as state from preflights
            left join settlements on settlement_id::text = handle where handle = ${body.purchaseAnchorUtxoId}`
        return row && row.state !== 'intended' ? row.state : null
      })
      const mempool = await market.regtest.call<string[]>('getrawmempool')
      if (state === 'broadcast') {
        outcomes.settled++
        expect(mempool).toContain(answer.expectedSettlementTxid)
        const repeated = await buyer.client.call('submitPurchase', { params: { slug }, body })
        expect(repeated.settlementTxid).toBe(answer.expectedSettlementTxid)
        await market.sql`
          update idempotency_keys set began_at = began_at - interval '10 minutes' where body is null`
        expect(await buyer.client.call('submitPurchase', { params: { slug }, body }, key)).toEqual(repeated)
      } else {
        outcomes.absent++
        expect(state).toBe('prepared')
        expect(mempool).not.toContain(answer.expectedSettlementTxid)
        await buy(buyer, slug, await agreementFor(market, buyer, [id]))
      }
      await market.mine()
      expect(await market.coinOf(id)).toMatchObject({ script: buyer.wallet.ordinalsScript })
      await market.sql`update preflights set expires_at = now() - interval '1 second' where answer is null`
    })
    if (answered) break
  }
  console.log(
    `${market.node.kind}: ${moment} moments of a submit, every ${STRIDE}th tried: ${outcomes.settled} settled, ${outcomes.absent} absent`,
  )
  expect(outcomes.settled).toBeGreaterThan(0)
  expect(outcomes.absent).toBeGreaterThan(0)
  await assertClean(market)
})

it('records a sale once after a crash during its block', async () => {
  let moment = FIRST
  const { slug, ids } = await recovered(market, port, async () => {
    const collection = await market.collection(seller.wallet, 1)
    await market.anchors(8)
    await listAll(market, seller, collection.slug, collection.ids, 30_000)
    await buy(buyer, collection.slug, await agreementFor(market, buyer, collection.ids))
    return collection
  })
  const [block] = await market.regtest.mine()
  for (; ; moment += BLOCK_STRIDE) {
    const doomed = startDoomed(market, port, {
      ROLES: 'follower',
      tuning: { pollMilliseconds: 50 },
      CRASH_AT: String(moment),
      CRASH_FROM: 'getblock',
    })
    const indexed = until(
      'the block',
      async () => {
        const [row] = await market.sql<{ height: number }[]>`select max(height) as height from blocks`
        return (
          doomed.child.signalCode !== null ||
          row!.height === (await market.regtest.call<number>('getblockcount'))
        )
      },
      60,
    )
    await indexed
    // After the block there are only polls.
    await Promise.race([doomed.ended, new Promise((done) => setTimeout(done, 150))])
    const survived = doomed.child.signalCode === null
    if (survived) await doomed.kill('SIGKILL')
    await recovered(market, port, (server) => server.sync())
    const sales = await market.sql`select txid from sales where inscription_id = ${ids[0]!}`
    expect(sales).toHaveLength(1)
    expect(await market.coinOf(ids[0]!)).toMatchObject({ script: buyer.wallet.ordinalsScript })
    await assertClean(market)
    if (survived) break
    await market.regtest.call('invalidateblock', block)
    await recovered(market, port, (server) => server.sync())
    expect(await market.sql`select 1 from sales where inscription_id = ${ids[0]!}`).toHaveLength(0)
    await market.regtest.call('reconsiderblock', block)
  }
  console.log(`${market.node.kind}: ${moment} moments of a block, every ${BLOCK_STRIDE}th`)
  expect(moment).toBeGreaterThan(10)
  expect(slug).toBeTruthy()
  await recovered(market, port, async () => {})
})
