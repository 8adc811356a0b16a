import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A JSON schema, with the keywords that the published interface and a market's documents use. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  [bound: string]: unknown
}
export interface Operation {
  id: string
  query: Record<string, Schema>
  requiredQuery: string[]
  body?: Schema
  answer: Schema
  statuses: number[]
  token: boolean
}
export interface Interface {
  /** By method and path. */
  operations: Map<string, Operation>
  schemas: Record<string, Schema>
}

/** Parses the published interface in interface.txt. */
export function readInterface(): Interface {
  const text = readFileSync(join(import.meta.dirname, 'interface.txt'), 'utf8')
  const [scalars, types, operations] = text
    .split(/^## .*\n/m)
    .slice(1)
    .map((part) => part.split('\n').filter(Boolean)) as [string[], string[], string[]]
  const schemas = Object.fromEntries(scalars.map(readScalar))
  for (const [head, ...members] of blocksOf(types)) readType(head!, members, schemas)
  const read = new Map(blocksOf(operations).map(([head, ...facts]) => readOperation(head!, facts)))
  return { operations: read, schemas }
}

/** Groups lines by the preceding line without indentation. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = []
  for (const line of lines)
    if (line.startsWith('  ')) blocks.at(-1)!.push(line.trim())
    else blocks.push([line])
  return blocks
}

function readScalar(line: string): [string, Schema] {
  const [name, type, ...bounds] = line.split(' ')
  const schema: Schema = { type: type! }
  for (const bound of bounds) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(bound)!
    schema[key!] = /^\d+$/.test(value!) ? Number(value) : value
  }
  return [name!, schema]
}

/** Parses `Name`, `Name extends Base` or `Name closed` with fields, or `Name = One | Other`. */
function readType(head: string, members: readonly string[], schemas: Record<string, Schema>): void {
  const [name, union] = head.split(' = ')
  if (union) {
    schemas[name!] = readExpression(union)
    return
  }
  const [, own, base, closed] = /^(\w+)(?: extends (\w+))?( closed)?$/.exec(head)!
  const inherited = base ? schemas[base]! : { properties: {}, required: [] }
  const schema: Schema = {
    type: 'object',
    properties: { ...inherited.properties },
    required: [...inherited.required!],
    ...(closed ? { additionalProperties: false } : {}),
  }
  for (const member of members) {
    const [key, optional, type] = readMember(member)
    schema.properties![key] = type
    if (!optional) schema.required!.push(key)
  }
  schemas[own!] = schema
}

function readMember(line: string): [key: string, optional: boolean, type: Schema] {
  const [, key, optional, type] = /^(\w+)(\?)?: (.+)$/.exec(line)!
  return [key!, optional !== undefined, readExpression(type!)]
}

function readExpression(text: string): Schema {
  const alternatives = text.split(' | ').map((each): Schema => {
    if (each.endsWith('[]')) return { type: 'array', items: readExpression(each.slice(0, -2)) }
    if (/^(string|integer|number|boolean|null)$/.test(each)) return { type: each }
    return /^[A-Z]/.test(each) ? { $ref: `#/components/schemas/${each}` } : { const: JSON.parse(each) }
  })
  return alternatives.length === 1 ? alternatives[0]! : { anyOf: alternatives }
}

function readOperation(head: string, facts: readonly string[]): [string, Operation] {
  const [method, path, id] = head.split(' ')
  const operation: Operation = {
    id: id!,
    query: {},
    requiredQuery: [],
    answer: {},
    statuses: [],
    token: false,
  }
  for (const fact of facts) {
    const [, word, rest] = /^(\w+) (.+)$/.exec(fact)!
    if (word === 'query') {
      const [key, optional, type] = readMember(rest!)
      operation.query[key] = type
      if (!optional) operation.requiredQuery.push(key)
    } else if (word === 'statuses') operation.statuses = rest!.split(' ').map(Number)
    else if (word === 'token') operation.token = rest === 'yes'
    else if (word === 'body' || word === 'answer') operation[word] = readExpression(rest!)
    else throw new Error(`unknown fact: ${fact}`)
  }
  return [`${method} ${path}`, operation]
}
