import { Exactly, parse } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'
import { canonical, hashOf } from './chain.ts'
import { Change } from './change.ts'

/** A change by its number, with the hash of its line, which commits to all previous lines. */
export interface Place {
  position: number
  hash: string
}

export interface ReadChange extends Place {
  change: object
}

/** A line is no longer, in bytes; a hostile log takes no more memory. */
export const MAX_LINE_BYTES = 1 << 22

export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Line = Exactly({ position: Count, previous: Hash, change: Type.Object({}) })

/** A line is none of the log, or does not follow the one before. */
export class LineError extends Error {
  /** The line has the next number, and names another one as the line before. */
  readonly otherPrevious: string | null

  constructor(message: string, options: { cause?: unknown; otherPrevious?: string } = {}) {
    super(message, { cause: options.cause })
    this.otherPrevious = options.otherPrevious ?? null
  }
}

/** Reads the line that follows `last`. Throws LineError. */
export function readLine(line: Uint8Array, last: Place): ReadChange {
  const { position, previous, change } = parsed(line)
  demandNext(position, previous, last)
  return { position, hash: hashOf(line), change }
}

/** Texts that PostgreSQL does not store: a market has none of them. */
const UNSTORABLE = /(^|[^\\])(\\\\)*\\u(0000|d[89a-f])/

/** Reads the line of a stranger that follows `last`: its change is one that an import takes, written as an export writes it. Throws LineError. */
export function checkLine(line: Uint8Array, last: Place): ReadChange {
  const { position, previous, change } = parsed(line)
  demandNext(position, previous, last)
  const text = asWritten({ position, previous, change })
  if (text === null || !Buffer.from(text).equals(line))
    throw new LineError('it is not written as an export writes it')
  if (UNSTORABLE.test(text)) throw new LineError('it holds a text that no market stores')
  try {
    parse(Change, change, 'its change')
  } catch (cause) {
    throw new LineError(`it does not match the schema: ${(cause as Error).message}`, { cause })
  }
  return { position, hash: hashOf(line), change }
}

function parsed(line: Uint8Array) {
  try {
    return parse(Line, JSON.parse(Buffer.from(line).toString()), '')
  } catch (cause) {
    throw new LineError(cause instanceof SyntaxError ? 'not valid JSON' : (cause as Error).message.trim(), {
      cause,
    })
  }
}

/** Returns null if the value is nested too deep to be written. */
function asWritten(line: object): string | null {
  try {
    return canonical(line)
  } catch {
    return null
  }
}

function demandNext(position: number, previous: string, last: Place): void {
  if (position === last.position + 1 && previous === last.hash) return
  throw new LineError(
    `change ${position} does not follow the one before: a line was changed, moved or left out`,
    position === last.position + 1 ? { otherPrevious: previous } : {},
  )
}
