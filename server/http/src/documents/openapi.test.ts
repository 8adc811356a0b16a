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
}

/** Every object below a value, with its path. */
function* objectsIn(value: unknown, path: string): Generator<[path: string, each: Schema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Schema]
  for (const [name, member] of Object.entries(value))
    if (!['example', 'examples'].includes(name)) yield* objectsIn(member, `${path}.${name}`)
}

const found = (document: object, isFault: (each: Schema) => boolean) =>
  [...objectsIn(document, '')].filter(([, each]) => isFault(each)).map(([path]) => path)

/** A member of a union that a generator would have to invent a name for. */
const isNameless = ({ anyOf }: Schema) =>
  (anyOf ?? []).some((each) => each.type === 'object' || (each.anyOf && !each.$ref))

/** Parts of patterns that some of RE2, Rust's regex, Python's re and ECMAScript do not take. */
const isPeculiar = ({ pattern }: Schema) =>
  typeof pattern === 'string' && /\\[^\\^$.*+?()[\]{}|/xdDwWsSnrt-]|\(\?(?!:)/.test(pattern)

const isVagueConst = ({ const: value, type }: Schema) => Number.isInteger(value) && type !== 'integer'

/** A number that generators would take for one of 32 bits, though it may be larger or finer. */
const isUnsized = ({ type, format, const: value, enum: values, maximum = Infinity }: Schema) =>
  !format &&
  !values &&
  value === undefined &&
  (type === 'number' || (type === 'integer' && maximum >= 2 ** 31))

describe.each([
  ['of the API', openapiDocument('http://market.example')],
  ['of the storefront', webOpenapiDocument('http://market.example')],
  ['of public reads', publicOpenapiDocument('http://market.example')],
])('the document %s', (_, document) => {
  it('names each object in a union', () => {
    expect(found(document, isNameless)).toEqual([])
  })
  it('uses only patterns that regex engines of every language support', () => {
    expect(found(document, isPeculiar)).toEqual([])
  })
  it('gives integer constants the type integer', () => {
    expect(found(document, isVagueConst)).toEqual([])
  })
  it('declares the size of numbers above 32 bits', () => {
    expect(found(document, isUnsized)).toEqual([])
  })
})

it('uses no schema name that generators derive for responses', () => {
  const names = new Set(Object.values<Operation>(operations).map(({ id }) => `${id}response`.toLowerCase()))
  const { components } = openapiDocument('http://market.example') as { components: { schemas: object } }
  expect(Object.keys(components.schemas).filter((each) => names.has(each.toLowerCase()))).toEqual([])
})

it('detects the shapes that it checks', () => {
  const wrong = {
    a: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    b: { type: 'string', pattern: '^[^\\u0000\\ud800-\\udfff]*$' },
    c: { type: 'string', pattern: '^(?=a)' },
    d: { type: 'number', const: 0 },
    e: { type: 'number' },
    f: { type: 'integer', maximum: 2 ** 31 },
    g: { type: 'integer', maximum: 100 },
  }
  expect(found(wrong, isNameless)).toEqual(['.a'])
  expect(found(wrong, isPeculiar)).toEqual(['.b', '.c'])
  expect(found(wrong, isVagueConst)).toEqual(['.d'])
  expect(found(wrong, isUnsized)).toEqual(['.e', '.f'])
})

it('has unique schema names', () => {
  const all = Object.values<Operation>({ ...operations, ...webOperations, ...publicReads })
  const byTitle = new Map<string, unknown>()
  const twice = new Set<string>()
  for (const { body, answer } of all)
    for (const [, each] of objectsIn(JSON.parse(JSON.stringify([body, answer])), '')) {
      if (typeof each.title !== 'string') continue
      const known = byTitle.get(each.title) ?? each
      if (!isDeepStrictEqual(known, each)) twice.add(each.title)
      byTitle.set(each.title, known)
    }
  expect([...twice]).toEqual([])
})
