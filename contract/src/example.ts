import type { TSchema } from 'typebox'

/** The parts of JSON Schema that the contract uses. */
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
 * A value that matches a schema, composed of the examples of its scalars; fields without one contain their name. Deterministic, so that
 * documents and pages agree.
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
        Object.entries(schema.properties ?? {}).map(([member, each]) => [member, sampleOf(each, member)]),
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
