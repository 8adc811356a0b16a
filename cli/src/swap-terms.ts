import type { Body } from '@ordbook/sdk'
import { Failure } from './failure.ts'

export type WantedLeg = Body<'createProposal'>['wantedLegs'][number]

/** Terms of a proposal of this wallet, stored at its creation, so that the settlement is not checked against the market's copy. */
export interface OwnTerms {
  gives: readonly string[]
  giveSats: number
  wantedLegs: readonly WantedLeg[]
  wantSats: number
}

export function areTerms(value: unknown): value is OwnTerms {
  if (typeof value !== 'object' || value === null) return false
  const { gives, giveSats, wantedLegs, wantSats } = value as Record<string, unknown>
  return areTexts(gives) && isCount(giveSats) && isCount(wantSats) && isListOf(wantedLegs, isLeg)
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isListOf = (value: unknown, isValid: (entry: unknown) => boolean) =>
  Array.isArray(value) && value.every(isValid)
const areTexts = (value: unknown) => isListOf(value, (entry) => typeof entry === 'string')

function isLeg(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { collectionSlug, quantity, target } = value as Partial<WantedLeg>
  return (
    typeof collectionSlug === 'string' &&
    isCount(quantity) &&
    (target?.kind === 'all' || (target?.kind === 'inscriptions' && areTexts(target.inscriptionIds)))
  )
}

/**
 * Checks that inscriptions match the wanted legs exactly. A leg for any item of a collection requires an id in `agreed`, because the market
 * could misstate an item's collection. Throws Failure.
 */
export function assertFilled(
  { wantedLegs }: Pick<OwnTerms, 'wantedLegs'>,
  arriving: readonly string[],
  agreed: readonly string[],
): void {
  const remaining = new Set(arriving)
  const fillLeg = (quantity: number, isFit: (id: string) => boolean) => {
    for (const id of [...remaining].filter(isFit).slice(0, quantity)) {
      remaining.delete(id)
      quantity--
    }
    if (quantity > 0)
      throw new Failure(
        'other-terms',
        `${arriving.join(', ') || 'nothing'} would arrive, which does not match your proposal. For any item of a collection, confirm each inscription with --get ID`,
      )
  }
  for (const { quantity, target } of wantedLegs)
    if (target.kind === 'inscriptions') fillLeg(quantity, (id) => target.inscriptionIds.includes(id))
  for (const { quantity, target } of wantedLegs)
    if (target.kind !== 'inscriptions') fillLeg(quantity, (id) => agreed.includes(id))
  if (remaining.size > 0 || new Set(arriving).size < arriving.length)
    throw new Failure('other-terms', `${arriving.join(', ')} would arrive, which is more than you proposed`)
}
