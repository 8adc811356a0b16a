/** The active host of a pair, from the last line `term N HOST alone` or `term N HOST paired`. */
export interface PairState {
  /** Increases when a host takes over or starts to sign alone; 0 before the first term. */
  term: number
  /** Active host; empty before the first term. */
  host: string
  /** Every line must be on the other host's disk before a response is sent. */
  isPaired: boolean
}

export const HOST = '[a-z0-9][a-z0-9-]{0,31}'
const LINE = new RegExp(`^term ([1-9]\\d{0,8}) (${HOST}) (alone|paired)$`)

export const NO_PAIR_STATE: PairState = { term: 0, host: '', isPaired: false }

/** Parses a journal line. Returns null if it is not a term. */
export function pairStateIn(line: string): PairState | null {
  const [, term, host, mode] = LINE.exec(line) ?? []
  return host ? { term: Number(term), host, isPaired: mode === 'paired' } : null
}

export const lineOf = ({ term, host, isPaired }: PairState): string =>
  `term ${term} ${host} ${isPaired ? 'paired' : 'alone'}`
