import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './basics.tsx'
import { CloseIcon } from './icons.tsx'

interface SheetProps {
  open: boolean
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  /** Maximum width on desktops, in pixels. */
  width?: keyof typeof WIDTHS
  tall?: boolean
}

const WIDTHS = {
  512: 'md:max-w-lg',
  768: 'md:max-w-3xl',
  1040: 'md:max-w-[1040px]',
  1200: 'md:max-w-[1200px]',
}

/** Modal `dialog`. On phones and tablets it slides up from the bottom. */
export function Sheet({ open, ...props }: SheetProps) {
  return open ? <Opened {...props} /> : null
}

function Opened({ title, onClose, children, footer, width = 512, tall = false }: Omit<SheetProps, 'open'>) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // The layout effect closes the dialog before its removal, which returns the focus.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const opener = document.activeElement
    if (!dialog.open) dialog.showModal()
    // A key that opened the dialog, pressed again, must not press a button in it.
    document.getElementById(heading)?.focus()
    return () => {
      dialog.close()
      if (document.activeElement === document.body && opener?.isConnected) (opener as HTMLElement).focus()
    }
  }, [heading])
  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={`rise z-50 m-0 mt-auto max-h-[calc(100dvh-24px)] w-full max-w-full flex-col overflow-hidden rounded-t-sheet border border-line bg-surface p-0 text-ink shadow-floating open:flex md:m-auto md:w-[calc(100vw-3rem)] md:rounded-picture ${WIDTHS[width]} ${tall ? 'h-full' : ''}`}
    >
      <div className="flex min-h-14 shrink-0 items-center border-b border-line py-2 pr-16 pl-4 md:pl-5">
        <h2
          id={heading}
          tabIndex={-1}
          dir="auto"
          className="line-clamp-2 min-w-0 text-h2 [overflow-wrap:anywhere]"
        >
          {title}
        </h2>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-4 md:p-5">{children}</div>
      {footer && (
        <div className="shrink-0 border-t border-line px-4 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] md:px-5">
          {footer}
        </div>
      )}
      {/* Last in the tab order. */}
      <Button
        kind="ghost"
        className="absolute top-1.5 right-2 size-11 !px-0 text-lg md:right-3"
        aria-label="Close"
        onClick={onClose}
      >
        <CloseIcon />
      </Button>
    </dialog>
  )
}
