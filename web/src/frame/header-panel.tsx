import { Boundary } from '@ordbook/web-ui/ui/boundary.tsx'
import { type ReactNode, useRef, useState } from 'react'

interface Props {
  /** `popoverTarget` of the button that opens it. */
  id: string
  label: string
  className?: string
  onToggle?: (isOpen: boolean) => void
  children: (close: () => void) => ReactNode
}

/** Panel of a button in the header. Renders its content while it is open. */
export function HeaderPanel({ id, label, className = '', onToggle, children }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <div
      ref={panel}
      id={id}
      popover="auto"
      role="dialog"
      aria-label={label}
      onToggle={({ newState }) => {
        setOpen(newState === 'open')
        onToggle?.(newState === 'open')
      }}
      className={`panel fixed inset-auto right-3 m-0 max-h-[calc(100dvh-var(--bar-height)-16px)] w-[min(436px,100vw-24px)] overflow-y-auto p-0 text-ink shadow-floating ${className}`}
    >
      {isOpen && <Boundary label={label}>{children(() => panel.current?.hidePopover())}</Boundary>}
    </div>
  )
}
