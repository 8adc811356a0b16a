import { usePainted } from '@ordbook/web-ui/state/after-paint.ts'
import { filters as words } from '@ordbook/web-ui/strings/collection.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { FilterIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { useRoving } from '@ordbook/web-ui/ui/roving.ts'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { type ReactNode, useId, useState } from 'react'

interface Props {
  chosen: number
  clear: () => void
  children: ReactNode
}

/** Filters in a side column with a single Tab stop. */
export function FilterColumn({ chosen, clear, children, className }: Props & { className: string }) {
  const ref = useRoving<HTMLElement>('controls')
  const keys = useId()
  return (
    <aside
      ref={ref}
      aria-label={words.title}
      aria-keyshortcuts="F"
      aria-describedby={keys}
      className={`${className} grid gap-5 pr-1 pb-4 pl-0.5`}
    >
      <div className="flex min-h-8 items-center justify-between">
        <h2 className="text-h3">{words.title}</h2>
        <span id={keys} className="sr-only">
          {words.keys}
        </span>
        {chosen > 0 && (
          <button type="button" onClick={clear} className="min-h-8 px-1 text-small text-accent">
            {words.clear(chosen)}
          </button>
        )}
      </div>
      {children}
    </aside>
  )
}

/** Button that opens the filters in a sheet. */
export function FilterSheet({ chosen, clear, children, total }: Props & { total: number }) {
  const [isOpen, setOpen] = useState(false)
  // The sheet opens before its filters render.
  const isPainted = usePainted(isOpen)
  return (
    <>
      <Button aria-haspopup="dialog" aria-keyshortcuts="F" onClick={() => setOpen(true)}>
        <FilterIcon /> {words.open(chosen)}
      </Button>
      <Sheet
        open={isOpen}
        tall
        title={words.title}
        onClose={() => setOpen(false)}
        footer={
          <div className="flex gap-2">
            {chosen > 0 && <Button onClick={clear}>{words.clear(chosen)}</Button>}
            <Button kind="main" className="flex-1" onClick={() => setOpen(false)}>
              {words.show(total)}
            </Button>
          </div>
        }
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">{isPainted && children}</div>
      </Sheet>
    </>
  )
}
