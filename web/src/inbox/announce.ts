import { client } from '@ordbook/web-ui/api/client.ts'
import { inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { eventText } from '@ordbook/web-ui/strings/inbox/inbox-events.ts'
import { notify } from '@ordbook/web-ui/ui/messages/toast-list.ts'

/** Shows the unread events after `seenId` as one toast. Event ids grow. */
export async function announceAfter(seenId: string | null): Promise<void> {
  const { events } = await client.call('listInbox', { query: { limit: 10 } })
  const fresh = events.filter((event) => !event.isRead && BigInt(event.eventId) > BigInt(seenId ?? 0))
  const [latest] = fresh
  if (!latest) return
  const [title, text] = eventText(latest)
  const others = fresh.length - 1
  notify({
    kind: 'note',
    title,
    text: others > 0 ? words.more(others) : text,
    links: [{ label: words.all, href: '/inbox' }],
    subject: 'inbox',
  })
}
