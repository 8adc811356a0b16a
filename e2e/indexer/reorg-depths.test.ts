import { ApiError, delist, list, preparePurchase } from '@ordbook/sdk/index.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../support/market.ts'
import { Reorgs } from './support/reorgs.ts'

/** Reorgs of up to 300 blocks, with the default limit of 100. Nothing can be traded on a branch that the node left. */
const UNDO_BLOCKS = 100
const MAX_DEPTH = 300
const depths = sampled(
  [1, UNDO_BLOCKS - 1, UNDO_BLOCKS, UNDO_BLOCKS + 1, MAX_DEPTH],
  Array.from({ length: MAX_DEPTH }, (_, n) => n + 1),
)

const market = setUpMarket({ LOG_LEVEL: 'silent', tuning: { undoBlocks: UNDO_BLOCKS } })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
const reorgs = new Reorgs(market)

let slug: string
let listed: string
let unlisted: string
let prepared: Awaited<ReturnType<typeof preparePurchase>>
let attempts = 0

beforeAll(async () => {
  const collection = await market.collection(seller.wallet, 2)
  slug = collection.slug
  ;[listed, unlisted] = collection.ids as [string, string]
  await market.mine(MAX_DEPTH + 10)
  await listAll(market, seller, slug, [listed], 80_000)
  prepared = await prepare()
}, 300_000)

const prepare = async () => preparePurchase(buyer, slug, await agreementFor(market, buyer, [listed]))

async function assertRefused(attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).code).toBe('trading-paused')
  attempts++
}

const assertNoTrade = async () => {
  await assertRefused(prepare())
  await assertRefused(buyer.client.call('submitPurchase', { params: prepared.params, body: prepared.body }))
  const coin = await market.coinOf(unlisted)
  await assertRefused(
    list(seller, slug, [{ inscriptionId: unlisted, priceSats: 90_000, coin, maxFeeBps: 100 }]),
  )
}

beforeEach(() => {
  reorgs.onDeadBranch = assertNoTrade
})

const submitted = async () => {
  const [row] = await market.sql<{ count: number }[]>`select count(*)::int as count from settlements`
  return row!.count
}

afterEach(async () => {
  await reorgs.assertFollowed()
  expect(await submitted()).toBe(0)
  prepared = await prepare()
})

describe('a reorg', () => {
  it.each(depths.filter((depth) => depth <= UNDO_BLOCKS))('of %i blocks is followed', async (depth) => {
    await reorgs.reorganize(depth, depth + 2)
    await reorgs.assertFollowed()
  })

  it.each(depths.filter((depth) => depth > UNDO_BLOCKS))(
    'of %i blocks stops trading until the node returns to the branch',
    async (depth) => {
      const before = await reorgs.tipOfIndex()
      attempts = 0
      // First the node's height is below the index's, then above.
      const goBack = await reorgs.reorganize(depth, 0)
      await reorgs.stopped(`the Bitcoin node is ${depth} blocks behind the index`)
      await assertNoTrade()
      await reorgs.mineOther(depth + 2)
      await reorgs.stopped(
        `the Bitcoin node does not have block ${before.height} of the index`,
        /reorganized by more than/,
      )
      await assertNoTrade()
      expect(attempts).toBeGreaterThanOrEqual(6)
      expect(await reorgs.tipOfIndex()).toEqual(before)
      await goBack()
      await reorgs.assertFollowed()
      expect(await reorgs.tipOfIndex()).toEqual(before)
    },
  )

  it('lets sellers cancel on a branch that the node left', async () => {
    // A cancelled listing cannot be bought in any case.
    reorgs.onDeadBranch = async () => {}
    const goBack = await reorgs.reorganize(UNDO_BLOCKS + 1, UNDO_BLOCKS + 3)
    await reorgs.stopped()
    const { items } = await agreementFor(market, buyer, [listed])
    await delist(seller, slug, items)
    await goBack()
    await reorgs.assertFollowed()
    await listAll(market, seller, slug, [listed], 80_000)
  })
})
