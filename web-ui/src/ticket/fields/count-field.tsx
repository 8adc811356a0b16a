import { useState } from 'react'

interface Props {
  label: string
  slider: string
  value: number
  /** Maximum. The minimum is 1. */
  most: number
  onChange: (value: number) => void
  hint?: string
}

/** Slider and number field for a count. Clamps to 1 and `most`. */
export function CountField({ label, slider, value, most, onChange, hint }: Props) {
  // Keeps the typed text until blur, so that the field can be cleared.
  const [typed, setTyped] = useState<string | null>(null)
  const choose = (text: string) => {
    if (text.trim() !== '') onChange(Math.max(1, Math.min(most, Math.floor(Number(text)) || 1)))
  }
  return (
    <>
      <input
        type="range"
        // Keyboard users have the number field.
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
