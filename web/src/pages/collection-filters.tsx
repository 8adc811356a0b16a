import type { FormEvent } from 'react'
import { btcInput, parseAmount, title } from '../format.ts'
import { Badge, Button, Field, INPUT, Price, Select } from '../ui/basics.tsx'
import type { Collection, CollectionSearch } from './collection-search.ts'

const SATRIBUTES = [
  ['', 'any'],
  ...[
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
  ].map((each) => [each, title(each)] as const),
] as const

/** Filters of a collection’s items. A button applies the fields; every other choice applies at once. */
export function Filters({
  collection,
  search,
  set,
  toggle,
}: {
  collection: Collection
  search: CollectionSearch
  set: (change: Partial<CollectionSearch>) => void
  toggle: (type: string, value: string) => void
}) {
  return (
    <>
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={search.listed ?? false}
          onChange={(event) => set({ listed: event.target.checked || undefined })}
          className="size-4 accent-accent"
        />
        For sale only
      </label>
      <TypedFilters key={`${search.min} ${search.max} ${search.q}`} search={search} set={set} />
      <Field label="Satribute">
        <Select
          options={SATRIBUTES}
          value={search.satribute ?? ''}
          onChange={(satribute) => set({ satribute: satribute || undefined })}
        />
      </Field>
      {collection.traits.map((trait) => (
        <TraitFilter
          key={trait.type}
          trait={trait}
          chosen={search.traits?.[trait.type]}
          isOpen={collection.traits.length <= 4 || search.traits?.[trait.type] !== undefined}
          toggle={(value) => toggle(trait.type, value)}
        />
      ))}
    </>
  )
}

/** The fields that a button applies. */
function TypedFilters({
  search,
  set,
}: {
  search: CollectionSearch
  set: (change: Partial<CollectionSearch>) => void
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const sats = (name: string) => parseAmount(String(data.get(name)), 'btc') ?? undefined
    set({ min: sats('min'), max: sats('max'), q: String(data.get('q')).trim() || undefined })
  }
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Field label="Name or number">
        <input name="q" defaultValue={search.q ?? ''} className={INPUT} />
      </Field>
      <fieldset className="grid grid-cols-2 gap-2">
        <legend className="mb-1.5 text-sm font-medium">Price in BTC</legend>
        <PriceBound name="min" label="Lowest price in BTC" placeholder="from" sats={search.min} />
        <PriceBound name="max" label="Highest price in BTC" placeholder="to" sats={search.max} />
      </fieldset>
      <Button type="submit">Apply</Button>
    </form>
  )
}

/** One end of a range of prices, as a field of the form. */
function PriceBound(of: { name: string; label: string; placeholder: string; sats: number | undefined }) {
  return (
    <input
      name={of.name}
      inputMode="decimal"
      aria-label={of.label}
      placeholder={of.placeholder}
      defaultValue={of.sats === undefined ? '' : btcInput(of.sats)}
      className={INPUT}
    />
  )
}

/** The values of one trait, with their floors and counts. */
function TraitFilter({
  trait: { type, values },
  chosen,
  isOpen,
  toggle,
}: {
  trait: Collection['traits'][number]
  chosen: readonly string[] | undefined
  isOpen: boolean
  toggle: (value: string) => void
}) {
  return (
    <details open={isOpen}>
      <summary className="py-1 text-sm font-medium">
        {type} <Badge>{values.length}</Badge>
      </summary>
      <ul className="mt-1 grid max-h-72 gap-0.5 overflow-y-auto pr-1">
        {values.map(({ value, count: held, floorSats }) => (
          <li key={value}>
            <label className="flex min-h-8 items-center gap-2 rounded px-1 text-sm hover:bg-sunk">
              <input
                type="checkbox"
                checked={chosen?.includes(value) ?? false}
                onChange={() => toggle(value)}
                className="size-4 accent-accent"
              />
              <span className="min-w-0 flex-1 truncate">{value}</span>
              {floorSats !== null && <Price sats={floorSats} className="text-xs" />}
              <span className="text-xs text-soft">{held}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
