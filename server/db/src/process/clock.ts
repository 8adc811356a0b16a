import type { Config } from '../settings/config.ts'

/** Time of the chain, from indexed blocks. */
export interface ChainTime {
  /** From the last block's header. */
  tipAt: Date
  /** Median of the last eleven headers, which no single miner controls. */
  medianAt: Date
}

/** Expiries are final while wall clock and tip differ by at most this, in milliseconds. */
const AGREES = 2 * 3_600_000

/**
 * The market's clock, which decides when orders expire. A trade is rejected once the wall clock or the chain's median time has passed its
 * expiry. It ends permanently only while wall clock and tip agree, so a clock that jumps rejects trades for a while but ends nothing. On
 * regtest, where blocks are mined on demand, only the wall clock is used.
 */
export class MarketClock {
  /** False if only the wall clock is used. */
  asksChain: boolean
  private readonly find: () => Promise<ChainTime | null>
  private chain: ChainTime | null = null

  /** `find` reads the chain's time from the index. */
  constructor({ chain }: Pick<Config, 'chain'>, find: () => Promise<ChainTime | null>) {
    this.asksChain = chain !== 'regtest'
    this.find = find
  }

  /** The later of wall clock and median time, as last read. */
  now(): Date {
    const wall = new Date()
    return this.asksChain && this.chain && this.chain.medianAt > wall ? this.chain.medianAt : wall
  }

  /** Whether a passed expiry is final and may be stored. */
  isSettled(): boolean {
    if (!this.asksChain) return true
    return this.chain !== null && Math.abs(Date.now() - this.chain.tipAt.getTime()) <= AGREES
  }

  async refresh(): Promise<void> {
    if (this.asksChain) this.chain = await this.find()
  }
}
