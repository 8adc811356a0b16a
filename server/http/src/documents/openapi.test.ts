import { isDeepStrictEqual } from 'node:util'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { publicReads } from '@ordbook/contract/public.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { describe, expect, it } from 'vitest'
import { openapiDocument, publicOpenapiDocument, webOpenapiDocument } from './openapi.ts'

interface Schema {
  $ref?: string
  title?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  format?: string
  maximum?: number
  pattern?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  properties?: Record<string, Schema>
}

/** Yields all objects in a value, with their paths. */
function* objectsIn(value: unknown, path: string): Generator<[path: string, schema: Schema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Schema]
  for (const [name, member] of Object.entries(value))
    if (!['example', 'examples'].includes(name)) yield* objectsIn(member, `${path}.${name}`)
}

const pathsOf = (document: object, isFault: (schema: Schema) => boolean) =>
  [...objectsIn(document, '')].filter(([, schema]) => isFault(schema)).map(([path]) => path)

/** Detects an object in a union without a name, for which generators would invent one. */
const isNameless = ({ anyOf = [], oneOf = anyOf }: Schema) =>
  oneOf.some((member) => member.type === 'object' || (member.anyOf && !member.$ref))

/** Detects pattern syntax that RE2, Rust's regex, Python's re or ECMAScript does not support. */
const isUnportable = ({ pattern }: Schema) =>
  typeof pattern === 'string' && /\\[^\\^$.*+?()[\]{}|/xdDwWsSnrt-]|\(\?(?!:)/.test(pattern)

/** Detects constants that generators do not support. */
const isOddConst = ({ const: value }: Schema) => value !== undefined && typeof value !== 'string'

/** Detects unions of objects that generators would merge. */
const isMerged = ({ anyOf }: Schema) => (anyOf ?? []).filter(({ $ref }) => $ref).length > 1

/** Detects numbers that generators would treat as 32 bits, although they can be larger or fractional. */
const isUnsized = ({ type, format, const: value, enum: values, maximum = Infinity }: Schema) =>
  !format &&
  !values &&
  value === undefined &&
  (type === 'number' || (type === 'integer' && maximum >= 2 ** 31))

/** Detects a price that states its unit neither in its name nor in its description. */
const isUnitless = ({ properties = {} }: Schema) =>
  Object.entries(properties).some(([name, { type, description = '', anyOf = [{ type, description }] }]) => {
    const isNumber = anyOf.some((member) => member.type === 'number' || member.type === 'integer')
    const texts = [description, ...anyOf.map((member) => member.description)].join(' ')
    return isNumber && /^(price|floor|lastSale|.*Change)$/.test(name) && !/\b(sats|BTC|percent)\b/.test(texts)
  })

/** Fields of a signing step that clients must understand. */
const OF_SIGNER = /^(sigHash|signingIndexes|publicKey|disableTweakSigner|signerAddress|stepIndex)$/

/** Detects fields of signing steps without a description. */
const isUnexplained = ({ properties = {} }: Schema) =>
  Object.entries(properties).some(
    ([name, { $ref, description }]) => OF_SIGNER.test(name) && !$ref && !description,
  )

describe.each([
  ['API', openapiDocument('http://market.example')],
  ['storefront', webOpenapiDocument('http://market.example')],
  ['public reads', publicOpenapiDocument('http://market.example')],
])('OpenAPI document of the %s', (_, document) => {
  it('each object in a union has a title', () => {
    expect(pathsOf(document, isNameless)).toEqual([])
  })
  it('patterns use portable regex syntax', () => {
    expect(pathsOf(document, isUnportable)).toEqual([])
  })
  it('constants are strings', () => {
    expect(pathsOf(document, isOddConst)).toEqual([])
  })
  it('unions of objects are exclusive', () => {
    expect(pathsOf(document, isMerged)).toEqual([])
  })
  it('numbers above 32 bits have a format', () => {
    expect(pathsOf(document, isUnsized)).toEqual([])
  })
  it('prices state their unit', () => {
    expect(pathsOf(document, isUnitless)).toEqual([])
  })
  it('fields of signing steps are explained', () => {
    expect(pathsOf(document, isUnexplained)).toEqual([])
  })
})

it('schema names do not collide with generated response types', () => {
  const names = new Set(Object.values<Operation>(operations).map(({ id }) => `${id}response`.toLowerCase()))
  const { components } = openapiDocument('http://market.example') as { components: { schemas: object } }
  expect(Object.keys(components.schemas).filter((name) => names.has(name.toLowerCase()))).toEqual([])
})

it('the schema checks detect invalid schemas', () => {
  const wrong = {
    a: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    b: { type: 'string', pattern: '^[^\\u0000\\ud800-\\udfff]*$' },
    c: { type: 'string', pattern: '^(?=a)' },
    d: { type: 'integer', const: 0 },
    h: { type: 'boolean', const: true },
    i: { anyOf: [{ $ref: '#/a' }, { $ref: '#/b' }] },
    j: { oneOf: [{ $ref: '#/a' }, { type: 'object' }] },
    e: { type: 'number' },
    f: { type: 'integer', maximum: 2 ** 31 },
    g: { type: 'integer', maximum: 100 },
    k: {
      properties: {
        price: { type: 'integer', format: 'int64', description: 'The price.' },
        sigHash: { type: 'integer', format: 'int64' },
      },
    },
    l: { properties: { lastSale: { anyOf: [{ type: 'number', format: 'double' }, { type: 'null' }] } } },
    m: { properties: { floor: { type: 'integer', format: 'int64', description: 'In sats.' } } },
  }
  expect(pathsOf(wrong, isNameless)).toEqual(['.a', '.j'])
  expect(pathsOf(wrong, isUnportable)).toEqual(['.b', '.c'])
  expect(pathsOf(wrong, isOddConst)).toEqual(['.d', '.h'])
  expect(pathsOf(wrong, isMerged)).toEqual(['.i'])
  expect(pathsOf(wrong, isUnsized)).toEqual(['.e', '.f'])
  expect(pathsOf(wrong, isUnitless)).toEqual(['.k', '.l'])
  expect(pathsOf(wrong, isUnexplained)).toEqual(['.k'])
})

it('schema names are unique', () => {
  const all = Object.values<Operation>({ ...operations, ...webOperations, ...publicReads })
  const byTitle = new Map<string, unknown>()
  const duplicates = new Set<string>()
  for (const { body, answer } of all)
    for (const [, schema] of objectsIn(JSON.parse(JSON.stringify([body, answer])), '')) {
      if (typeof schema.title !== 'string') continue
      const known = byTitle.get(schema.title) ?? schema
      if (!isDeepStrictEqual(known, schema)) duplicates.add(schema.title)
      byTitle.set(schema.title, known)
    }
  expect([...duplicates]).toEqual([])
})
