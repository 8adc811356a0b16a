import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './basics.tsx'
import { CloseIcon } from './icons.tsx'

interface SheetProps {
  open: boolean
  title: string
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  wide?: boolean
  tall?: boolean
}

/** Modal `dialog`. On phones and tablets it slides up from the bottom. */
export function Sheet({ open, ...props }: SheetProps) {
  return open ? <Opened {...props} /> : null
}

function Opened({ title, onClose, children, footer, wide = false, tall = false }: Omit<SheetProps, 'open'>) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // The layout effect closes the dialog before its removal, which returns the focus.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const opener = document.activeElement
    if (!dialog.open) dialog.showModal()
    return () => {
      dialog.close()
      if (document.activeElement === document.body && opener?.isConnected) (opener as HTMLElement).focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={`rise z-50 m-0 mt-auto max-h-[calc(100dvh-24px)] w-full max-w-full rounded-t-sheet border border-line bg-surface p-0 text-ink shadow-floating md:m-auto md:w-[calc(100vw-3rem)] md:rounded-picture ${wide ? 'md:max-w-3xl' : 'md:max-w-lg'} ${tall ? 'open:flex h-full flex-col' : ''}`}
    >
      <div className="sticky top-0 z-10 flex min-h-14 items-center justify-between gap-4 border-b border-line bg-surface px-4 py-2 md:px-5">
        <h2 id={heading} dir="auto" className="min-w-0 truncate text-h2">
          {title}
        </h2>
        <Button kind="ghost" className="size-11 shrink-0 !px-0 text-lg" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </Button>
      </div>
      <div className={`p-4 md:p-5 ${tall ? 'flex-1' : ''}`}>{children}</div>
      {footer && (
        <div className="sticky bottom-0 z-10 border-t border-line bg-surface px-4 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] md:px-5">
          {footer}
        </div>
      )}
    </dialog>
  )
}
