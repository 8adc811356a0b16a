import type { TSchema } from 'typebox'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  examples?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  minimum?: number
  minItems?: number
  default?: unknown
}

/** Builds a deterministic example from the examples of a schema's scalars. Strings without an example contain the field name. */
export function exampleOf(schema: TSchema, name = 'text'): unknown {
  return sampleOf(schema as Schema, name)
}

function sampleOf(schema: Schema, name: string): unknown {
  if (schema.examples) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.default ?? schema.enum[0]
  if (schema.anyOf) return sampleOf(schema.anyOf.at(0)!, name)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, property]) => [
          member,
          sampleOf(property, member),
        ]),
      )
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sampleOf(schema.items!, name))
    case 'integer':
    case 'number':
      return schema.default ?? schema.minimum ?? 1
    case 'boolean':
      return schema.default ?? false
    case 'null':
      return null
    default:
      return name
  }
}
