import { inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import { type Waiting, WaitingRow } from './waiting-row.tsx'

const SHOWN = 4

/** What waits for the session, as cards, soonest deadline first. Absent if nothing waits. */
export function WaitingCards({
  waiting,
  waitingCount,
}: {
  waiting: readonly Waiting[]
  waitingCount: number
}) {
  const [isWhole, showAll] = useState(false)
  if (waitingCount === 0) return null
  const rows = isWhole ? waiting : waiting.slice(0, SHOWN)
  return (
    <section aria-label={words.waiting} className="overflow-hidden rounded-card border border-accent">
      <header className="flex items-center gap-2 bg-tint px-4 py-2 text-small">
        <h2 className="font-semibold text-accent">{words.waiting}</h2>
        <span className="font-semibold text-accent">{waitingCount}</span>
        <span className="ml-auto text-caption text-soft">{words.soonest}</span>
      </header>
      <ul className="grid grid-cols-[minmax(0,1fr)] divide-line max-md:divide-y md:grid-cols-2 xl:grid-cols-4 xl:divide-x">
        {rows.map((row) => (
          <li key={`${row.kind} ${row.orderId}`} className="min-w-0">
            <WaitingRow row={row} />
          </li>
        ))}
      </ul>
      {!isWhole && waiting.length > SHOWN && (
        <p className="border-t border-line p-2 text-center">
          <Button kind="ghost" onClick={() => showAll(true)}>
            {words.showAll(waiting.length)}
          </Button>
        </p>
      )}
    </section>
  )
}
