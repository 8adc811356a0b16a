export type Step =
  /** The page checks the prepared trade. */
  | { at: 'check' }
  /** The wallet has signed `signed` of `of` transactions. */
  | { at: 'sign'; wallet: string; signed: number; of: number }
  | { at: 'send' }

export interface SubjectItem {
  inscriptionId: string
  name: string
  /** Direction of the item for the visitor. */
  goes: 'leaves' | 'arrives' | 'stays'
}

export interface Subject {
  title: string
  items: readonly SubjectItem[]
  /** True if the action ends with a transaction. */
  settles: boolean
}

/** State of a ticket. `failed` is only for actions without fields; others return to `editing`. */
export interface Ticket {
  phase: 'editing' | 'running' | 'failed'
  fields: unknown
  what: string | null
  failure: string | null
  /** The visitor stopped it, in the review or in the wallet. */
  isCancelled: boolean
  step: Step | null
  /** Null until the action has read its items. */
  about: Subject | null
}

const NEW: Ticket = {
  phase: 'editing',
  fields: null,
  what: null,
  failure: null,
  isCancelled: false,
  step: null,
  about: null,
}

/** Updates the fields and clears the last error. */
export const editing = (ticket: Ticket | null, fields: unknown): Ticket =>
  ticket?.phase === 'running' ? ticket : { ...NEW, fields }

export const begin = (ticket: Ticket | null, what: string): Ticket => ({
  ...NEW,
  fields: ticket?.fields ?? null,
  phase: 'running',
  what,
  step: { at: 'check' },
})

/** Moves a running ticket to a step. Ignores late responses. */
export const stepped = (ticket: Ticket | null, step: Step, about?: Subject): Ticket | null =>
  ticket?.phase === 'running' ? { ...ticket, step, about: about ?? ticket.about } : ticket

/** Records a failure. With fields, the ticket returns to `editing`. */
export const failed = (ticket: Ticket | null, reason: string, isCancelled = false): Ticket => {
  const { fields, what, step, about } = ticket ?? NEW
  return {
    phase: fields === null ? 'failed' : 'editing',
    fields,
    what,
    failure: reason,
    isCancelled,
    step,
    about,
  }
}

/** Progress when the visitor left the page. */
export type Left = 'left-unsent' | 'left-sending'

/** Restores a stored ticket. Returns null if it cannot be restored. */
export function restored(value: unknown, reasonOf: (left: Left) => string): Ticket | null {
  if (typeof value !== 'object' || value === null) return null
  const {
    phase,
    fields = null,
    what,
    failure,
    step,
    isCancelled,
  }: Partial<Record<keyof Ticket, unknown>> = value
  const kept = { ...NEW, fields, what: typeof what === 'string' ? what : null }
  if (phase === 'running') {
    const left = stepIn(step)
    const isUnsent = left.at !== 'send'
    return failed({ ...kept, step: left }, reasonOf(isUnsent ? 'left-unsent' : 'left-sending'), isUnsent)
  }
  if (phase !== 'editing' || fields === null) return null
  return {
    ...kept,
    what: null,
    failure: typeof failure === 'string' ? failure : null,
    isCancelled: isCancelled === true,
  }
}

function stepIn(value: unknown): Step {
  if (typeof value !== 'object' || value === null) return { at: 'check' }
  const { at, wallet, signed, of }: { at?: unknown; wallet?: unknown; signed?: unknown; of?: unknown } = value
  if (at === 'send') return { at }
  if (at === 'sign' && typeof wallet === 'string' && typeof signed === 'number' && typeof of === 'number')
    return { at, wallet, signed, of }
  return { at: 'check' }
}
