import { useId } from 'react'

/** One of a few options, as radio buttons in a row. They are a single Tab stop. */
export function Segments<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly (readonly [T, string])[]
  value: T
  onChange: (value: T) => void
}) {
  const group = useId()
  return (
    <fieldset className="flex shrink-0 rounded-button bg-raised p-1">
      <legend className="sr-only">{label}</legend>
      {options.map(([each, name]) => (
        <label
          key={each}
          className="relative flex min-h-8 grow items-center justify-center rounded-control px-2.5 text-small font-[560] text-soft hover:text-ink has-checked:bg-line has-checked:text-ink"
        >
          <input
            type="radio"
            name={group}
            checked={value === each}
            onChange={() => onChange(each)}
            className="absolute inset-0 size-full cursor-pointer appearance-none rounded-control"
          />
          <span className="pointer-events-none">{name}</span>
        </label>
      ))}
    </fieldset>
  )
}
