import type { Config } from '../settings/config.ts'

export interface ChainTime {
  tipAt: Date
  /** Median of the last eleven headers. No single miner controls it. */
  medianAt: Date
}

/** Maximum difference of wall clock and tip, in milliseconds, while expiries are final. */
const MAX_DRIFT_MS = 2 * 3_600_000

/**
 * Clock that decides when orders expire. A trade is rejected once the wall clock or the chain's median time
 * has passed its expiry. An order ends permanently only while wall clock and tip agree, so a clock that
 * jumps rejects trades temporarily but ends no orders. On regtest, blocks are mined on demand, so only the
 * wall clock is used.
 */
export class MarketClock {
  /** False on regtest, where only the wall clock is used. */
  asksChain: boolean
  private readonly find: () => Promise<ChainTime | null>
  private chain: ChainTime | null = null

  constructor({ chain }: Pick<Config, 'chain'>, find: () => Promise<ChainTime | null>) {
    this.asksChain = chain !== 'regtest'
    this.find = find
  }

  /** Returns the later of wall clock and median time, as last refreshed. */
  now(): Date {
    const wall = new Date()
    return this.asksChain && this.chain && this.chain.medianAt > wall ? this.chain.medianAt : wall
  }

  /** Returns whether a passed expiry is final and can be stored. */
  isSettled(): boolean {
    if (!this.asksChain) return true
    return this.chain !== null && Math.abs(Date.now() - this.chain.tipAt.getTime()) <= MAX_DRIFT_MS
  }

  async refresh(): Promise<void> {
    if (this.asksChain) this.chain = await this.find()
  }
}
