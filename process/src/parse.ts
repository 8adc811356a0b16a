import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'

export interface CallSchema {
  request: TSchema
  answer: TSchema
}

/** The value does not match its schema. The message has the path of the field. */
export class ParseError extends Error {}

const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Validates a value without coercing it or dropping fields. Throws ParseError. */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  if (validator.Check(value)) return value as Static<S>
  const [first] = validator.Errors(value)
  const reason = first?.keyword === 'boolean' ? 'unknown field' : first?.message
  throw new ParseError(`${what}${first?.instancePath ?? ''} ${reason ?? 'is invalid'}`)
}

/** Parses JSON. Returns null for text that does not match the schema, such as text of another release. */
export function parseJson<S extends TSchema>(schema: S, text: string): Static<S> | null {
  try {
    return parse(schema, JSON.parse(text), 'text')
  } catch {
    return null
  }
}

/** Schema of a byte array with a length or a range of lengths. */
export function Bytes(least: number, most = least) {
  return Type.Refine(
    Type.Unsafe<Uint8Array>({}),
    (value: unknown) => value instanceof Uint8Array && value.length >= least && value.length <= most,
    () => `must be ${least === most ? least : `${least} to ${most}`} bytes`,
  )
}

/** Schema of an object without additional properties. */
export function Exactly<P extends Record<string, TSchema>>(members: P) {
  return Type.Object(members, { additionalProperties: false })
}

/** Schema of an array of `least` to `most` entries. */
export function List<S extends TSchema>(entry: S, most: number, least = 0) {
  return Type.Unsafe<readonly Static<S>[]>(Type.Array(entry, { minItems: least, maxItems: most }))
}

/** Validates arguments and results of the functions of `api`. `refuse` creates the error for invalid arguments. */
export function parsing<Api extends object>(
  calls: Record<string, CallSchema>,
  api: Api,
  refuse: (reason: string) => Error,
): Api {
  const parsed = { ...api } as Record<string, unknown>
  for (const [name, { request, answer }] of Object.entries(calls)) {
    const implementation = (api as Record<string, unknown>)[name]
    if (typeof implementation !== 'function') continue
    parsed[name] = async (value: unknown) => {
      try {
        parse(request, value, 'the request')
      } catch (error) {
        throw error instanceof ParseError ? refuse(error.message) : error
      }
      return parse(answer, (await implementation(value)) ?? null, `the response to ${name}`)
    }
  }
  return parsed as Api
}
