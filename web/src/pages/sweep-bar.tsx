import { type FormEvent, useState } from 'react'
import { MOST_AT_ONCE } from '../cart.tsx'
import { Button } from '../ui/basics.tsx'
import { sweep as words } from '../words/collection.ts'
import type { filtersOf } from './collection-search.ts'
import { useSweep } from './use-sweep.ts'

/** Puts as many of the cheapest items into the cart as the visitor says. */
export function SweepBar({ slug, filters }: { slug: string; filters: ReturnType<typeof filtersOf> }) {
  const [howMany, setHowMany] = useState(5)
  const { sweep, isBusy } = useSweep(slug)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void sweep(filters, { count: howMany })
  }
  const choose = (text: string) => setHowMany(Math.max(1, Math.min(MOST_AT_ONCE, Number(text) || 1)))
  return (
    <form
      onSubmit={submit}
      className="panel flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1 text-small max-sm:w-full"
    >
      <input
        type="range"
        // The field beside it does the same for the keyboard.
        tabIndex={-1}
        min={1}
        max={MOST_AT_ONCE}
        value={howMany}
        aria-label={words.slider}
        onChange={(event) => choose(event.target.value)}
        className="h-8 w-28 min-w-20 flex-1 accent-amber"
      />
      <label className="flex items-center gap-2 text-soft">
        {words.title}
        <input
          type="number"
          min={1}
          max={MOST_AT_ONCE}
          value={howMany}
          aria-describedby="sweep-most"
          onChange={(event) => choose(event.target.value)}
          className="min-h-8 w-14 rounded-control border border-edge bg-surface px-2 text-ink"
        />
      </label>
      <Button type="submit" className="!min-h-8" busy={isBusy}>
        {words.add}
      </Button>
      <span id="sweep-most" className="text-caption text-soft">
        {words.most(MOST_AT_ONCE)}
      </span>
    </form>
  )
}
