import { useState } from 'react'

interface Props {
  label: string
  /** The name of the slider, which does the same as the field. */
  slider: string
  value: number
  /** The highest number; the lowest is 1. */
  most: number
  onChange: (value: number) => void
  /** The id of a hint beside it. */
  hint?: string
}

/** A number of items, by slider or field. A fraction counts as the whole number below it, and a number out of bounds as the bound. */
export function CountField({ label, slider, value, most, onChange, hint }: Props) {
  // The field keeps what is typed until it is left, so that a number can be cleared and typed again.
  const [typed, setTyped] = useState<string | null>(null)
  const choose = (text: string) => {
    if (text.trim() !== '') onChange(Math.max(1, Math.min(most, Math.floor(Number(text)) || 1)))
  }
  return (
    <>
      <input
        type="range"
        // The field beside it does the same for the keyboard.
        tabIndex={-1}
        min={1}
        max={most}
        value={value}
        aria-label={slider}
        onChange={(event) => choose(event.target.value)}
        className="h-8 w-28 min-w-20 flex-1 accent-amber"
      />
      <label className="flex items-center gap-2 text-small text-soft">
        {label}
        <input
          type="number"
          min={1}
          max={most}
          step="any"
          value={typed ?? value}
          aria-describedby={hint}
          onChange={(event) => {
            setTyped(event.target.value)
            choose(event.target.value)
          }}
          onBlur={() => setTyped(null)}
          className="min-h-8 w-16 rounded-control border border-edge bg-surface px-2 text-[16px] text-ink md:text-body"
        />
      </label>
    </>
  )
}
