import { readConfig } from '@ordbook/db/settings/config.ts'
import { expect, it } from 'vitest'
import { settlementFeeRate } from './fee-rates.ts'

/**
 * A node with this estimate and these minimum rates. minrelaytxfee is 0.1 sat/vB since Bitcoin Core 29.1,
 * and 1 sat/vB before.
 */
const nodeOf = (estimate: number | null, mempoolSatVb: number, relaySatVb: number) => ({
  feeRate: async () => estimate,
  leastRates: async () => ({ mempoolSatVb, relaySatVb }),
})
const rateOf = (node: ReturnType<typeof nodeOf>, settings: Record<string, string> = {}) =>
  settlementFeeRate({ node, config: readConfig(settings) })

it.each([
  ['the estimate', nodeOf(12.34567, 0.1, 0.1), 12.346],
  ['an estimate below 1 sat/vB', nodeOf(0.42, 0.1, 0.1), 0.42],
  ['the relay minimum', nodeOf(0.05, 0, 0.1), 0.1],
  ['the mempool minimum', nodeOf(0.5, 4.1, 0.1), 4.1],
  ['2 sat/vB without an estimate', nodeOf(null, 0.1, 0.1), 2],
])('settlementFeeRate returns %s', async (_, node, expected) => {
  expect(await rateOf(node)).toBe(expected)
})

it('settlementFeeRate stays within the configured limits', async () => {
  expect(await rateOf(nodeOf(0.42, 0.1, 0.1), { FEE_RATE_MIN_SAT_VB: '1' })).toBe(1)
  expect(await rateOf(nodeOf(900, 0.1, 0.1), { FEE_RATE_MAX_SAT_VB: '60' })).toBe(60)
})
