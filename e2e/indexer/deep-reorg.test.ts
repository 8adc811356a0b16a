import { afterEach, describe, expect, it } from 'vitest'
import { expectInMetrics, expectInStatus, metricsAt } from '../support/fault-places.ts'
import { setUpMarket, until } from '../support/market.ts'

/** Reorgs around the limit of what the index can undo. Trading must never be open on a branch that the node left. */
const UNDO_BLOCKS = 5
const market = setUpMarket({ LOG_LEVEL: 'silent', tuning: { undoBlocks: UNDO_BLOCKS } })

const heightOfNode = () => market.regtest.call<number>('getblockcount')
const hashAt = (height: number) => market.regtest.call<string>('getblockhash', height)
const status = async () => (await fetch(`${market.server.url}/status`)).json() as any

async function tipOfIndex(): Promise<{ height: number; hash: string }> {
  const [tip] = await market.sql<{ height: number; hash: string }[]>`
    select height, block_hash as hash from blocks order by height desc limit 1`
  return tip!
}

/** Blocks at the same time and height would be identical to those of the branch that the node left. */
let clock = Math.floor(Date.now() / 1000)
async function mineOther(count: number): Promise<void> {
  clock += 1000
  await market.regtest.setClock(clock)
  await market.regtest.mine(count)
}

/** Returns the first status read after the node's height changed. Fails if a later one is open while the node lacks the index's tip. */
async function settled(isSettled: (now: any) => boolean): Promise<any> {
  const height = await heightOfNode()
  await until('a status of the new chain', async () => (await status()).nodeHeight === height)
  return until('the end of the reorg', async () => {
    const now = await status()
    const tip = await tipOfIndex()
    const isOnBranch = tip.height <= height && (await hashAt(tip.height)) === tip.hash
    if (!isOnBranch) expect(now).toMatchObject({ trading: 'paused' })
    return isSettled(now) && now
  })
}

const isFollowed = (now: any) => now.trading === 'open' && now.indexHeight === now.nodeHeight
const isStopped = (now: any) => now.trading === 'paused' && now.indexFault !== null

/** Makes a block of the active chain the node's tip. Invalidates all blocks above it, and branches of earlier tests. */
async function disconnectAbove(height: number): Promise<void> {
  const hashes = await Promise.all(Array.from({ length: height + 1 }, (_, n) => hashAt(n)))
  for (;;) {
    let at = Math.min(await heightOfNode(), height)
    while ((await hashAt(at)) !== hashes[at]) at--
    if (at === (await heightOfNode())) return
    await market.regtest.call('invalidateblock', await hashAt(at + 1))
  }
}

/** Replaces the last blocks. Returns a function that makes the node return to the old branch. */
async function reorganize(depth: number, added: number): Promise<() => Promise<void>> {
  const fork = (await heightOfNode()) - depth
  const left = await hashAt(fork + 1)
  await disconnectAbove(fork)
  if (added > 0) await mineOther(added)
  return async () => {
    await disconnectAbove(fork)
    await market.regtest.call('reconsiderblock', left)
  }
}

async function assertFollowed(): Promise<void> {
  const now = await settled(isFollowed)
  expect(now).toMatchObject({ reason: null, indexFault: null, lagBlocks: 0 })
  expect((await tipOfIndex()).hash).toBe(await hashAt(await heightOfNode()))
}

afterEach(assertFollowed)

describe('a reorg', () => {
  it.each([1, UNDO_BLOCKS - 1, UNDO_BLOCKS])('of %i blocks is followed', async (depth) => {
    await reorganize(depth, depth + 2)
    await assertFollowed()
  })

  it.each([UNDO_BLOCKS + 1, 3 * UNDO_BLOCKS])(
    'of %i blocks pauses trading until the node returns to the branch',
    async (depth) => {
      const before = await tipOfIndex()
      const goBack = await reorganize(depth, depth + 2)
      const now = await settled(isStopped)
      expect(now.reason).toBe(`the Bitcoin node does not have block ${before.height} of the index`)
      await expectInStatus(['node-other-chain'], market.server.url)
      await expectInMetrics(['node-other-chain'], metricsAt(market.server.url))
      expect(now.indexFault).toMatchObject({
        height: before.height,
        blockHash: before.hash,
        txid: null,
        reason: expect.stringMatching(/^the chain was reorganized by more than 5 blocks/),
      })
      await expect(market.server.sync()).rejects.toThrow(/cannot follow the node/)
      expect(await tipOfIndex()).toEqual(before)
      await goBack()
      await assertFollowed()
      expect(await tipOfIndex()).toEqual(before)
    },
  )

  it.each([1, UNDO_BLOCKS])('of %i blocks without a new block is followed', async (depth) => {
    const goBack = await reorganize(depth, 0)
    await assertFollowed()
    await goBack()
  })

  it('pauses trading while the node is far behind the index', async () => {
    const before = await tipOfIndex()
    const goBack = await reorganize(2 * UNDO_BLOCKS, 0)
    const now = await settled(isStopped)
    expect(now.reason).toBe(`the Bitcoin node is ${2 * UNDO_BLOCKS} blocks behind the index`)
    expect(now.indexFault.reason).toMatch(/^the node's chain ends below block/)
    expect(await tipOfIndex()).toEqual(before)
    await goBack()
  })

  it('of the first block of a begun index pauses trading', async () => {
    const { height } = await tipOfIndex()
    await market.sql`insert into settings (name, value) values ('base', ${String(height - 1)})`
    try {
      await reorganize(1, 3)
      await assertFollowed()
      // Two blocks were added above the base.
      const goBack = await reorganize(4, 6)
      const now = await settled(isStopped)
      expect(now.indexFault.reason).toMatch(
        new RegExp(`^the chain was reorganized below block ${height - 1}, the first of the index`),
      )
      await goBack()
      await assertFollowed()
    } finally {
      await market.sql`delete from settings where name = 'base'`
    }
  })

  it('pauses trading if the undo data of its blocks was never stored', async () => {
    await mineOther(1)
    await assertFollowed()
    const { height } = await tipOfIndex()
    await market.sql`update settings set value = ${String(height)} where name = 'undo from'`
    const goBack = await reorganize(2, 4)
    const now = await settled(isStopped)
    expect(now.indexFault.reason).toMatch(/^the chain was reorganized by more than 1 blocks/)
    await goBack()
  })
})
