/** Which host of a pair signs, from the journal's last line `term N HOST alone` or `term N HOST paired`. */
export interface Standing {
  /** Increases whenever another host takes over, or a host starts to sign without the other. 0 before the first term. */
  term: number
  /** Name of the active host; empty before the first term. */
  host: string
  /** Whether every line must be on the other host before a response is sent. */
  isPaired: boolean
}

export const HOST = '[a-z0-9][a-z0-9-]{0,31}'
const LINE = new RegExp(`^term ([1-9]\\d{0,8}) (${HOST}) (alone|paired)$`)

/** State before the first term. */
export const NO_STANDING: Standing = { term: 0, host: '', isPaired: false }

/** Parses a line of a journal; null if it is not a term. */
export function standingIn(line: string): Standing | null {
  const [, term, host, mode] = LINE.exec(line) ?? []
  return host ? { term: Number(term), host, isPaired: mode === 'paired' } : null
}

export const lineOf = ({ term, host, isPaired }: Standing): string =>
  `term ${term} ${host} ${isPaired ? 'paired' : 'alone'}`
