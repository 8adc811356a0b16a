/** The keywords of JSON Schema that responses use. */
export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  title?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: false
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
  const?: string | number | boolean
  enum?: (string | number | boolean)[]
  anyOf?: Schema[]
}

/** The keywords that are printed for each type, apart from `enum` and `const`, which exclude all others. */
const PRINTED: Readonly<Record<string, readonly (keyof Schema)[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum'],
  number: ['minimum', 'maximum', 'exclusiveMinimum'],
  boolean: [],
  null: [],
}
const NOTES = ['description', 'examples', 'default']
const FORMATS = ['uuid', 'date-time', 'uri']

/** Parses a schema of the contract and drops its notes. Throws for a keyword that cannot be printed as a check. */
export function schemaOf(given: object): Schema {
  const schema: Record<string, unknown> = { ...given }
  for (const note of NOTES) delete schema[note]
  const { type, title: _, ...restrictions } = schema as Schema
  const allowed = allowedKeywords(schema as Schema)
  for (const keyword of Object.keys(restrictions))
    if (!allowed.includes(keyword as keyof Schema))
      throw new Error(`cannot print ${keyword} of the schema ${JSON.stringify(given)}`)
  const { properties, items, anyOf } = restrictions
  return {
    ...(schema as Schema),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, schemaOf(member)]),
      ),
    }),
    ...(items && { items: schemaOf(items) }),
    ...(anyOf && { anyOf: anyOf.map(schemaOf) }),
  }
}

function allowedKeywords({
  type,
  anyOf,
  enum: values,
  const: value,
  format,
}: Schema): readonly (keyof Schema)[] {
  if (anyOf) return type === undefined ? ['anyOf'] : []
  if (values) return ['enum']
  if (value !== undefined) return ['const']
  if (format !== undefined) return FORMATS.includes(format) ? ['format'] : []
  return PRINTED[type ?? ''] ?? []
}

/** Returns the same text for schemas that accept the same values. */
export const keyOf = (schema: Schema): string =>
  JSON.stringify(schema, (name, value) => (name === 'title' && typeof value === 'string' ? undefined : value))

/** Returns the schemas in a schema, with the name of the member that each describes. */
export const partsOf = (
  { properties = {}, items, anyOf = [] }: Schema,
  member: string,
): [Schema, string][] => [
  ...Object.entries(properties).map(([name, each]): [Schema, string] => [each, name]),
  ...[...(items ? [items] : []), ...anyOf].map((each): [Schema, string] => [each, member]),
]
