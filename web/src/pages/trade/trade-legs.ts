import { type Trait, targetOf } from '../forms/trait-target.ts'
import type { Pick } from './trade-picks.tsx'

/** The most inscriptions that a trade asks for in all. */
export const MOST_WANTED = 50

/** Items of one collection that a proposer wants. */
export interface Leg {
  key: number
  slug: string
  name: string
  quantity: number
  trait: Trait | null
  /** Named items; empty: any of the collection, or of the trait. */
  picks: ReadonlyMap<string, Pick>
  /** Whether the items of the collection are shown to choose from. */
  isOpen: boolean
}

let keys = 0

/** A leg of any one item of a collection. */
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
 * The legs with an item more, or without it: in the leg that names it, else in the last one of its collection, else in a leg of its own. A leg
 * that was made for named items ends with the last of them.
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
  if (wanted + picks.size > MOST_WANTED) return legs
  const changed = withPicks(target, picks)
  return other ? legs.map((each) => (each === other ? changed : each)) : [...legs, changed]
}

const withPicks = (leg: Leg, picks: Leg['picks']): Leg => ({
  ...leg,
  picks,
  quantity: Math.max(1, picks.size),
})
