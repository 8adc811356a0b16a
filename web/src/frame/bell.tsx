import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useUnreadInTitle } from '@ordbook/web-ui/routing/title.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { bell as words } from '@ordbook/web-ui/strings/inbox/bell.ts'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { BellIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect, useId, useRef, useState } from 'react'
import { HeaderPanel } from './header-panel.tsx'

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
  const [isOpen, setOpen] = useState(false)
  useToasts(latestEventId, isOpen)
  useUnreadInTitle(all)
  if (!account) return null
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        data-bell
        aria-label={`${words.notifications}${words.unread(all)}`}
        className={`${BUTTON} ${KINDS.ghost} size-11 !px-0 text-lg`}
      >
        <span className="relative">
          <BellIcon />
          <Badge count={all} />
        </span>
      </button>
      <HeaderPanel
        id={id}
        label={words.notifications}
        onToggle={setOpen}
        className="top-[calc(var(--bar-height)+8px)]"
      >
        {(close) => <InboxPanel onOpen={close} />}
      </HeaderPanel>
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
