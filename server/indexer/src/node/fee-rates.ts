import { conflict } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { openSource } from './open-source.ts'
import type { FeeSource } from './source.ts'

/**
 * Returns the fee rate of settlements in sat/vB: the two-block estimate, at least the mempool and relay minimum, within the configured
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
  const minimum = Math.max(mempoolSatVb, relaySatVb, config.feeRateMinSatVb ?? 0)
  const bounded = Math.min(Math.max(estimate, minimum), config.feeRateMaxSatVb)
  // Three decimals: 0.001 sat/vB is 1 sat/kvB.
  return Math.round(bounded * 1000) / 1000
}

/** Returns the same rate for a command of the operator: the fallback rate if there is no node, or if it fails. */
export async function settlementFeeRateAt(rpcUrl: string | null, config: Config): Promise<number> {
  if (rpcUrl === null) return config.feeRateFallbackSatVb
  return settlementFeeRate({ node: openSource(rpcUrl), config }).catch(() => config.feeRateFallbackSatVb)
}

/** Throws `conflict` if the mempool minimum has risen above the preflight's fee rate. */
export async function rejectRisenFees({ node }: { node: FeeSource }, feeRateSatVb: number): Promise<void> {
  const { mempoolSatVb } = await node.leastRates()
  if (feeRateSatVb < mempoolSatVb)
    throw conflict(
      'fees-risen',
      `Network fees have risen: the preflight used ${feeRateSatVb} sat/vB, and the minimum is now ${mempoolSatVb} sat/vB. Request a new preflight.`,
    )
}
