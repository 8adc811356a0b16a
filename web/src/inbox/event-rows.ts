import type { Answer } from '@ordbook/sdk/operations.ts'
import { inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'

export type InboxEvent = Answer<'listInbox'>['events'][number]

/** Events of one kind within this time share a row. */
const COLLAPSE_HOURS = 6

/** A row of the inbox: the newest event, and the number of older ones that it stands for. */
export interface EventRow {
  event: InboxEvent
  moreCount: number
  isRead: boolean
}

/** Groups events, newest first, by day. Consecutive events of one kind within six hours collapse. */
export function groupEvents(
  events: readonly InboxEvent[],
  now = new Date(),
): { day: string; rows: EventRow[] }[] {
  const groups: { day: string; rows: EventRow[] }[] = []
  for (const event of events) {
    const day = dayOf(new Date(event.at), now)
    if (groups.at(-1)?.day !== day) groups.push({ day, rows: [] })
    const { rows } = groups.at(-1)!
    const last = rows.at(-1)
    const hours = last ? (Date.parse(last.event.at) - Date.parse(event.at)) / 3_600_000 : 0
    if (last?.event.kind === event.kind && hours <= COLLAPSE_HOURS) {
      last.moreCount++
      last.isRead &&= event.isRead
    } else rows.push({ event, moreCount: 0, isRead: event.isRead })
  }
  return groups
}

function dayOf(at: Date, now: Date): string {
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (at.toDateString() === now.toDateString()) return words.today
  if (at.toDateString() === yesterday.toDateString()) return words.yesterday
  return at.toLocaleDateString('en', { dateStyle: 'medium' })
}
