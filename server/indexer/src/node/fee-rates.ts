import { conflict } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { FeeSource } from './source.ts'

/**
 * Fee rate of a settlement in sat/vB: the node's estimate for two blocks, at least its mempool and relay minimum, within the configured
 * limits.
 */
export async function settlementFeeRate({
  node,
  config,
}: {
  node: FeeSource
  config: Config
}): Promise<number> {
  const { mempoolSatVb, relaySatVb } = await node.leastRates()
  const estimate = (await node.feeRate(2)) ?? config.feeRateFallbackSatVb
  const least = Math.max(mempoolSatVb, relaySatVb, config.feeRateMinSatVb ?? 0)
  const bounded = Math.min(Math.max(estimate, least), config.feeRateMaxSatVb)
  // Three decimals: a sat per kvB.
  return Math.round(bounded * 1000) / 1000
}

/** Throws conflict if fees have risen since the preflight so that the mempool would reject its fee rate. */
export async function refuseOutbid({ node }: { node: FeeSource }, feeRateSatVb: number): Promise<void> {
  const { mempoolSatVb } = await node.leastRates()
  if (feeRateSatVb < mempoolSatVb)
    throw conflict(
      'fees-risen',
      `Network fees have risen: this was prepared at ${feeRateSatVb} sat/vB, and the network takes ${mempoolSatVb} or more. Prepare it again`,
    )
}
