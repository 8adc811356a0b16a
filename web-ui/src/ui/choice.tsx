import type { ReactNode } from 'react'

export function Choice({
  isOn,
  onClick,
  className = '',
  children,
}: {
  isOn: boolean
  onClick: () => void
  className?: string
  children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={`flex min-h-10 shrink-0 items-center gap-2 rounded-control border px-4 font-[560] ${isOn ? 'border-ink bg-ink text-bg' : 'border-line bg-raised hover:border-edge'} ${className}`}
    >
      {children}
    </button>
  )
}
