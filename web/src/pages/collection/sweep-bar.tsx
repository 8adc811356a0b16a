import { MAX_AT_ONCE } from '@ordbook/web-ui/cart/cart.tsx'
import { sweep as words } from '@ordbook/web-ui/strings/collection.ts'
import { CountField } from '@ordbook/web-ui/ticket/fields/count-field.tsx'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { type FormEvent, useState } from 'react'
import type { filtersOf } from '../bids/collection-search.ts'
import { useSweep } from '../bids/use-sweep.ts'

export function SweepBar({ slug, filters }: { slug: string; filters: ReturnType<typeof filtersOf> }) {
  const [howMany, setHowMany] = useState(5)
  const { sweep, isBusy } = useSweep(slug)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void sweep(filters, { count: howMany })
  }
  return (
    <form
      onSubmit={submit}
      className="panel flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1 text-small max-md:w-full max-sm:justify-between max-sm:[&_[type=range]]:hidden md:ml-auto"
    >
      <CountField
        label={words.title}
        slider={words.slider}
        value={howMany}
        most={MAX_AT_ONCE}
        onChange={setHowMany}
        hint="sweep-most"
      />
      {/* Not in the Tab order: Enter in the field submits. */}
      <Button type="submit" tabIndex={-1} className="!min-h-8" busy={isBusy}>
        {words.add}
      </Button>
      <span id="sweep-most" className="sr-only">
        {words.most(MAX_AT_ONCE)}
      </span>
    </form>
  )
}
