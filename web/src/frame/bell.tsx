import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { bell as words } from '@ordbook/web-ui/strings/bell.ts'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { BellIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect, useId, useRef, useState } from 'react'

const loadList = () => import('../inbox/inbox-list.tsx')
const InboxPanel = onDemand(() => loadList().then((part) => part.InboxPanel))

/** Unread events of the session, in total and about trades. Zero without a session. */
export function useUnread() {
  const { account } = useSession()
  const { data } = useRead('getInboxCounts', {}, { enabled: account != null })
  const counts = account == null ? undefined : data
  return {
    latestEventId: counts?.latestEventId,
    all: counts?.unreadCount ?? 0,
    trades: counts?.unreadTradeCount ?? 0,
  }
}

/** Number on an icon. Screen readers read it from the label. */
export function Badge({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span
      aria-hidden="true"
      className="tabular absolute -top-1 left-1/2 ml-1 rounded-full bg-amber px-1.5 text-bar font-semibold text-on-amber"
    >
      {count > 99 ? '99+' : count}
    </span>
  )
}

/** Bell with the number of unread events. It opens the inbox. */
export function Bell() {
  const { account } = useSession()
  const { all, latestEventId } = useUnread()
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useToasts(latestEventId, isOpen)
  if (!account) return null
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        data-bell
        aria-label={`${words.notifications}${words.unread(all)}`}
        className={`${BUTTON} ${KINDS.ghost} relative size-11 !px-0 text-lg`}
      >
        <BellIcon />
        <Badge count={all} />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={words.notifications}
        onToggle={(event) => setOpen(event.newState === 'open')}
        className="panel fixed inset-auto top-[calc(var(--bar-height)+8px)] right-3 m-0 max-h-[calc(100dvh-var(--bar-height)-16px)] w-[min(436px,100vw-24px)] overflow-y-auto p-0 text-ink shadow-floating"
      >
        {isOpen && <InboxPanel onOpen={() => panel.current?.hidePopover()} />}
      </div>
    </>
  )
}

/** Announces events that arrive while a page is open. The open panel shows them already. */
function useToasts(latestEventId: string | null | undefined, isOpen: boolean): void {
  const seen = useRef<string | null | undefined>(undefined)
  useEffect(() => {
    if (latestEventId === undefined) return
    const before = seen.current
    seen.current = latestEventId
    if (before === undefined || before === latestEventId || isOpen) return
    void import('../inbox/announce.ts').then(({ announceAfter }) => announceAfter(before)).catch(() => {})
  }, [latestEventId, isOpen])
}
