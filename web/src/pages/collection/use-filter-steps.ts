import type { CollectionSearch } from '@ordbook/web-ui/routing/places.ts'
import { useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useCallback } from 'react'

const NONE: Partial<CollectionSearch> = {
  traits: undefined,
  listed: undefined,
  offered: undefined,
  min: undefined,
  max: undefined,
  satribute: undefined,
  q: undefined,
}

/** Returns functions that change filters. Each change can be undone with Back. */
export function useFilterSteps(search: CollectionSearch) {
  const setSearch = useSetSearch({ from: '/collection/$slug' })
  const set = useCallback(
    (change: Partial<CollectionSearch>) => setSearch((before) => ({ ...before, ...change })),
    [setSearch],
  )
  const toggle = useCallback(
    (type: string, value: string) =>
      setSearch((before) => ({ ...before, traits: toggled(before.traits, type, value) })),
    [setSearch],
  )
  return { set, toggle, clear: () => set(NONE), chosen: chosenIn(search) }
}

/** Toggles a trait value. Returns undefined if no trait is left. */
function toggled(
  traits: CollectionSearch['traits'] = {},
  type: string,
  value: string,
): CollectionSearch['traits'] {
  const before = traits[type] ?? []
  const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
  const { [type]: _, ...others } = traits
  const left = after.length > 0 ? { ...others, [type]: after } : others
  return Object.keys(left).length > 0 ? left : undefined
}

const chosenIn = ({ traits, listed, offered, min, max, satribute, q }: CollectionSearch): number =>
  Object.values(traits ?? {}).flat().length +
  [listed, offered, min ?? max, satribute, q].filter((each) => each !== undefined).length
