import {
  canonicalTarget,
  criteriaHash,
  criteriaText,
  type OfferTarget,
} from '@ordbook/bitcoin/trade/criteria.ts'
import type * as operations from '@ordbook/contract/collection-offers.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { getCollection } from '../collections/inscriptions.ts'
import { type CollectionRow, countEligible } from '../collections/queries.ts'
import { assertTraitSize } from '../collections/traits.ts'
import type { Context } from '../context.ts'
import { usableCoins } from '../settlements/payment-coins.ts'
import { getTrader } from '../settlements/trader.ts'
import type { UseCase } from '../use-case.ts'
import { payOffers } from './coins.ts'
import { findPreview, findTargetFloors, listReplaced } from './queries.ts'

/** Returns the prices of a ladder, highest first. */
export function ladderOf({
  priceSats,
  offerCount = 1,
  ladderStepSats = 0,
}: {
  priceSats: number
  offerCount?: number
  ladderStepSats?: number
}): number[] {
  const prices = Array.from({ length: offerCount }, (_, k) => priceSats - k * ladderStepSats)
  if (prices.some((price) => price < MIN_SATS || price % STEP_SATS !== 0))
    throw invalid(
      'price-out-of-range',
      `ladderStepSats: every price of the ladder must be at least ${MIN_SATS} sats and a multiple of ${STEP_SATS}`,
    )
  return prices
}
const MIN_SATS = 10_000
const STEP_SATS = 5000

/** Returns the canonical form of a client's target. */
export function targetOf(target: OfferTarget): OfferTarget {
  const canonical = canonicalTarget(target)
  if (canonical.kind === 'traits') assertTraitSize(canonical.traits, 'target')
  return canonical
}

export function labelOf(target: OfferTarget): string {
  if (target.kind === 'all') return 'Collection'
  return target.traits.map(({ type, values }) => `${type}: ${values.join(' or ')}`).join(', ')
}

function describeSample(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  collection: CollectionRow,
  sample: { inscriptionId: string; contentType: string | null },
) {
  return {
    inscriptionId: sample.inscriptionId,
    image: `${publicUrl}/content/${sample.inscriptionId}`,
    previewContentType: sample.contentType,
    imageRenderingHint: collection.imageRenderingHint,
  }
}

export async function previewTarget(
  context: Context,
  slug: string,
  { target }: BodyOf<typeof operations.previewCollectionOfferTarget>,
): Promise<AnswerOf<typeof operations.previewCollectionOfferTarget>> {
  const { sql, clock } = context
  const collection = await getCollection(context, slug)
  const { collectionId } = collection
  const canonical = targetOf(target)
  const { count, first } = await countEligible(sql, collectionId, canonical)
  const sample = first && { inscriptionId: first, ...(await findPreview(sql, first)) }
  return {
    target,
    eligibleCount: count,
    ...(await findTargetFloors(sql, collectionId, canonical, clock())),
    sampleInscription: sample ? describeSample(context, collection, sample) : null,
  }
}

export const previewReplacement: UseCase<typeof operations.previewCollectionOfferReplacementWarning> = async (
  context,
  call,
) => {
  const { sql, clock } = context
  const { body: input } = call
  const { collection, binding } = await getTrader(context, call)
  const { walletBindingId } = binding
  const candidates = await usableCoins(context, binding, input.spendableUtxos)
  const chosen = await payOffers(candidates, ladderOf(input))
  const replaced = await listReplaced(sql, {
    walletBindingId,
    criteriaHash: criteriaHash(criteriaText(collection.slug, input.target)),
    coins: chosen.flat(),
    now: clock(),
  })
  return { replacementWarning: replaced.length > 0 ? { activeOfferCount: replaced.length } : null }
}
