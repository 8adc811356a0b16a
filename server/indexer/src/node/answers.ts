import { unavailable } from '@ordbook/db/process/errors.ts'
import { ParseError, parse } from '@ordbook/process/parse.ts'
import { type Static, type TSchema, Type } from 'typebox'

/** Validates a response. `what` names the response in the error. Throws `unavailable`. */
export type Reader<T> = (answer: unknown, what: string) => T

/** Returns a reader for a schema. Ignores other fields. */
export function readerOf<S extends TSchema>(
  schema: S,
  source: 'Bitcoin node' | 'ord server',
): Reader<Static<S>> {
  return (answer, what) => {
    try {
      return parse(schema, answer, what)
    } catch (cause) {
      if (!(cause instanceof ParseError)) throw cause
      throw unavailable(
        source === 'ord server' ? 'ord-unavailable' : 'node-unavailable',
        `Unexpected response from the ${source}: ${cause.message}`,
        cause,
      )
    }
  }
}

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
export const Count = Type.Integer({ minimum: 0 })
/** Block hash or txid in hex. Checks only the length, for speed. */
export const Hash = Type.String({ minLength: 64, maxLength: 64 })
