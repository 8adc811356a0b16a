import { expect, it } from 'vitest'
import { planSplits } from './split-plan.ts'

const config = { anchorPool: 20, tailSats: 20_000, signerMaxFeePerCallSats: 500_000 }
const empty = { freeAnchors: 0, freeTails: 0, wantedTails: 20 }

it('halves the split down to one anchor', () => {
  expect(planSplits(config, empty, 2).map(({ anchors, tails }) => [anchors, tails])).toEqual([
    [20, 20],
    [10, 10],
    [5, 5],
    [2, 2],
    [1, 1],
    [1, 0],
  ])
})

it('needs more sats than a tail coin at low rates, and the fee at high rates', () => {
  const leastAt = (rate: number) => planSplits(config, empty, rate).at(-1)?.sourceSats
  expect(leastAt(2)).toBe(40_001)
  // 154 vB: one input, an anchor and the change.
  expect(leastAt(300)).toBe(330 + 330 + 154 * 300)
})

it("makes no split above the signer's fee limit", () => {
  expect(planSplits({ ...config, signerMaxFeePerCallSats: 10_000 }, empty, 500)).toEqual([])
})

it('makes no split if no coin is missing', () => {
  expect(planSplits(config, { freeAnchors: 20, freeTails: 20, wantedTails: 20 }, 2)).toEqual([])
})
