import { Exactly, parse } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'
import { canonical, hashOf } from './chain.ts'
import { Change } from './change.ts'

/** Position of a change and the hash of its line, which commits to all previous lines. */
export interface Place {
  position: number
  hash: string
}

export interface ReadChange extends Place {
  change: object
}

/** Maximum length of a line in bytes, which limits memory. */
export const MAX_LINE_BYTES = 1 << 22

export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Line = Exactly({ position: Count, previous: Hash, change: Type.Object({}) })

/** A line is invalid or does not follow the previous line. */
export class LineError extends Error {
  /** Set if the position is correct but the previous hash differs. */
  readonly otherPrevious: string | null

  constructor(message: string, options: { cause?: unknown; otherPrevious?: string } = {}) {
    super(message, { cause: options.cause })
    this.otherPrevious = options.otherPrevious ?? null
  }
}

/** Parses the line that follows `last`. Throws LineError. */
export function readLine(line: Uint8Array, last: Place): ReadChange {
  const { position, previous, change } = parsed(line)
  assertFollows(position, previous, last)
  return { position, hash: hashOf(line), change }
}

/** Characters that PostgreSQL cannot store. */
const UNSTORABLE = /(^|[^\\])(\\\\)*\\u(0000|d[89a-f])/

/** Like `readLine`, for untrusted lines: also checks the schema and the canonical form. Throws LineError. */
export function checkLine(line: Uint8Array, last: Place): ReadChange {
  const { position, previous, change } = parsed(line)
  assertFollows(position, previous, last)
  const text = asWritten({ position, previous, change })
  if (text === null || !Buffer.from(text).equals(line))
    throw new LineError('the line is not in canonical form')
  if (UNSTORABLE.test(text)) throw new LineError('the line contains a character that PostgreSQL cannot store')
  try {
    parse(Change, change, 'its change')
  } catch (cause) {
    throw new LineError(`the change does not match the schema: ${(cause as Error).message}`, { cause })
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

/** Returns the canonical form, or null if the value is nested too deeply. */
function asWritten(line: object): string | null {
  try {
    return canonical(line)
  } catch {
    return null
  }
}

function assertFollows(position: number, previous: string, last: Place): void {
  if (position === last.position + 1 && previous === last.hash) return
  throw new LineError(
    `change ${position} does not follow the previous line: a line was changed, moved or removed`,
    position === last.position + 1 ? { otherPrevious: previous } : {},
  )
}
