import { client, queries, usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { bell } from '@ordbook/web-ui/strings/inbox/bell.ts'
import { inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { eventText } from '@ordbook/web-ui/strings/inbox/inbox-events.ts'
import { Button, Empty, Loaded, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import type { ReactNode } from 'react'
import { type EventRow, groupEvents, type InboxEvent } from './event-rows.ts'
import { EventPicture, WaitingRow } from './waiting-row.tsx'

async function markRead(eventId: string, only: boolean): Promise<void> {
  await client.call('markInboxRead', { body: { eventId, only } })
  await Promise.all(
    ['listInbox', 'getInboxCounts'].map((id) => queries.invalidateQueries({ queryKey: [id] })),
  )
}

export function MarkAllRead() {
  const { data } = useRead('getInboxCounts')
  const latest = data?.latestEventId
  return (
    <Button
      kind="ghost"
      disabled={!latest || data.unreadCount === 0}
      onClick={() => void markRead(latest!, false)}
    >
      {words.markRead}
    </Button>
  )
}

/** What waits, then the events by day. `isWhole`: with a button for older events. */
export function InboxList({ isWhole = false, onOpen }: { isWhole?: boolean; onOpen?: () => void }) {
  const waiting = useRead('listWaiting')
  const events = usePages('listInbox', { query: {} })
  return (
    <Loaded of={waiting} what={words.loading}>
      {({ waiting: rows, waitingCount }) => (
        <div className="grid grid-cols-[minmax(0,1fr)]">
          {waitingCount > 0 && (
            <div>
              <GroupHead isWaiting>
                {words.waiting}
                <span className="ml-auto">{waitingCount}</span>
              </GroupHead>
              <ul className="divide-y divide-line">
                {rows.map((row) => (
                  <li key={`${row.kind} ${row.orderId}`}>
                    <WaitingRow row={row} {...(onOpen ? { onOpen } : {})} />
                  </li>
                ))}
              </ul>
            </div>
          )}
          {isWhole ? (
            <LoadedList
              of={events}
              rows={(page) => page.events}
              what={words.loading}
              empty={waitingCount > 0 ? null : <Nothing />}
            >
              {(all) => <Days events={all} {...(onOpen ? { onOpen } : {})} />}
            </LoadedList>
          ) : (
            <Loaded of={events} what={words.loading}>
              {({ pages: [first] }) =>
                first && first.events.length > 0 ? (
                  <Days events={first.events} {...(onOpen ? { onOpen } : {})} />
                ) : (
                  waitingCount === 0 && <Nothing />
                )
              }
            </Loaded>
          )}
        </div>
      )}
    </Loaded>
  )
}

const Nothing = () => <Empty title={words.nothingWaits}>{words.nothingWaitsWhy}</Empty>

const GroupHead = ({ children, isWaiting = false }: { children: ReactNode; isWaiting?: boolean }) => (
  <h2
    className={`flex items-center px-4 py-2 text-caption font-semibold ${isWaiting ? 'bg-tint text-accent' : 'bg-raised text-soft'}`}
  >
    {children}
  </h2>
)

function Days({ events, onOpen }: { events: readonly InboxEvent[]; onOpen?: () => void }) {
  return groupEvents(events).map(({ day, rows }) => (
    <div key={day}>
      <GroupHead>{day}</GroupHead>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.event.eventId}>
            <OneEvent row={row} {...(onOpen ? { onOpen } : {})} />
          </li>
        ))}
      </ul>
    </div>
  ))
}

function OneEvent({ row: { event, moreCount, isRead }, onOpen }: { row: EventRow; onOpen?: () => void }) {
  const [title, text] = eventText(event)
  const open = () => {
    if (!event.isRead) void markRead(event.eventId, true)
    onOpen?.()
  }
  const body = (
    <>
      <EventPicture of={event} />
      <span className="grid min-w-0 flex-1 text-small">
        <span className="font-semibold [overflow-wrap:anywhere]">{title}</span>
        {text && <span className="text-soft">{text}</span>}
        {moreCount > 0 && <span className="text-soft">{words.more(moreCount)}</span>}
      </span>
      <span className="flex shrink-0 items-start gap-2 text-caption text-soft">
        <Time at={event.at} />
        <span className={`mt-1.5 size-2 rounded-full ${isRead ? '' : 'bg-amber'}`}>
          {!isRead && <span className="sr-only">{words.unreadMark}</span>}
        </span>
      </span>
    </>
  )
  const look = 'flex gap-3 p-4 hover:bg-raised'
  if (event.proposalId)
    return (
      <Link to="/trades/$id" params={{ id: event.proposalId }} className={look} onClick={open}>
        {body}
      </Link>
    )
  if (event.inscriptionId)
    return (
      <Link to="/inscription/$id" params={{ id: event.inscriptionId }} className={look} onClick={open}>
        {body}
      </Link>
    )
  if (event.collectionSlug)
    return (
      <Link
        to="/collection/$slug"
        params={{ slug: event.collectionSlug }}
        search={{ tab: 'offers' }}
        className={look}
        onClick={open}
      >
        {body}
      </Link>
    )
  return (
    <Link to="/wallet" search={{ tab: 'sessions' }} className={look} onClick={open}>
      {body}
    </Link>
  )
}

/** Content of the bell's popover. */
export function InboxPanel({ onOpen }: { onOpen: () => void }) {
  return (
    <>
      <div className="flex items-center justify-between gap-2 px-4 py-2">
        <h2 className="text-h3">{bell.notifications}</h2>
        <MarkAllRead />
      </div>
      <InboxList onOpen={onOpen} />
      <div className="border-t border-line p-2 text-right">
        <Link to="/inbox" className="inline-flex min-h-10 items-center px-3 text-accent" onClick={onOpen}>
          {words.all}
        </Link>
      </div>
    </>
  )
}
