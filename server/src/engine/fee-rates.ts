import type { Context } from '../context.ts'

/** Fee rate for a settlement in sat/vB: the node's estimate for two blocks, within the configured bounds. */
export async function settlementFeeRate({ node, config }: Pick<Context, 'node' | 'config'>): Promise<number> {
  const estimate = (await node.feeRate(2)) ?? config.feeRateFallbackSatVb
  const bounded = Math.min(Math.max(estimate, config.feeRateMinSatVb), config.feeRateMaxSatVb)
  // Three decimals are what a sat per kvB can say.
  return Math.round(bounded * 1000) / 1000
}
