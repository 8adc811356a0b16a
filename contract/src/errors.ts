import { ACCESS } from './errors/access.ts'
import { CONFLICT } from './errors/conflict.ts'
import type { ErrorKind } from './errors/entry.ts'
import { INVALID } from './errors/invalid.ts'
import { MISSING } from './errors/missing.ts'
import { TRANSPORT } from './errors/transport.ts'

/**
 * All errors of a market by code. Codes and kinds are stable; texts may change. The server throws from this table, the reference
 * prints it, and the SDK derives its types from it.
 */
export const ERRORS = { ...INVALID, ...ACCESS, ...MISSING, ...CONFLICT, ...TRANSPORT }

type Table = typeof ERRORS

/** A code of the table; with a kind, one of that kind. */
export type ErrorCode<K extends ErrorKind = ErrorKind> = {
  [C in keyof Table]: Table[C]['kind'] extends K ? C : never
}[keyof Table]

/** Path of the reference entry of a code, from the root of a market. */
export const docsPathOf = (code: ErrorCode): string => `/docs/errors#${code}`
