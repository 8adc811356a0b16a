/**
 * The state of a ticket: `editing` while its fields are open, `running` while the wallet or the market is asked. Both keep the
 * fields, so that a refusal, an error or a reload loses nothing that was typed.
 */
export interface Ticket {
  phase: 'editing' | 'running'
  /** The fields of the form, as the form wrote them. */
  fields: unknown
  /** The running action in words. */
  what: string | null
  /** The reason for which the last attempt failed, in words. */
  failure: string | null
}

const NEW: Ticket = { phase: 'editing', fields: null, what: null, failure: null }

/** Fields changed: the failure of an earlier attempt is no longer true of them. A running ticket does not change. */
export const editing = (ticket: Ticket | null, fields: unknown): Ticket =>
  ticket?.phase === 'running' ? ticket : { ...NEW, fields }

export const begin = (ticket: Ticket | null, what: string): Ticket => ({
  ...(ticket ?? NEW),
  phase: 'running',
  what,
  failure: null,
})

export const failed = (ticket: Ticket | null, reason: string): Ticket => ({
  ...(ticket ?? NEW),
  phase: 'editing',
  what: null,
  failure: reason,
})

/** A ticket from storage; null for anything else. One that ran when the page was left is open again, unless it had no fields. */
export function restored(value: unknown): Ticket | null {
  if (typeof value !== 'object' || value === null) return null
  const { phase, fields = null, failure }: Partial<Record<keyof Ticket, unknown>> = value
  if (phase !== 'editing' && phase !== 'running') return null
  if (fields === null) return null
  return { ...NEW, fields, failure: phase === 'editing' && typeof failure === 'string' ? failure : null }
}
