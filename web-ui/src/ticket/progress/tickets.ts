import { createStore } from '../../state/create-store.ts'
import { progress as words } from '../../strings/progress.ts'
import {
  begin,
  editing,
  failed,
  type Left,
  restored,
  type Step,
  type Subject,
  stepped,
  type Ticket,
} from './machine.ts'
import { sentActions } from './sent.ts'

/** Tickets are kept in sessionStorage across reloads. */
const PREFIX = 'ticket:'
const LEFT: Record<Left, string> = { 'left-unsent': words.leftUnsent, 'left-sending': words.leftSending }
const tickets = new Map<string, Ticket>()
const version = createStore(0)

function keep(subject: string, ticket: Ticket | null): void {
  try {
    if (ticket) sessionStorage.setItem(PREFIX + subject, JSON.stringify(ticket))
    else sessionStorage.removeItem(PREFIX + subject)
  } catch {
    // Without storage, tickets last until the page is unloaded.
  }
  if (ticket) tickets.set(subject, ticket)
  else tickets.delete(subject)
  version.set(version.get() + 1)
}

function ticketOf(subject: string): Ticket | null {
  const known = tickets.get(subject)
  if (known) return known
  try {
    const kept = restored(
      JSON.parse(sessionStorage.getItem(PREFIX + subject) ?? 'null'),
      (left) => LEFT[left],
    )
    if (kept) tickets.set(subject, kept)
    return kept
  } catch {
    return null
  }
}

export const ticketActions = {
  begin: (subject: string, what: string) => keep(subject, begin(ticketOf(subject), what)),
  step(subject: string, step: Step, about?: Subject): void {
    const ticket = stepped(ticketOf(subject), step, about)
    if (ticket) keep(subject, ticket)
  },
  settled: (subject: string) => keep(subject, null),
  failed: (subject: string, reason: string, isCancelled: boolean) =>
    keep(subject, failed(ticketOf(subject), reason, isCancelled)),
  /** Removes an ended action from the list of progress. Its ticket keeps the message. */
  hide(subject: string): void {
    const ticket = ticketOf(subject)
    if (ticket) keep(subject, { ...ticket, step: null })
  },
  isSending: (subject: string) => ticketOf(subject)?.step?.at === 'send',
  edit: (subject: string, fields: unknown) => keep(subject, editing(ticketOf(subject), fields)),
  close: (subject: string) => keep(subject, null),
}

/** Callbacks that report the progress of an action. */
export function progressOf(subject: string) {
  let about: Subject | undefined
  return {
    checks(subjectOf: Subject) {
      about = subjectOf
      ticketActions.step(subject, { at: 'check' }, about)
    },
    signs: (wallet: string, signed: number, of: number) =>
      ticketActions.step(subject, { at: 'sign', wallet, signed, of }),
    sends: () => ticketActions.step(subject, { at: 'send' }),
    sent(txid: string) {
      if (about) sentActions.add({ txid, title: about.title, items: about.items })
    },
  }
}

export const useTicket = (subject: string): Ticket | null => version.use(() => ticketOf(subject))

export type OfSubject = Ticket & { subject: string }

let cached: readonly OfSubject[] = []
let heldOf: readonly Ticket[] = []
/** Running, cancelled and failed actions without a form, most recent last. The array is stable between changes. */
export const useProgress = (): readonly OfSubject[] =>
  version.use(() => {
    const now = [...tickets].filter(([, { step, phase }]) => step !== null && phase !== 'editing')
    if (now.length !== heldOf.length || now.some(([, ticket], n) => ticket !== heldOf[n])) {
      heldOf = now.map(([, ticket]) => ticket)
      cached = now.map(([subject, ticket]) => ({ ...ticket, subject }))
    }
    return cached
  })
