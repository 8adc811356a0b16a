import type { TSchema } from 'typebox'

/** The JSON Schema keywords that the contract uses. */
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

/**
 * Returns a deterministic value that matches a schema, made of the examples of its scalars. A text without an example contains its field's
 * name.
 */
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
