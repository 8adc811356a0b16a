import { keyOf, partsOf, type Schema } from './schema.ts'

const FORMATS: Readonly<Record<string, string>> = { uuid: 'Uuid', 'date-time': 'Time' }
const KINDS: Readonly<Record<string, string>> = {
  object: 'Members',
  array: 'List',
  string: 'Text',
  integer: 'Integer',
  number: 'Numeric',
}

/**
 * Returns a function that names the schemas of the answers: by title, by member if all members with this schema have the same name,
 * otherwise by type. Equal names get a number.
 */
export function freshNames(
  answers: readonly (readonly [id: string, answer: Schema])[],
): (schema: Schema) => string {
  const members = new Map<string, Set<string>>()
  const visit = (schema: Schema, member: string) => {
    const key = keyOf(schema)
    members.set(key, (members.get(key) ?? new Set()).add(member))
    for (const [part, name] of partsOf(schema, member)) visit(part, name)
  }
  for (const [id, answer] of answers) visit(answer, id)

  const uses = new Map<string, number>()
  const plainNameOf = (schema: Schema): string => {
    const { title, type, format, enum: values, const: value, anyOf } = schema
    if (title) return title
    if (anyOf?.length === 2 && anyOf[1]!.type === 'null') return `Nullable${plainNameOf(anyOf[0]!)}`
    const [only, ...more] = members.get(keyOf(schema))!
    if (only && more.length === 0) return only[0]!.toUpperCase() + only.slice(1)
    if (values || value !== undefined) return 'Choice'
    return FORMATS[format ?? ''] ?? KINDS[type ?? ''] ?? 'Either'
  }
  return (schema) => {
    const name = plainNameOf(schema)
    const count = (uses.get(name) ?? 0) + 1
    uses.set(name, count)
    return count === 1 ? name : `${name}${count}`
  }
}
