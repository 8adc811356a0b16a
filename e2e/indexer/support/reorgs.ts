import type { MarketStatus } from '@ordbook/sdk/results.ts'
import { expect } from 'vitest'
import { type TestMarket, until } from '../../support/market.ts'

/** Time for reorgs of hundreds of blocks, in seconds. */
const PATIENCE = 120

/** Makes the node of a market leave its branch, and checks that trading is never open on a branch that the node left. */
export class Reorgs {
  private readonly market: TestMarket
  /** Blocks at the same time and height would be identical to the old branch's. */
  private clock = Math.floor(Date.now() / 1000)
  /** Called at each check while the node lacks the index's tip. */
  onDeadBranch: () => Promise<void> = async () => {}

  constructor(market: TestMarket) {
    this.market = market
  }

  heightOfNode(): Promise<number> {
    return this.market.regtest.call('getblockcount')
  }

  hashAt(height: number): Promise<string> {
    return this.market.regtest.call('getblockhash', height)
  }

  async tipOfIndex(): Promise<{ height: number; hash: string }> {
    const [tip] = await this.market.sql<{ height: number; hash: string }[]>`
      select height, block_hash as hash from blocks order by height desc limit 1`
    return tip!
  }

  async mineOther(count: number): Promise<void> {
    this.clock += 1000
    await this.market.regtest.setClock(this.clock)
    await this.market.regtest.mine(count)
  }

  /** Returns the first status read after the node's height changed. Fails if a later one is open while the node lacks the index's tip. */
  async settled(isSettled: (now: MarketStatus) => boolean): Promise<MarketStatus> {
    const status = async () =>
      (await fetch(`${this.market.server.url}/status`)).json() as Promise<MarketStatus>
    const height = await this.heightOfNode()
    await until('a status of the new chain', async () => (await status()).nodeHeight === height, PATIENCE)
    return until(
      'the end of the reorg',
      async () => {
        const now = await status()
        const tip = await this.tipOfIndex()
        const isOnBranch = tip.height <= height && (await this.hashAt(tip.height)) === tip.hash
        if (!isOnBranch) {
          expect(now).toMatchObject({ trading: 'paused' })
          // A reorg that is followed may end before the attempt.
          if (now.indexFault !== null) await this.onDeadBranch()
        }
        return isSettled(now) && now
      },
      PATIENCE,
    )
  }

  /** Waits for the fault of a reorg that the index cannot follow, and for the given reasons of the pause and of the fault. */
  stopped(reason?: string, ofFault = /./): Promise<MarketStatus> {
    return this.settled(
      ({ trading, indexFault, ...now }) =>
        trading === 'paused' &&
        ofFault.test(indexFault?.reason ?? '') &&
        now.reason === (reason ?? now.reason),
    )
  }

  /** Waits until the index has the node's tip and trading is open. */
  async assertFollowed(): Promise<void> {
    const now = await this.settled((now) => now.trading === 'open' && now.indexHeight === now.nodeHeight)
    expect(now).toMatchObject({ reason: null, indexFault: null, lagBlocks: 0 })
    expect((await this.tipOfIndex()).hash).toBe(await this.hashAt(await this.heightOfNode()))
  }

  /** Replaces the last blocks. Returns a function that makes the node return to the old branch. */
  async reorganize(depth: number, added: number): Promise<() => Promise<void>> {
    const height = await this.heightOfNode()
    const fork = height - depth
    const [base, tip] = [await this.hashAt(fork), await this.hashAt(height)]
    await this.withoutFollower(() => this.disconnectAbove(fork, base))
    if (added > 0) await this.mineOther(added)
    return async () => {
      await this.withoutFollower(() => this.disconnectAbove(fork, base))
      // The first block of the branch would also be that of longer branches which earlier tests made the node leave.
      await this.market.regtest.call('reconsiderblock', tip)
      expect(await this.market.regtest.call('getbestblockhash')).toBe(tip)
    }
  }

  /** Bitcoin Core disconnects blocks one by one, and a follower that looks meanwhile undoes the first of them. */
  private async withoutFollower(work: () => Promise<void>): Promise<void> {
    const { sql } = this.market
    await sql`
      update leases set holder = gen_random_uuid(), backend = pg_backend_pid(), token = token + 1
      where role = 'follower'`
    const hold = () => sql`
      update leases set expires_at = clock_timestamp() + interval '5 s' where role = 'follower'`
    await hold()
    const holding = setInterval(() => hold().catch(() => {}), 1000)
    try {
      await work()
    } finally {
      clearInterval(holding)
      await sql`update leases set expires_at = '-infinity' where role = 'follower'`
    }
  }

  /** Makes a block the node's tip. Invalidates all blocks above it, and branches of earlier tests. */
  private async disconnectAbove(height: number, hash: string): Promise<void> {
    const { regtest } = this.market
    while ((await regtest.call('getbestblockhash')) !== hash) {
      let [at, own] = [height, hash]
      const top = await this.heightOfNode()
      while (at > top || (await this.hashAt(at)) !== own) {
        own = (await regtest.call<{ previousblockhash: string }>('getblockheader', own)).previousblockhash
        at--
      }
      await regtest.call('invalidateblock', await this.hashAt(at + 1))
    }
  }
}
