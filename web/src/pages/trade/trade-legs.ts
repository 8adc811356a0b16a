import { type Trait, targetOf } from '../forms/trait-target.ts'
import type { Pick } from './trade-picks.tsx'

/** Maximum number of inscriptions that a proposal can ask for. */
export const MAX_WANTED = 50

/** Wanted items of one collection. */
export interface Leg {
  key: number
  slug: string
  name: string
  quantity: number
  trait: Trait | null
  /** If empty, any item of the collection or trait. */
  picks: ReadonlyMap<string, Pick>
  /** True while its items are shown to choose from. */
  isOpen: boolean
}

let keys = 0

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

/** Toggles an item in the legs of its collection. Removing the last item removes the leg, unless it is open. */
export function toggledIn(legs: readonly Leg[], pick: Pick): readonly Leg[] {
  const { collection, inscriptionId } = pick
  if (!collection) return legs
  const holder = legs.find(({ picks }) => picks.has(inscriptionId))
  if (holder) {
    const picks = new Map(holder.picks)
    picks.delete(inscriptionId)
    const isOver = picks.size === 0 && !holder.isOpen
    return legs.flatMap((leg) => (leg !== holder ? [leg] : isOver ? [] : [withPicks(leg, picks)]))
  }
  const lastLeg = legs.findLast(({ slug }) => slug === collection.slug)
  const target = lastLeg ?? newLeg(collection)
  const wantedCount = legs.reduce((sum, each) => sum + (each === lastLeg ? 0 : each.quantity), 0)
  const picks = new Map(target.picks).set(inscriptionId, pick)
  if (wantedCount + picks.size > MAX_WANTED) return legs
  const changed = withPicks(target, picks)
  return lastLeg ? legs.map((leg) => (leg === lastLeg ? changed : leg)) : [...legs, changed]
}

const withPicks = (leg: Leg, picks: Leg['picks']): Leg => ({
  ...leg,
  picks,
  quantity: Math.max(1, picks.size),
})
