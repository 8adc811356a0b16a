import { settlementFeeRate } from '../chain/fee-rates.ts'
import type { Context } from '../context.ts'
import { deleteStaleDeclines, setExecutable } from '../settlements/bid-queries.ts'

const PAUSE_MILLISECONDS = 60_000

/**
 * Follows the network's fee rate: bids whose network fee would take what the seller gets do not count until it falls, and
 * are listed as before. The rate is rounded up, so that its noise changes nothing; bids are looked at when it changes, and
 * once a minute for those that came meanwhile.
 */
export function followBids(context: Context): () => Promise<void> {
  let last = { rate: Number.NaN, at: Number.NEGATIVE_INFINITY }
  return async () => {
    const rate = Math.ceil(await settlementFeeRate(context))
    const at = performance.now()
    if (rate === last.rate && at - last.at < PAUSE_MILLISECONDS) return
    await setExecutable(context.sql, rate)
    await deleteStaleDeclines(context.sql)
    last = { rate, at }
  }
}
