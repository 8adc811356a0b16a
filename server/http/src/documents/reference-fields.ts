interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  default?: unknown
}

interface Field {
  name: string
  type: string
  about: string
}

/** Returns a Markdown table of a schema's fields; empty if there are none. */
export function tableOfFields(title: string, schema: object | undefined): string[] {
  const rows = schema ? fieldsOf(schema as Schema, '') : []
  if (rows.length === 0) return []
  return [
    `**${title}**`,
    '',
    '| Field | Type | |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| \`${row.name}\` | ${row.type} | ${row.about.replaceAll('|', '\\|')} |`),
    '',
  ]
}

/** Lists all fields of a schema, including nested fields and all alternatives of a union. */
function fieldsOf(schema: Schema, prefix: string): Field[] {
  const rows = [schema, ...(schema.anyOf ?? [])].flatMap(({ properties, required = [] }) =>
    Object.entries(properties ?? {}).flatMap(([name, member]) => {
      const { inner, nullable } = unwrap(member)
      const path = `${prefix}${name}${required.includes(name) ? '' : '?'}`
      const field = {
        name: path,
        type: `${typeOf(inner)}${nullable ? ' or null' : ''}`,
        about: aboutOf(inner),
      }
      const isList = inner.type === 'array'
      return [
        field,
        ...fieldsOf(isList ? unwrap(inner.items!).inner : inner, `${path}${isList ? '[]' : ''}.`),
      ]
    }),
  )
  // Merge fields that are common to all alternatives of a union.
  const merged = new Map<string, Field>()
  for (const row of rows) {
    const known = merged.get(row.name)
    if (!known) merged.set(row.name, row)
    else if (!known.type.split(' or ').includes(row.type)) known.type += ` or ${row.type}`
  }
  return [...merged.values()]
}

function aboutOf(schema: Schema): string {
  const sentences = [
    schema.description,
    schema.pattern === undefined ? undefined : `Matches \`${schema.pattern}\`.`,
    schema.uniqueItems ? 'Each at most once.' : undefined,
    schema.multipleOf === undefined ? undefined : `A multiple of ${schema.multipleOf}.`,
    schema.default === undefined ? undefined : `Default ${JSON.stringify(schema.default)}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

function unwrap(schema: Schema): { inner: Schema; nullable: boolean } {
  const others = schema.anyOf?.filter((member) => member.type !== 'null')
  return others?.length === 1 && schema.anyOf!.length === 2
    ? { inner: others[0]!, nullable: true }
    : { inner: schema, nullable: false }
}

function typeOf(schema: Schema): string {
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  const range = (low: number | undefined, high: number | undefined) =>
    low === undefined && high === undefined ? '' : `, ${low ?? 0}..${high ?? ''}`
  switch (schema.type) {
    case 'array': {
      const items = unwrap(schema.items!).inner
      const count = range(schema.minItems, schema.maxItems)
      return `array of ${typeOf(items)}${count && `${count} items`}`
    }
    case 'object': {
      const kind = schema.properties?.kind
      return kind && 'const' in kind ? `object, kind ${typeOf(kind)}` : 'object'
    }
    case 'string':
      return `${schema.format ?? 'string'}${range(schema.minLength, schema.maxLength)}`
    default:
      return schema.exclusiveMinimum === undefined
        ? `${schema.type}${range(schema.minimum, schema.maximum)}`
        : `${schema.type} above ${schema.exclusiveMinimum}${schema.maximum === undefined ? '' : `, at most ${schema.maximum}`}`
  }
}
