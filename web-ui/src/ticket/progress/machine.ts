/** The step that a running action is at. */
export type Step =
  /** The market prepares the trade, the page checks it, and the visitor reviews it. */
  | { at: 'check' }
  /** The wallet has signed `signed` of `of` transactions. */
  | { at: 'sign'; wallet: string; signed: number; of: number }
  /** The signed trade is on its way to the market. */
  | { at: 'send' }

export interface SubjectItem {
  inscriptionId: string
  name: string
  /** The way that it takes by the trade, seen from the visitor. */
  goes: 'leaves' | 'arrives' | 'stays'
}

/** The subject matter of an action, as its review names it. */
export interface Subject {
  title: string
  items: readonly SubjectItem[]
  /** Whether it ends with a transaction in a block. A listing or an offer waits for another party. */
  settles: boolean
}

/**
 * The state of a ticket: `editing` while its fields are open, `running` while the wallet or the market is asked, `failed` where an
 * action without fields came to nothing. The first two keep the fields, so that a refusal, an error or a reload loses nothing that was
 * typed.
 */
export interface Ticket {
  phase: 'editing' | 'running' | 'failed'
  /** The fields of the form, as the form wrote them. */
  fields: unknown
  /** The running or failed action in words. */
  what: string | null
  /** The reason for which the last attempt failed, in words. */
  failure: string | null
  /** The step at which the action is, or at which it failed. */
  step: Step | null
  /** Known once the action has read what it is about. */
  about: Subject | null
}

const NEW: Ticket = { phase: 'editing', fields: null, what: null, failure: null, step: null, about: null }

/** Fields changed: the failure of an earlier attempt is no longer true of them. A running ticket does not change. */
export const editing = (ticket: Ticket | null, fields: unknown): Ticket =>
  ticket?.phase === 'running' ? ticket : { ...NEW, fields }

export const begin = (ticket: Ticket | null, what: string): Ticket => ({
  ...NEW,
  fields: ticket?.fields ?? null,
  phase: 'running',
  what,
  step: { at: 'check' },
})

/** A running ticket at its next step; any other one as it is, since a late answer changes no ticket that has ended. */
export const stepped = (ticket: Ticket | null, step: Step, about?: Subject): Ticket | null =>
  ticket?.phase === 'running' ? { ...ticket, step, about: about ?? ticket.about } : ticket

/** Goes back to the fields; without any there is only the failure to show. */
export const failed = (ticket: Ticket | null, reason: string): Ticket => {
  const { fields, what, step, about } = ticket ?? NEW
  return { phase: fields === null ? 'failed' : 'editing', fields, what, failure: reason, step, about }
}

/** The reason that a visitor reads who left the page while an action ran. */
export type Left = 'left-unsent' | 'left-sending'

/**
 * A ticket from storage; null for anything else. One that ran when the page was left is open again, or failed where it had no fields:
 * `reasonOf` says why in words.
 */
export function restored(value: unknown, reasonOf: (left: Left) => string): Ticket | null {
  if (typeof value !== 'object' || value === null) return null
  const { phase, fields = null, what, failure, step }: Partial<Record<keyof Ticket, unknown>> = value
  const kept = { ...NEW, fields, what: typeof what === 'string' ? what : null }
  if (phase === 'running') {
    const left = stepIn(step)
    return failed({ ...kept, step: left }, reasonOf(left.at === 'send' ? 'left-sending' : 'left-unsent'))
  }
  if (phase !== 'editing' || fields === null) return null
  return { ...kept, what: null, failure: typeof failure === 'string' ? failure : null }
}

/** A stored step; the first one for anything else. */
function stepIn(value: unknown): Step {
  if (typeof value !== 'object' || value === null) return { at: 'check' }
  const { at, wallet, signed, of }: { at?: unknown; wallet?: unknown; signed?: unknown; of?: unknown } = value
  if (at === 'send') return { at }
  if (at === 'sign' && typeof wallet === 'string' && typeof signed === 'number' && typeof of === 'number')
    return { at, wallet, signed, of }
  return { at: 'check' }
}
