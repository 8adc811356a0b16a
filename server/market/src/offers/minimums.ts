import { bpsUpOf } from '@ordbook/bitcoin/sats.ts'
import type { Context } from '../context.ts'
import type { Minimums } from './queries.ts'

/** Every minimum is a multiple of this. */
const STEP_SATS = 1000
/** Share of the selected collection's floor, and its cap. */
const FLOOR_BPS = 2000
const FLOOR_MOST_SATS = 1_000_000
/** Share of the best collection offer. */
const COLLECTION_OFFER_BPS = 9000

const upToStep = (sats: number) => Math.ceil(sats / STEP_SATS) * STEP_SATS

/** The minimum of an offer in sats, with its reason. The contract has an absolute minimum besides. */
export function leastOffer(
  { offerFloorPercent }: Pick<Context['config'], 'offerFloorPercent'>,
  { selectedFloorSats, highestFloorSats, collectionOfferSats }: Minimums,
): { sats: number; reason: string } {
  const rules: { sats: number; reason: string }[] = [
    {
      sats: upToStep(Math.min(bpsUpOf(selectedFloorSats ?? 0, FLOOR_BPS), FLOOR_MOST_SATS)),
      reason: '20 % of the floor',
    },
    {
      sats: upToStep(bpsUpOf(highestFloorSats ?? 0, Math.round(offerFloorPercent * 100))),
      reason: `${offerFloorPercent} % of the highest floor of its collections`,
    },
    {
      sats: upToStep(bpsUpOf(collectionOfferSats ?? 0, COLLECTION_OFFER_BPS)),
      reason: '90 % of the best collection offer on it',
    },
  ]
  return rules.reduce((a, b) => (b.sats > a.sats ? b : a))
}
