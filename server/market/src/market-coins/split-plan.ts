import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { PoolRow } from './queries.ts'

/** Virtual sizes of the transactions from and to the market's coins, in vB. */
export const INPUT_VSIZE = 57.5
export const OUTPUT_VSIZE = 43
export const FRAME_VSIZE = 10.5

/** Returns the fee of a transaction from and to the market's coins, in sats. */
export const feeFor = (inputs: number, outputs: number, feeRateSatVb: number): number =>
  feeOf(FRAME_VSIZE + INPUT_VSIZE * inputs + OUTPUT_VSIZE * outputs, feeRateSatVb)

/** Returns the maximum inputs or outputs of `eachVsize` vB within the signer's fee limit. */
export const maxCountAt = (
  { signerMaxFeePerCallSats }: Pick<Config, 'signerMaxFeePerCallSats'>,
  rate: number,
  restVsize: number,
  eachVsize: number,
): number => Math.max(Math.floor((signerMaxFeePerCallSats / rate - restVsize) / eachVsize), 0)

/** Maximum anchors, and tail coins, per split. */
const MAX_PIECES = 125

export interface SplitPlan {
  anchors: number
  tails: number
  /** Values of the new coins, without the change. */
  pieces: number[]
  /** Minimum value of the coin to split. */
  sourceSats: number
}

/**
 * Returns the splits for the missing coins at `rate` sat/vB: all that one transaction can make, then halves of it, down to one coin. Empty if
 * none is missing, or if the signer's fee limit permits no split.
 */
export function planSplits(
  config: Pick<Config, 'signerMaxFeePerCallSats' | 'anchorPool' | 'tailSats'>,
  {
    freeAnchors,
    freeTails,
    wantedTails,
  }: Pick<PoolRow, 'freeAnchors' | 'freeTails'> & { wantedTails: number },
  rate: number,
): SplitPlan[] {
  const maxOutputs = maxCountAt(config, rate, FRAME_VSIZE + INPUT_VSIZE + OUTPUT_VSIZE, OUTPUT_VSIZE)
  const missingTails = Math.min(Math.max(wantedTails - freeTails, 0), MAX_PIECES)
  const missingAnchors = Math.min(Math.max(config.anchorPool - freeAnchors, 0), MAX_PIECES)
  const tails = Math.min(missingTails, Math.max(Math.ceil(maxOutputs / 2), maxOutputs - missingAnchors))
  const anchors = Math.min(missingAnchors, maxOutputs - tails)
  return [...halvingsOf({ anchors, tails })].map((size) => {
    const pieces = [
      ...Array<number>(size.tails).fill(config.tailSats),
      ...Array<number>(size.anchors).fill(ANCHOR_SATS),
    ]
    const spentSats = sumSats(pieces) + feeFor(1, pieces.length + 1, rate)
    // Up to twice its target value, a coin is a tail coin.
    return { ...size, pieces, sourceSats: Math.max(spentSats + ANCHOR_SATS, config.tailSats * 2 + 1) }
  })
}

/** Yields a split, then halves of it, down to one coin. If both kinds are missing, this is an anchor. */
function* halvingsOf({ anchors, tails }: { anchors: number; tails: number }) {
  for (let parts = 1; anchors + tails >= parts; parts *= 2) {
    const size = { anchors: Math.floor(anchors / parts), tails: Math.floor(tails / parts) }
    if (size.anchors + size.tails > 0) yield size
    if (size.anchors === 1 && size.tails === 1) yield { anchors: 1, tails: 0 }
  }
}
