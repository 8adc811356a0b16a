import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { afterPaint } from '../state/after-paint.ts'
import { Button } from './basics.tsx'
import { CloseIcon } from './icons.tsx'

/** Panel next to the page, which stays usable. Escape closes it while it has the focus. */
export function SidePanel({
  title,
  onClose,
  children,
  footer,
}: {
  open: boolean
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
}) {
  const panel = useRef<HTMLDivElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const element = panel.current!
    const opener = document.activeElement
    document.getElementById(heading)?.focus({ preventScroll: true })
    return () => {
      if (element.contains(document.activeElement) && opener?.isConnected) (opener as HTMLElement).focus()
    }
  }, [heading])
  // Out of sight first, because the page takes long to fill the space.
  const close = () => {
    panel.current!.style.opacity = '0'
    afterPaint(onClose)
  }
  return (
    <div
      ref={panel}
      role="dialog"
      aria-labelledby={heading}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
      className="panel sticky top-[calc(var(--bar-height)+20px)] mt-5 mr-6 flex max-h-[calc(100dvh-var(--bar-height)-40px)] min-w-0 flex-col self-start overflow-hidden"
    >
      <div className="flex min-h-13 shrink-0 items-center justify-between border-b border-line pl-4">
        <h2 id={heading} tabIndex={-1} className="min-w-0 truncate text-h3">
          {title}
        </h2>
        <Button kind="ghost" className="size-11 !px-0 text-lg" aria-label="Close" onClick={close}>
          <CloseIcon />
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4">{children}</div>
      {footer && <div className="grid shrink-0 gap-2 border-t border-line p-4">{footer}</div>}
    </div>
  )
}
