import type { ReactNode } from 'react'
import { CloseIcon } from './icons.tsx'

/** Active filter that a press removes. `label`: text for screen readers. */
export function Chip({
  children,
  onRemove,
  label,
}: {
  children: ReactNode
  onRemove: () => void
  label: string
}) {
  return (
    <button
      type="button"
      onClick={onRemove}
      className="inline-flex min-h-8 max-w-full items-center gap-2 rounded-control border border-line bg-raised px-3 text-small hover:border-edge"
    >
      <span className="truncate">{children}</span>
      <span className="sr-only">, {label}</span>
      <CloseIcon className="shrink-0 text-soft" />
    </button>
  )
}
