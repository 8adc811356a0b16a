import type { Config } from '../settings/config.ts'

/** Times of the chain, by the blocks of the index. */
export interface ChainTime {
  /** Of the last block's header. */
  tipAt: Date
  /** Median of the last eleven headers, which no single miner moves. */
  medianAt: Date
}

/** An expiry is final while wall clock and tip are no further apart, in milliseconds. */
const AGREES = 2 * 3_600_000

/**
 * The time of the market, by which everything that expires is refused, hidden, and ended. A trade is refused as soon as the
 * wall clock or the chain's median time has passed its expiry. It ends for good only while wall clock and tip agree: a
 * clock that jumps refuses for a while and ends nothing. On regtest, where blocks come when asked for, the wall clock
 * alone decides.
 */
export class MarketClock {
  /** False where the wall clock alone decides. */
  asksChain: boolean
  private readonly find: () => Promise<ChainTime | null>
  private chain: ChainTime | null = null

  /** `find` reads the times of the chain from the index. */
  constructor({ chain }: Pick<Config, 'chain'>, find: () => Promise<ChainTime | null>) {
    this.asksChain = chain !== 'regtest'
    this.find = find
  }

  /** The later of wall clock and median time, as last read. */
  now(): Date {
    const wall = new Date()
    return this.asksChain && this.chain && this.chain.medianAt > wall ? this.chain.medianAt : wall
  }

  /** Whether a passed expiry is final, and may be written. */
  isSettled(): boolean {
    if (!this.asksChain) return true
    return this.chain !== null && Math.abs(Date.now() - this.chain.tipAt.getTime()) <= AGREES
  }

  /** Reads the times of the chain again. */
  async refresh(): Promise<void> {
    if (this.asksChain) this.chain = await this.find()
  }
}
