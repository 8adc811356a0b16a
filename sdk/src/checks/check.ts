/**
 * Returns null for a valid value, otherwise the path of the first invalid member and the reason: `/items/0/txid must be string`. For the
 * value itself, the path is empty. Reasons equal typebox's, which validates the same schemas on the server.
 */
export type Check = (value: unknown) => string | null

/**
 * Checks an object whose members are `members`; those in `optional` may be missing or undefined. Additional members are allowed unless it
 * is `closed`.
 */
export function object(
  value: unknown,
  members: Readonly<Record<string, Check>>,
  optional: readonly string[] = [],
  closed = false,
): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ' must be object'
  const names = Object.keys(members)
  const missing = names.filter((name) => !(name in value) && !optional.includes(name))
  if (missing.length > 0) return ` must have required properties ${missing.join(', ')}`
  const unknown = closed && Object.keys(value).find((name) => !Object.hasOwn(members, name))
  if (typeof unknown === 'string') return `/${unknown} must not be present`
  for (const name of names) {
    const member: unknown = Reflect.get(value, name)
    if (member === undefined && optional.includes(name)) continue
    const fault = members[name]!(member)
    if (fault !== null) return `/${name}${fault}`
  }
  return null
}

export const closed = (
  value: unknown,
  members: Readonly<Record<string, Check>>,
  optional?: readonly string[],
): string | null => object(value, members, optional, true)

export function array(value: unknown, item: Check, least = 0, most = Infinity): string | null {
  if (!Array.isArray(value)) return ' must be array'
  for (const [index, each] of value.entries()) {
    const fault = item(each)
    if (fault !== null) return `/${index}${fault}`
  }
  if (value.length < least) return ` must not have fewer than ${least} items`
  return value.length > most ? ` must not have more than ${most} items` : null
}

/** Checks an array of strings or numbers without duplicates. */
export const distinct = (value: unknown, item: Check, least?: number, most?: number): string | null =>
  array(value, item, least, most) ??
  (new Set(value as unknown[]).size < (value as unknown[]).length ? ' must not have duplicate items' : null)

/** Checks a string; lengths are in code points. */
export function text(value: unknown, least = 0, most = Infinity, pattern?: RegExp): string | null {
  if (typeof value !== 'string') return ' must be string'
  if (value.length < 2 * least && [...value].length < least)
    return ` must not have fewer than ${least} characters`
  if (value.length > most && (value.length > 2 * most || [...value].length > most))
    return ` must not have more than ${most} characters`
  return pattern && !pattern.test(value) ? ` must match pattern "${pattern.source}"` : null
}

export function number(value: unknown, least = -Infinity, most = Infinity, above = -Infinity): string | null {
  if (!Number.isFinite(value)) return ' must be number'
  if ((value as number) <= above) return ` must be > ${above}`
  if ((value as number) < least) return ` must be >= ${least}`
  return (value as number) > most ? ` must be <= ${most}` : null
}

export const integer: typeof number = (value, ...limits) =>
  Number.isInteger(value) ? number(value, ...limits) : ' must be integer'

export const boolean: Check = (value) => (typeof value === 'boolean' ? null : ' must be boolean')

export const nothing: Check = (value) => (value === null ? null : ' must be null')

export const anything: Check = () => null

export function oneOf(value: unknown, ...values: readonly (string | number | boolean)[]): string | null {
  const [only] = values
  if (typeof value !== typeof only) return ` must be ${typeof only}`
  if (values.includes(value as string)) return null
  return values.length > 1 ? ' must be equal to one of the allowed values' : ' must be equal to constant'
}

/** Checks that a value satisfies one of the checks; returns the fault of the first. */
export function any(value: unknown, first: Check, ...others: readonly Check[]): string | null {
  const fault = first(value)
  return fault !== null && others.every((check) => check(value) !== null) ? fault : null
}
