import type { CollectionSearch } from '../routing/places.ts'
import { useSetSearch } from '../routing/routing.tsx'

const NONE: Partial<CollectionSearch> = {
  traits: undefined,
  listed: undefined,
  min: undefined,
  max: undefined,
  satribute: undefined,
  q: undefined,
}

/** Changes of a collection page's filters. Each is a step of its own, so that Back undoes it. */
export function useFilterSteps(search: CollectionSearch) {
  const setSearch = useSetSearch({ from: '/collection/$slug' })
  const set = (change: Partial<CollectionSearch>) => setSearch((before) => ({ ...before, ...change }))
  const toggle = (type: string, value: string) => {
    const before = search.traits?.[type] ?? []
    const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
    const { [type]: _, ...others } = search.traits ?? {}
    const traits = after.length > 0 ? { ...others, [type]: after } : others
    set({ traits: Object.keys(traits).length > 0 ? traits : undefined })
  }
  return { set, toggle, clear: () => set(NONE), chosen: chosenIn(search) }
}

/** The number of filters in force. */
const chosenIn = ({ traits, listed, min, max, satribute, q }: CollectionSearch): number =>
  Object.values(traits ?? {}).flat().length +
  [listed, min ?? max, satribute, q].filter((each) => each !== undefined).length
