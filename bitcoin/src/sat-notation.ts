import { subsidyAt } from './inscription-flow.ts'

/** Total supply in sats. */
export const SAT_SUPPLY = 2_099_999_997_690_000
const HALVING = 210_000
const DIFFICULTY_INTERVAL = 2016
/** Halvings per cycle (ord handbook, "Ordinal Theory"). */
const CYCLE = 6
/** Drift between halvings and difficulty adjustments, in blocks per halving. */
const DRIFT = HALVING % DIFFICULTY_INTERVAL

/**
 * Parses a sat number, name, degree, decimal or percentile (ord handbook, "Ordinal Theory"). Uses mainnet's schedule on all chains, like
 * ord. Returns null if invalid.
 */
export function satOfText(text: string): number | null {
  if (/[a-z]/.test(text)) return satOfName(text)
  if (text.includes('°')) return satOfDegree(text)
  if (text.includes('%')) return satOfPercentile(text)
  if (text.includes('.')) return satOfDecimal(text)
  const sat = wholeOf(text)
  return sat !== null && sat < SAT_SUPPLY ? sat : null
}

/** Parses an unsigned integer. Accepts a plus and leading zeros, like ord. */
function wholeOf(text: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const digits = /^\+?0*(\d{1,16})$/.exec(text)?.[1]
  return digits !== undefined && Number(digits) <= most ? Number(digits) : null
}

function satOfName(name: string): number | null {
  let fromEnd = 0
  for (const letter of name) {
    if (letter < 'a' || letter > 'z') return null
    fromEnd = fromEnd * 26 + letter.charCodeAt(0) - 96
    if (fromEnd > SAT_SUPPLY) return null
  }
  return SAT_SUPPLY - fromEnd
}

function satOfBlock(height: number, offset: number): number | null {
  if (offset >= subsidyAt(height, HALVING)) return null
  let first = 0
  let start = 0
  for (; start + HALVING <= height; start += HALVING) first += subsidyAt(start, HALVING) * HALVING
  return first + (height - start) * subsidyAt(start, HALVING) + offset
}

function satOfDecimal(text: string): number | null {
  const [, height, offset] = /^([^.]*)\.(.*)$/s.exec(text)!
  const [block, place] = [wholeOf(height!, 0xffffffff), wholeOf(offset!)]
  return block === null || place === null ? null : satOfBlock(block, place)
}

function satOfDegree(text: string): number | null {
  const parts = /^([^°]*)°([^′]*)′([^″]*)″(?:([^‴]*)‴)?$/u.exec(text)
  if (!parts) return null
  const [cycle, inEpoch, inPeriod] = parts.slice(1, 4).map((part) => wholeOf(part, 0xffffffff))
  const offset = parts[4] === undefined ? 0 : wholeOf(parts[4])
  if (cycle == null || inEpoch == null || inPeriod == null || offset === null) return null
  if (inEpoch >= HALVING || inPeriod >= DIFFICULTY_INTERVAL) return null
  // The difference between the offsets identifies the epoch.
  const apart = inPeriod + HALVING * CYCLE - inEpoch
  if (apart % DRIFT !== 0) return null
  const epoch = cycle * CYCLE + (apart % DIFFICULTY_INTERVAL) / DRIFT
  return satOfBlock(epoch * HALVING + inEpoch, offset)
}

function satOfPercentile(text: string): number | null {
  const number = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:E[+-]?\d+)?)%$/.exec(text)?.[1]
  if (number === undefined) return null
  const sat = Math.round((Number(number) / 100) * (SAT_SUPPLY - 1))
  return Number(number) >= 0 && sat < SAT_SUPPLY ? sat : null
}
