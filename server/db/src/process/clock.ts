import type { Config } from '../settings/config.ts'

export interface ChainTime {
  tipAt: Date
  /** Median of the last eleven headers, which no single miner controls. */
  medianAt: Date
}

/** Maximum difference of wall clock and tip, in milliseconds, for final expiries. */
const MAX_DRIFT_MS = 2 * 3_600_000

/**
 * Decides when orders expire. A trade is rejected once the wall clock or the chain's median time passes its expiry. Orders end only while
 * wall clock and tip agree, so a wrong clock never ends them. Regtest uses only the wall clock.
 */
export class MarketClock {
  /** False on regtest. */
  asksChain: boolean
  private readonly find: () => Promise<ChainTime | null>
  private chain: ChainTime | null = null

  constructor({ chain }: Pick<Config, 'chain'>, find: () => Promise<ChainTime | null>) {
    this.asksChain = chain !== 'regtest'
    this.find = find
  }

  /** Returns the later of the wall clock and the last known median time. */
  now(): Date {
    const wall = new Date()
    return this.asksChain && this.chain && this.chain.medianAt > wall ? this.chain.medianAt : wall
  }

  isSettled(): boolean {
    if (!this.asksChain) return true
    return this.chain !== null && Math.abs(Date.now() - this.chain.tipAt.getTime()) <= MAX_DRIFT_MS
  }

  async refresh(): Promise<void> {
    if (this.asksChain) this.chain = await this.find()
  }
}
