import { useRead } from '@ordbook/web-ui/api/client.ts'
import { title } from '@ordbook/web-ui/format/format.ts'
import { amountTyped, satsTyped } from '@ordbook/web-ui/money/typed.ts'
import type { CollectionSearch } from '@ordbook/web-ui/routing/places.ts'
import { filters as words } from '@ordbook/web-ui/strings/collection.ts'
import { Button, Field, INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { Segments } from '@ordbook/web-ui/ui/segments.tsx'
import type { FormEvent } from 'react'
import type { filtersOf } from '../bids/collection-search.ts'
import { PriceFilter } from './price-filter.tsx'
import { TraitFilter } from './trait-filter.tsx'

const WHICH = Object.entries(words.whichOf) as [keyof typeof words.whichOf, string][]

const SATRIBUTES = [
  'uncommon',
  'rare',
  'epic',
  'black_uncommon',
  'alpha',
  'omega',
  'palindrome',
  'vintage',
  'nakamoto',
  'block9',
  'block78',
] as const

/** Filters of a collection. Text fields apply on submit, other filters immediately. */
export function Filters({
  slug,
  filters,
  search,
  set,
  toggle,
}: {
  slug: string
  filters: ReturnType<typeof filtersOf>
  search: CollectionSearch
  set: (change: Partial<CollectionSearch>) => void
  toggle: (type: string, value: string) => void
}) {
  // A trait's filter must not hide its other values.
  const found = useRead('listTraits', { params: { slug }, query: filters }, { keep: true })
  const traits = found.data?.traits ?? []
  return (
    <>
      <Segments
        label={words.which}
        options={WHICH}
        value={search.offered ? 'offered' : search.listed ? 'listed' : 'all'}
        onChange={(next) =>
          set({ listed: next === 'listed' || undefined, offered: next === 'offered' || undefined })
        }
      />
      <TypedFilters slug={slug} search={search} set={set} />
      <Satributes
        chosen={search.satribute}
        choose={(next) => set({ satribute: next === search.satribute ? undefined : next })}
      />
      {traits.map((trait) => (
        <TraitFilter
          key={trait.type}
          trait={trait}
          chosen={search.traits?.[trait.type]}
          startsOpen={traits.length <= 4 || search.traits?.[trait.type] !== undefined}
          toggle={toggle}
        />
      ))}
    </>
  )
}

function Satributes({ chosen, choose }: { chosen: string | undefined; choose: (next: string) => void }) {
  return (
    <details open={chosen !== undefined}>
      <summary className="py-1 text-sm font-medium">{words.satributes}</summary>
      <ul className="mt-1">
        {SATRIBUTES.map((satribute) => (
          <li key={satribute}>
            <label className="flex h-8 items-center gap-2 rounded px-1 text-sm hover:bg-raised">
              <input type="checkbox" checked={chosen === satribute} onChange={() => choose(satribute)} />
              {title(satribute)}
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

function TypedFilters({
  slug,
  search,
  set,
}: {
  slug: string
  search: CollectionSearch
  set: (change: Partial<CollectionSearch>) => void
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const sats = (name: string) => satsTyped(String(data.get(name))) ?? undefined
    set({ min: sats('min'), max: sats('max'), q: String(data.get('q')).trim() || undefined })
  }
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Field label="Name or number">
        <input key={search.q} name="q" defaultValue={search.q ?? ''} className={INPUT} />
      </Field>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">{words.priceIn('BTC')}</legend>
        <PriceFilter slug={slug} min={search.min} max={search.max} set={set} />
        <div className="grid grid-cols-2 gap-2">
          <PriceBound name="min" label="Lowest price in BTC" placeholder="from" sats={search.min} />
          <PriceBound name="max" label="Highest price in BTC" placeholder="to" sats={search.max} />
        </div>
      </fieldset>
      <Button type="submit">Apply</Button>
    </form>
  )
}

function PriceBound(of: { name: string; label: string; placeholder: string; sats: number | undefined }) {
  return (
    <input
      key={of.sats}
      name={of.name}
      inputMode="decimal"
      aria-label={of.label}
      placeholder={of.placeholder}
      defaultValue={of.sats === undefined ? '' : amountTyped(of.sats, 'btc', null)}
      className={INPUT}
    />
  )
}
