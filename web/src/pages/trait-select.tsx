import type { Answer } from '@ordbook/sdk/operations.ts'
import { title } from '../format.ts'
import { INPUT } from '../ui/basics.tsx'

type Traits = Answer<'getCollection'>['traits']

/** A trait of a collection: one value of one type. */
export interface Trait {
  type: string
  value: string
}

/** What offers and trades ask for: any item of a collection, or any with a trait. */
export const targetOf = (trait: Trait | null) =>
  trait
    ? { kind: 'traits' as const, traits: [{ type: trait.type, values: [trait.value] }] }
    : { kind: 'all' as const }

/** One of a collection's traits, or none of them: `any` in words. */
export function TraitSelect({
  any,
  traits,
  value,
  onChange,
  disabled = false,
}: {
  any: string
  traits: Traits
  value: Trait | null
  onChange: (value: Trait | null) => void
  disabled?: boolean
}) {
  const idOf = (trait: Trait | null) => (trait ? JSON.stringify([trait.type, trait.value]) : '')
  const choose = (id: string) => {
    const [type, chosen] = id ? (JSON.parse(id) as [string, string]) : []
    onChange(type === undefined || chosen === undefined ? null : { type, value: chosen })
  }
  return (
    <select
      value={idOf(value)}
      disabled={disabled}
      onChange={(event) => choose(event.target.value)}
      className={INPUT}
    >
      <option value="">{any}</option>
      {traits.map(({ type, values }) => (
        <optgroup key={type} label={title(type)}>
          {values.map((each) => (
            <option key={each.value} value={idOf({ type, value: each.value })}>
              {each.value} ({each.count})
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
