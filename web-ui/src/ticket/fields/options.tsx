import type { ReactNode } from 'react'
import { ticket } from '../../strings/trade.ts'

/** Collapsed options of a ticket. The summary shows the current choice. */
export function Options({ now, children }: { now: string; children: ReactNode }) {
  return (
    <details className="rounded-button border border-line">
      <summary className="flex min-h-11 items-center justify-between gap-3 px-3 text-small">
        <span className="text-soft">{ticket.options}</span>
        <span>{now}</span>
      </summary>
      <div className="grid gap-3 p-3 pt-1">{children}</div>
    </details>
  )
}
