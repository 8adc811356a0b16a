import type { Answer } from '@ordbook/sdk/operations.ts'
import { title } from '../format.ts'
import { INPUT } from '../ui/basics.tsx'

type Traits = Answer<'getCollection'>['traits']

/** A trait of a collection: one value of one type. */
export interface Trait {
  type: string
  value: string
}

/** The target of an offer or a trade: any item of a collection, or any with a trait. */
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
  const typeIndex = traits.findIndex(({ type }) => type === value?.type)
  const valueIndex = traits[typeIndex]?.values.findIndex((each) => each.value === value?.value) ?? -1
  const choose = (place: string) => {
    const [typeAt, valueAt] = place.split('/').map(Number)
    const type = traits[typeAt!]
    const chosen = type?.values[valueAt!]
    onChange(type && chosen ? { type: type.type, value: chosen.value } : null)
  }
  return (
    <select
      value={valueIndex === -1 ? '' : `${typeIndex}/${valueIndex}`}
      disabled={disabled}
      onChange={(event) => choose(event.target.value)}
      className={INPUT}
    >
      <option value="">{any}</option>
      {traits.map(({ type, values }, t) => (
        <optgroup key={type} label={title(type)}>
          {values.map((each, v) => (
            <option key={each.value} value={`${t}/${v}`}>
              {each.value} ({each.count})
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
