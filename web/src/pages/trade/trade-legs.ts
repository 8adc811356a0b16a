import { type Trait, targetOf } from '../forms/trait-target.ts'
import type { Pick } from './trade-picks.tsx'

/** Most inscriptions that a proposal may ask for, over all legs. */
export const MAX_WANTED = 50

/** Items of one collection that the proposer wants. */
export interface Leg {
  key: number
  slug: string
  name: string
  quantity: number
  trait: Trait | null
  /** Specific items; if empty, any item of the collection or trait. */
  picks: ReadonlyMap<string, Pick>
  /** Whether the collection's items are shown to choose from. */
  isOpen: boolean
}

let keys = 0

/** A leg for any one item of a collection. */
export const newLeg = ({ slug, name }: { slug: string; name: string }): Leg => ({
  key: ++keys,
  slug,
  name,
  quantity: 1,
  trait: null,
  picks: new Map(),
  isOpen: false,
})

export function targetOfLeg({ picks, trait }: Leg) {
  if (picks.size > 0) return { kind: 'inscriptions' as const, inscriptionIds: [...picks.keys()] }
  return targetOf(trait)
}

/**
 * Removes an item from the leg that has it; otherwise adds it to the last leg of its collection, or to a new leg. Removing the last item
 * of a leg removes the leg, unless it is open.
 */
export function toggledIn(legs: readonly Leg[], pick: Pick): readonly Leg[] {
  const { collection, inscriptionId } = pick
  if (!collection) return legs
  const holder = legs.find(({ picks }) => picks.has(inscriptionId))
  if (holder) {
    const picks = new Map(holder.picks)
    picks.delete(inscriptionId)
    const isOver = picks.size === 0 && !holder.isOpen
    return legs.flatMap((each) => (each !== holder ? [each] : isOver ? [] : [withPicks(each, picks)]))
  }
  const other = legs.findLast(({ slug }) => slug === collection.slug)
  const target = other ?? newLeg(collection)
  const wanted = legs.reduce((sum, each) => sum + (each === other ? 0 : each.quantity), 0)
  const picks = new Map(target.picks).set(inscriptionId, pick)
  if (wanted + picks.size > MAX_WANTED) return legs
  const changed = withPicks(target, picks)
  return other ? legs.map((each) => (each === other ? changed : each)) : [...legs, changed]
}

const withPicks = (leg: Leg, picks: Leg['picks']): Leg => ({
  ...leg,
  picks,
  quantity: Math.max(1, picks.size),
})
