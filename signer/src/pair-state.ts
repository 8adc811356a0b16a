/** The host that signs, as the journal of a pair of hosts says: the last line `term N HOST alone` or `term N HOST paired`. */
export interface Standing {
  /** Rises whenever another host begins, or one begins again without the other. 0 before the first. */
  term: number
  /** Name of the host that signs; empty before the first term. */
  host: string
  /** Whether nothing is answered before the other host has it. */
  isPaired: boolean
}

export const HOST = '[a-z0-9][a-z0-9-]{0,31}'
const LINE = new RegExp(`^term ([1-9]\\d{0,8}) (${HOST}) (alone|paired)$`)

/** Nothing was said yet. */
export const NO_STANDING: Standing = { term: 0, host: '', isPaired: false }

/** Reads a line of a journal; null where it is about something else. */
export function standingIn(line: string): Standing | null {
  const [, term, host, mode] = LINE.exec(line) ?? []
  return host ? { term: Number(term), host, isPaired: mode === 'paired' } : null
}

export const lineOf = ({ term, host, isPaired }: Standing): string =>
  `term ${term} ${host} ${isPaired ? 'paired' : 'alone'}`
