import fc from 'fast-check'

/** Test support: values that a schema accepts. */

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  uri: fc.webUrl(),
}

export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, anyOf, format, properties = {}, required = [] } = schema
  if (anyOf) return fc.oneof(...anyOf.map(valuesOf))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (format !== undefined) return FORMATS[format]!
  if (type === 'object')
    return fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, valuesOf(member)])),
      { requiredKeys: required, noNullPrototype: true },
    )
  if (type === 'array') {
    const { minItems: minLength = 0, maxItems = Infinity } = schema
    const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 2)) }
    const item = valuesOf(schema.items!)
    return schema.uniqueItems ? fc.uniqueArray(item, bounds) : fc.array(item, bounds)
  }
  if (type === 'string') {
    const { minLength = 0, maxLength = 100, pattern } = schema
    return pattern === undefined
      ? fc.string({ minLength, maxLength: Math.min(maxLength, 64), unit: 'grapheme-ascii' })
      : fc.stringMatching(new RegExp(pattern), { maxLength }).filter(({ length }) => length >= minLength)
  }
  const { minimum: min = -1000, maximum: max = Number.MAX_SAFE_INTEGER, exclusiveMinimum } = schema
  if (type === 'integer') return fc.integer({ min: Math.max(min, (exclusiveMinimum ?? -Infinity) + 1), max })
  if (type === 'number')
    return fc.double({ min: exclusiveMinimum === undefined ? min : 1e-9, max, noNaN: true })
  return type === 'boolean' ? fc.boolean() : fc.constant(null)
}

const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  '',
  'x',
  '0'.repeat(64),
  '\u{1f5bc}'.repeat(300),
  'a'.repeat(2001),
  '2026-02-30T00:00:00Z',
  -1,
  0,
  0.5,
  1e300,
  [],
  {},
  ['x', 'x'],
]

/** Returns a copy of a value with one change at a place that `choices` select: another value, a missing, undefined or additional member. */
export function altered(value: unknown, [choice = 0, ...choices]: readonly number[]): unknown {
  if (typeof value === 'object' && value !== null && choices.length > 0 && choice % 8 !== 0) {
    const copy: any = Array.isArray(value) ? [...value] : { ...value }
    const keys = Object.keys(copy)
    const key = keys[choices[0]! % Math.max(keys.length, 1)]
    if (key !== undefined && choice % 8 > 3) copy[key] = altered(copy[key], choices.slice(1))
    else if (Array.isArray(copy)) {
      if (choice % 2 === 0) copy.push(copy[0] ?? 'x')
      else copy.length = 0
    } else if (key !== undefined && choice % 2 === 0) delete copy[key]
    else copy[choice % 4 === 1 || key === undefined ? 'unexpected' : key] = undefined
    return copy
  }
  return REPLACEMENTS[(choices[0] ?? choice) % REPLACEMENTS.length]
}
