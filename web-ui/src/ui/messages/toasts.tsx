import { useEffect, useState } from 'react'
import { stored } from '../../state/stored.ts'
import { Button } from '../basics.tsx'
import { CheckIcon, CloseIcon, InfoIcon, WarningIcon } from '../icons.tsx'
import { ShortIds } from '../short-ids.tsx'
import { dismiss, type Shown, toasts } from './toast-list.ts'

/** Duration of success messages, in milliseconds, unless hovered or focused. */
const LEAVES_AFTER = 6000

const KINDS = {
  good: { Icon: CheckIcon, mark: 'text-up', role: 'status' },
  note: { Icon: InfoIcon, mark: 'text-info', role: 'status' },
  bad: { Icon: WarningIcon, mark: 'text-down', role: 'alert' },
}

/** Notifications: top right on wide screens, above the bottom bar on phones. */
export function Toasts() {
  return (
    <div className="pointer-events-none fixed right-3 bottom-[calc(var(--tabs-height)+12px)] z-50 grid w-[min(380px,100%-24px)] gap-2 md:top-[calc(var(--bar-height)+12px)] md:bottom-auto">
      {toasts.use().map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function One({ toast }: { toast: Shown }) {
  const { id, kind, title, text, links = [] } = toast
  const { Icon, mark, role } = KINDS[kind]
  const [isHeld, hold] = useState(false)
  const close = () => dismiss((each) => each.id === id)
  useEffect(() => {
    // A stored setting keeps messages until they are dismissed.
    if (kind === 'bad' || isHeld || stored('messages') === 'stay') return
    const timer = setTimeout(() => dismiss((each) => each.id === id), LEAVES_AFTER)
    return () => clearTimeout(timer)
  }, [id, kind, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only delays the timeout
    <div
      role={role}
      data-tone={kind}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
      className="rise pointer-events-auto grid grid-cols-[20px_minmax(0,1fr)_44px] items-start gap-x-3 rounded-button border border-line bg-raised py-1 pl-3 shadow-toast"
    >
      <Icon className={`mt-3 text-lg ${mark}`} />
      <div className="grid gap-0.5 py-2.5 text-small [overflow-wrap:anywhere]">
        <p className="font-semibold">
          <ShortIds text={title} />
        </p>
        {text && (
          <p className="text-soft">
            <ShortIds text={text} />
          </p>
        )}
        {links.map(({ label, href }) => (
          <a key={href} href={href} className="font-medium text-accent underline">
            {label}
          </a>
        ))}
      </div>
      <Button kind="ghost" className="size-11 !px-0" aria-label="Dismiss" onClick={close}>
        <CloseIcon />
      </Button>
    </div>
  )
}
