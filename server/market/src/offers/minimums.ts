import { bpsUpOf } from '@ordbook/bitcoin/sats.ts'
import type { Context } from '../context.ts'
import type { Minimums } from './queries.ts'

const STEP_SATS = 1000
/** Minimum relative to the floor of the selected collection. */
const FLOOR_BPS = 2000
const FLOOR_MOST_SATS = 1_000_000
/** Minimum relative to the best collection offer. */
const COLLECTION_OFFER_BPS = 9000

const roundUpToStep = (sats: number) => Math.ceil(sats / STEP_SATS) * STEP_SATS

/** Returns an offer's minimum price and the reason for it. The API schema has another absolute minimum. */
export function minimumOffer(
  { offerFloorPercent }: Pick<Context['config'], 'offerFloorPercent'>,
  { selectedFloorSats, highestFloorSats, collectionOfferSats }: Minimums,
): { sats: number; reason: string } {
  const rules: { sats: number; reason: string }[] = [
    {
      sats: roundUpToStep(Math.min(bpsUpOf(selectedFloorSats ?? 0, FLOOR_BPS), FLOOR_MOST_SATS)),
      reason: '20% of the floor',
    },
    {
      sats: roundUpToStep(bpsUpOf(highestFloorSats ?? 0, Math.round(offerFloorPercent * 100))),
      reason: `${offerFloorPercent}% of the highest floor of its collections`,
    },
    {
      sats: roundUpToStep(bpsUpOf(collectionOfferSats ?? 0, COLLECTION_OFFER_BPS)),
      reason: '90% of its best collection offer',
    },
  ]
  return rules.reduce((a, b) => (b.sats > a.sats ? b : a))
}
