import type { Body } from '@ordbook/sdk'
import { Failure } from './failure.ts'

export type WantedLeg = Body<'createProposal'>['wantedLegs'][number]

/** What a proposal of this wallet gives and wants, stored when it is made, because the market's record must not be trusted for signing. */
export interface OwnTerms {
  gives: readonly string[]
  giveSats: number
  wantedLegs: readonly WantedLeg[]
  wantSats: number
}

/** Whether a parsed value is `OwnTerms`. */
export function areTerms(value: unknown): value is OwnTerms {
  if (typeof value !== 'object' || value === null) return false
  const { gives, giveSats, wantedLegs, wantSats } = value as Record<string, unknown>
  return areTexts(gives) && isCount(giveSats) && isCount(wantSats) && isListOf(wantedLegs, isLeg)
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isListOf = (value: unknown, isOne: (each: unknown) => boolean) =>
  Array.isArray(value) && value.every(isOne)
const areTexts = (value: unknown) => isListOf(value, (each) => typeof each === 'string')

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
 * Checks that inscriptions fill the wanted legs exactly. A leg that names inscriptions accepts only those. Membership in a collection comes
 * from the market, so a leg for any item of a collection accepts only ids in `agreed`, which the user named. Throws Failure.
 */
export function demandFilled(
  { wantedLegs }: Pick<OwnTerms, 'wantedLegs'>,
  arriving: readonly string[],
  agreed: readonly string[],
): void {
  const left = new Set(arriving)
  const take = (quantity: number, isFit: (id: string) => boolean) => {
    for (const id of [...left].filter(isFit).slice(0, quantity)) {
      left.delete(id)
      quantity--
    }
    if (quantity > 0)
      throw new Failure(
        'other-terms',
        `${arriving.join(', ') || 'nothing'} would arrive, which is not what you proposed. For any of a collection, name what you agree to with --get ID`,
      )
  }
  for (const { quantity, target } of wantedLegs)
    if (target.kind === 'inscriptions') take(quantity, (id) => target.inscriptionIds.includes(id))
  for (const { quantity, target } of wantedLegs)
    if (target.kind !== 'inscriptions') take(quantity, (id) => agreed.includes(id))
  if (left.size > 0 || new Set(arriving).size < arriving.length)
    throw new Failure('other-terms', `${arriving.join(', ')} would arrive, more than you proposed`)
}
