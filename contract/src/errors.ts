import { ACCESS } from './errors/access.ts'
import { CONFLICT } from './errors/conflict.ts'
import type { ErrorKind } from './errors/entry.ts'
import { INVALID } from './errors/invalid.ts'
import { MISSING } from './errors/missing.ts'
import { TRANSPORT } from './errors/transport.ts'

/**
 * All errors of a market by code. Codes and kinds are stable; texts can change. The server, the error reference and the SDK's types are
 * generated from this table.
 */
export const ERRORS = { ...INVALID, ...ACCESS, ...MISSING, ...CONFLICT, ...TRANSPORT }

type Table = typeof ERRORS

/** An error code, optionally of one kind. */
export type ErrorCode<K extends ErrorKind = ErrorKind> = {
  [C in keyof Table]: Table[C]['kind'] extends K ? C : never
}[keyof Table]

/** Returns the path of a code's reference entry on a market. */
export const docsPathOf = (code: ErrorCode): string => `/docs/errors#${code}`
