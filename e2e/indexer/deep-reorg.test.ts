import { afterEach, describe, expect, it } from 'vitest'
import { expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { setUpMarket } from '../support/market.ts'
import { Reorgs } from './support/reorgs.ts'

/** Reorgs around the limit of what the index can undo. Trading must never be open on a branch that the node left. */
const UNDO_BLOCKS = 5
const market = setUpMarket({ LOG_LEVEL: 'silent', tuning: { undoBlocks: UNDO_BLOCKS } })

const reorgs = new Reorgs(market)

afterEach(() => reorgs.assertFollowed())

describe('a reorg', () => {
  it.each([1, UNDO_BLOCKS - 1, UNDO_BLOCKS])('of %i blocks is followed', async (depth) => {
    await reorgs.reorganize(depth, depth + 2)
    await reorgs.assertFollowed()
  })

  it.each([UNDO_BLOCKS + 1, 3 * UNDO_BLOCKS])(
    'of %i blocks pauses trading until the node returns to the branch',
    async (depth) => {
      const before = await reorgs.tipOfIndex()
      const goBack = await reorgs.reorganize(depth, depth + 2)
      const now = await reorgs.stopped(`the Bitcoin node does not have block ${before.height} of the index`)
      await expectInStatus(['node-other-chain'], market.server.url)
      await expectInMetrics(['node-other-chain'], metricsAt(market.server.url))
      expect(now.indexFault).toMatchObject({
        height: before.height,
        blockHash: before.hash,
        txid: null,
        reason: expect.stringMatching(/^the chain was reorganized by more than 5 blocks/),
      })
      await expect(market.server.sync()).rejects.toThrow(/cannot follow the node/)
      expect(await reorgs.tipOfIndex()).toEqual(before)
      await goBack()
      await reorgs.assertFollowed()
      expect(await reorgs.tipOfIndex()).toEqual(before)
    },
  )

  it.each([1, UNDO_BLOCKS])('of %i blocks without a new block is followed', async (depth) => {
    const goBack = await reorgs.reorganize(depth, 0)
    await reorgs.assertFollowed()
    await goBack()
  })

  it('pauses trading while the node is far behind the index', async () => {
    const before = await reorgs.tipOfIndex()
    const goBack = await reorgs.reorganize(2 * UNDO_BLOCKS, 0)
    const now = await reorgs.stopped(`the Bitcoin node is ${2 * UNDO_BLOCKS} blocks behind the index`)
    expect(now.indexFault?.reason).toMatch(/^the node's chain ends below block/)
    expect(await reorgs.tipOfIndex()).toEqual(before)
    await goBack()
  })

  it('of the first block of a begun index pauses trading', async () => {
    const { height } = await reorgs.tipOfIndex()
    await market.sql`insert into settings (name, value) values ('base', ${String(height - 1)})`
    try {
      await reorgs.reorganize(1, 3)
      await reorgs.assertFollowed()
      // Two blocks were added above the base.
      const goBack = await reorgs.reorganize(4, 6)
      const now = await reorgs.stopped()
      expect(now.indexFault?.reason).toMatch(
        new RegExp(`^the chain was reorganized below block ${height - 1}, the first of the index`),
      )
      await goBack()
      await reorgs.assertFollowed()
    } finally {
      await market.sql`delete from settings where name = 'base'`
    }
  })

  it('pauses trading if the undo data of its blocks was never stored', async () => {
    await reorgs.mineOther(1)
    await reorgs.assertFollowed()
    const { height } = await reorgs.tipOfIndex()
    await market.sql`update settings set value = ${String(height)} where name = 'undo from'`
    const goBack = await reorgs.reorganize(2, 4)
    const now = await reorgs.stopped()
    expect(now.indexFault?.reason).toMatch(/^the chain was reorganized by more than 1 blocks/)
    await goBack()
  })
})
