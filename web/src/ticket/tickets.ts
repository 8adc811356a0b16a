import { useSyncExternalStore } from 'react'
import { begin, editing, failed, restored, type Ticket } from './machine.ts'

/** The tickets of this tab by subject, in session storage: they survive a reload and a change of page. */
const PREFIX = 'ticket:'
const tickets = new Map<string, Ticket>()
const watchers = new Set<() => void>()

function keep(subject: string, ticket: Ticket | null): void {
  try {
    if (ticket) sessionStorage.setItem(PREFIX + subject, JSON.stringify(ticket))
    else sessionStorage.removeItem(PREFIX + subject)
  } catch {
    // A browser that refuses storage keeps them until the page is left.
  }
  if (ticket) tickets.set(subject, ticket)
  else tickets.delete(subject)
  for (const watcher of watchers) watcher()
}

/** The ticket of a subject; null while there is none. */
function ticketOf(subject: string): Ticket | null {
  const known = tickets.get(subject)
  if (known) return known
  try {
    const kept = restored(JSON.parse(sessionStorage.getItem(PREFIX + subject) ?? 'null'))
    if (kept) tickets.set(subject, kept)
    return kept
  } catch {
    return null
  }
}

const subscribe = (watcher: () => void) => {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
  }
}

export const ticketActions = {
  /** Marks that the wallet or the market is asked. */
  begin: (subject: string, what: string) => keep(subject, begin(ticketOf(subject), what)),
  /** Ends an action that was done. */
  settled: (subject: string) => keep(subject, null),
  /** Goes back to the fields, with the reason. False without fields: no form is open to show it. */
  failed(subject: string, reason: string): boolean {
    const ticket = ticketOf(subject)
    const hasFields = ticket !== null && ticket.fields !== null
    keep(subject, hasFields ? failed(ticket, reason) : null)
    return hasFields
  },
  edit: (subject: string, fields: unknown) => keep(subject, editing(ticketOf(subject), fields)),
  close: (subject: string) => keep(subject, null),
}

export const useTicket = (subject: string): Ticket | null =>
  useSyncExternalStore(subscribe, () => ticketOf(subject))

let running: readonly string[] = []
/** The names of all actions that run now. */
export const useRunning = (): readonly string[] =>
  useSyncExternalStore(subscribe, () => {
    const now = [...tickets.values()].flatMap(({ phase, what }) =>
      phase === 'running' && what ? [what] : [],
    )
    if (now.join('\n') !== running.join('\n')) running = now
    return running
  })
