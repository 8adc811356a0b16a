import type { Interface, Operation, Schema } from './read-interface.ts'

type Direction = 'request' | 'answer'
type Schemas = Record<string, Schema>
/** A schema, split by the JSON types that it allows. */
interface Shape {
  /** Types other than objects and arrays, each with the bounds of its schema. */
  plain: Map<string, Schema>
  /** The constants of an enumeration, as JSON. */
  values: Set<string>
  items: Schema[]
  objects: { name: string; schema: Schema }[]
}

const BOUNDS = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'] as const

/** Returns the operations of an OpenAPI document. */
export function interfaceOf(document: any): Interface {
  const operations = new Map<string, Operation>()
  for (const [path, methods] of Object.entries<any>(document.paths))
    for (const [method, each] of Object.entries<any>(methods)) {
      const query = each.parameters.filter((parameter: any) => parameter.in === 'query')
      operations.set(`${method.toUpperCase()} ${path}`, {
        id: each.operationId,
        query: Object.fromEntries(query.map(({ name, schema }: any) => [name, schema])),
        requiredQuery: query.filter(({ required }: any) => required).map(({ name }: any) => name),
        body: each.requestBody?.content['application/json'].schema,
        answer: each.responses[200].content['application/json'].schema,
        statuses: Object.keys(each.responses).map(Number),
        token: each.security.length > 0,
      })
    }
  return { operations, schemas: document.components.schemas }
}

/**
 * Returns every difference between a served and the published interface that a client can notice, as sorted lines: operations, parameters,
 * fields, types, null, enumerations, and bounds that the published interface states.
 */
export function differences(published: Interface, served: Interface): string[] {
  const found = new Set<string>()
  const compared = new Set<string>()
  for (const key of served.operations.keys()) if (!published.operations.has(key)) found.add(`${key}: added`)
  for (const [key, ours] of published.operations) {
    const theirs = served.operations.get(key)
    if (!theirs) found.add(`${key}: removed`)
    else compareOperation(key, ours, theirs)
  }
  return [...found].sort()

  function compareOperation(key: string, one: Operation, other: Operation): void {
    if (one.id !== other.id) found.add(`${key}: operationId ${other.id}`)
    if (one.token !== other.token) found.add(`${key}: token`)
    for (const status of one.statuses)
      if (!other.statuses.includes(status)) found.add(`${key}: status ${status} removed`)
    const asObject = ({ query, requiredQuery }: Operation): Schema => ({
      properties: query,
      required: requiredQuery,
    })
    compareObjects(`${one.id} query`, asObject(one), asObject(other), 'request')
    if (!one.body !== !other.body) found.add(`${key}: body`)
    else if (one.body) compare(`${one.id} body`, one.body, other.body!, 'request')
    compare(`${one.id} answer`, one.answer, other.answer, 'answer')
  }

  function compare(at: string, one: Schema, other: Schema, direction: Direction): void {
    const ours = shapeOf(one, published.schemas, at)
    const theirs = shapeOf(other, served.schemas, at)
    const report = (what: string) => found.add(`${at} (${direction}): ${what}`)
    for (const value of ours.values) if (!accepts(theirs, value)) report(`${value} removed`)
    for (const value of theirs.values) if (!accepts(ours, value)) report(`${value} added`)
    for (const [type, schema] of ours.plain) {
      const same = theirs.plain.get(type)
      if (!same) report(`${type} removed`)
      else if (schema.format !== undefined && same.format !== schema.format)
        report(`format ${same.format} for ${schema.format}`)
      for (const bound of same ? BOUNDS : [])
        if (schema[bound] !== undefined && same![bound] !== schema[bound])
          report(`${bound} ${same![bound]} for ${schema[bound]}`)
    }
    for (const type of theirs.plain.keys()) if (!ours.plain.has(type)) report(`${type} added`)
    if (ours.items.length !== theirs.items.length) report('array')
    else for (const [n, items] of ours.items.entries()) compare(at, items, theirs.items[n]!, direction)
    if (ours.objects.length !== theirs.objects.length)
      report(`${theirs.objects.length} kinds of objects for ${ours.objects.length}`)
    for (const { name, schema } of ours.objects) {
      const partner = theirs.objects.find((object) => tagOf(object.schema) === tagOf(schema))
      if (!partner) report(`${name} removed`)
      else if (!compared.has(`${name} ${partner.name} ${direction}`)) {
        compared.add(`${name} ${partner.name} ${direction}`)
        compareObjects(name, schema, partner.schema, direction)
      }
    }
  }

  function compareObjects(name: string, one: Schema, other: Schema, direction: Direction): void {
    const report = (what: string) => found.add(`${name} (${direction}): ${what}`)
    if ((one.additionalProperties === false) !== (other.additionalProperties === false))
      report('closed or open')
    for (const [key, member] of Object.entries(one.properties ?? {})) {
      const same = other.properties?.[key]
      if (!same) {
        report(`${key} removed`)
        continue
      }
      const [was, is] = [one, other].map(({ required }) => required?.includes(key) ?? false)
      if (was !== is) report(`${key} ${is ? 'required' : 'optional'}`)
      compare(`${name}.${key}`, member, same, direction)
    }
    for (const key of Object.keys(other.properties ?? {}))
      if (!one.properties?.[key])
        report(`${key} added${direction === 'request' && other.required?.includes(key) ? ', required' : ''}`)
  }
}

/** Whether a shape allows a constant, explicitly or by its type. */
const accepts = ({ values, plain }: Shape, value: string) =>
  values.has(value) || plain.has(typeOf(JSON.parse(value)))

const typeOf = (value: unknown) =>
  value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value

/** Returns the constant that distinguishes the objects of a union. */
const tagOf = ({ properties }: Schema) => properties?.kind?.const ?? properties?.view?.const

function shapeOf(schema: Schema, schemas: Schemas, name: string): Shape {
  const shape: Shape = { plain: new Map(), values: new Set(), items: [], objects: [] }
  gather(schema, schemas, name, shape)
  return shape
}

function gather(schema: Schema, schemas: Schemas, name: string, shape: Shape): void {
  const { $ref, anyOf, oneOf = anyOf, const: constant, enum: values, type, items } = schema
  if ($ref) {
    const referred = $ref.split('/').at(-1)!
    if (!schemas[referred]) throw new Error(`${name} refers to ${referred}, which is not defined`)
    gather(schemas[referred], schemas, referred, shape)
  } else if (oneOf) for (const each of oneOf) gather(each, schemas, name, shape)
  else if (constant !== undefined || values)
    for (const value of values ?? [constant]) {
      if (value === null) shape.plain.set('null', {})
      else shape.values.add(JSON.stringify(value))
    }
  else
    for (const each of [type].flat()) {
      if (each === 'array') shape.items.push(items!)
      else if (each === 'object') shape.objects.push({ name, schema })
      else shape.plain.set(each!, schema)
    }
}
