import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { title } from '@ordbook/web-ui/format/format.ts'
import { INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { useId, useState } from 'react'
import type { Trait } from './trait-target.ts'

type Traits = Answer<'listTraits'>['traits']

/** Longer lists use a text field, because a long menu opens slowly. */
const MAX_IN_A_MENU = 100
const MAX_SUGGESTIONS = 50

interface Choice {
  any: string
  traits: Traits
  value: Trait | null
  onChange: (value: Trait | null) => void
  disabled: boolean
}

/** Selects a trait of a collection, or none, labelled `any`. */
export function TraitSelect({
  slug,
  disabled = false,
  ...choice
}: Omit<Choice, 'traits' | 'disabled'> & { slug: string; disabled?: boolean }) {
  const found = useRead('listTraits', { params: { slug } })
  const traits = found.data?.traits ?? []
  const values = traits.reduce((sum, trait) => sum + trait.values.length, 0)
  const Field = values > MAX_IN_A_MENU ? TraitSearch : TraitMenu
  return <Field {...choice} traits={traits} disabled={disabled} />
}

function TraitMenu({ any, traits, value, onChange, disabled }: Choice) {
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
          {values.map((value, v) => (
            <option key={value.value} value={`${t}/${v}`}>
              {value.value} ({value.count})
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

const labelOf = ({ type, value }: Trait) => `${type}: ${value}`

function TraitSearch({ any, traits, value, onChange, disabled }: Choice) {
  const id = useId()
  const [text, setText] = useState(value ? labelOf(value) : '')
  const all = traits.flatMap(({ type, values }) => values.map((value) => ({ type, value: value.value })))
  const query = text.trim().toLowerCase()
  const found = all.filter((each) => labelOf(each).toLowerCase().includes(query)).slice(0, MAX_SUGGESTIONS)
  const search = (typed: string) => {
    setText(typed)
    onChange(all.find((each) => labelOf(each) === typed) ?? null)
  }
  const isUnknown = text !== '' && value === null
  return (
    <>
      <input
        value={text}
        list={id}
        disabled={disabled}
        placeholder={any}
        aria-invalid={isUnknown}
        aria-describedby={isUnknown ? `${id}-hint` : undefined}
        onChange={(event) => search(event.target.value)}
        className={INPUT}
      />
      <datalist id={id}>
        {found.map((each) => (
          <option key={labelOf(each)} value={labelOf(each)} />
        ))}
      </datalist>
      {isUnknown && (
        <span id={`${id}-hint`} className="text-xs text-soft">
          Choose a trait from the list. Without a trait, this applies to {any.toLowerCase()}.
        </span>
      )}
    </>
  )
}
