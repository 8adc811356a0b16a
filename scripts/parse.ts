import type { Static, TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'

/** Parses a value by a schema. Throws an Error with a line for each invalid field. */
export function parseAs<const S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (Check(schema, value)) return value as Static<S>
  throw new Error(
    Errors(schema, value)
      .map(({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.')}: ${message}`)
      .join('\n'),
  )
}
