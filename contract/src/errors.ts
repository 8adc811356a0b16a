import { ACCESS } from './errors/access.ts'
import { CONFLICT } from './errors/conflict.ts'
import type { ErrorKind } from './errors/entry.ts'
import { INVALID } from './errors/invalid.ts'
import { MISSING } from './errors/missing.ts'
import { TRANSPORT } from './errors/transport.ts'

/**
 * All error codes. Codes and kinds are stable; messages may change. The error reference and the SDK types are generated from this table.
 */
export const ERRORS = { ...INVALID, ...ACCESS, ...MISSING, ...CONFLICT, ...TRANSPORT }

type Table = typeof ERRORS

/** An error code, optionally of one kind. */
export type ErrorCode<K extends ErrorKind = ErrorKind> = {
  [C in keyof Table]: Table[C]['kind'] extends K ? C : never
}[keyof Table]

/** Returns the documentation path of an error code. */
export const docsPathOf = (code: ErrorCode): string => `/docs/errors#${code}`
