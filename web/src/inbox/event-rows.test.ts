import { expect, it } from 'vitest'
import { groupEvents, type InboxEvent } from './event-rows.ts'

const now = new Date(2026, 4, 10, 20)
let id = 100
const event = (kind: InboxEvent['kind'], hoursAgo: number, isRead = true) => {
  const at = new Date(now.getTime() - hoursAgo * 3_600_000).toISOString()
  return { eventId: String(id--), kind, at, isRead } as InboxEvent
}
const shown = (events: readonly InboxEvent[]) =>
  groupEvents(events, now).map(({ day, rows }) => [
    day,
    ...rows.map(
      ({ event: { kind }, moreCount, isRead }) => `${kind} +${moreCount}${isRead ? '' : ' unread'}`,
    ),
  ])

it('groups events by day', () => {
  expect(shown([event('sold', 1), event('outbid', 25), event('sold', 24 * 9)])).toEqual([
    ['Today', 'sold +0'],
    ['Yesterday', 'outbid +0'],
    ['May 1, 2026', 'sold +0'],
  ])
})

it('collapses events of one kind within six hours', () => {
  const events = [
    event('sold', 1),
    event('sold', 2, false),
    event('sold', 7),
    event('sold', 8),
    event('outbid', 8.5),
  ]
  expect(shown(events)).toEqual([['Today', 'sold +2 unread', 'sold +0', 'outbid +0']])
})
