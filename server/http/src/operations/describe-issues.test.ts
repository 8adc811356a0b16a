import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { describeIssues, type Issue } from './describe-issues.ts'
import { validators } from './operations.ts'

const Item = Type.Object(
  {
    priceSats: Type.Integer({ minimum: 1000, maximum: 5000, multipleOf: 10 }),
    inscriptionId: Type.String({ pattern: '^[0-9a-f]{4}i0$', examples: ['6fb9i0'] }),
  },
  { additionalProperties: false },
)
const Body = Type.Object({
  walletBindingId: Type.Optional(Type.String({ format: 'uuid' })),
  sort: Type.Optional(Type.Unsafe({ type: 'string', enum: ['price', 'recent'] })),
  items: Type.Optional(Type.Array(Item, { minItems: 1, maxItems: 2 })),
  slugs: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 3 }), { uniqueItems: true })),
  feeRate: Type.Optional(Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()])),
  version: Type.Optional(Type.Literal(1)),
})

function describeFor(schema: TSchema, value: unknown): string {
  const { strict } = validators()
  const check = strict.compile(schema)
  expect(check(value)).toBe(false)
  return describeIssues(check.errors as Issue[])
}

const item = { priceSats: 1000, inscriptionId: '6fb9i0' }

describe('describeIssues', () => {
  it.each([
    ['a string', 'The body must be an object'],
    [{ walletBindingId: 'x' }, 'walletBindingId must be a UUID'],
    [{ walletBindingId: 1 }, 'walletBindingId must be a string'],
    [{ sort: 'size' }, 'sort must be one of price, recent'],
    [{ items: [] }, 'items must have at least 1 entry'],
    [{ items: [item, item, item] }, 'items must have at most 2 entries'],
    [{ items: [{ priceSats: 1000 }] }, 'items[0].inscriptionId is required'],
    [{ items: [{ ...item, price: 1 }] }, 'items[0].price is not a known field. Remove it'],
    [{ items: [item, { ...item, priceSats: 990 }] }, 'items[1].priceSats must be at least 1000'],
    [{ items: [{ ...item, priceSats: 5010 }] }, 'items[0].priceSats must be at most 5000'],
    [{ items: [{ ...item, priceSats: 1001 }] }, 'items[0].priceSats must be a multiple of 10'],
    [{ items: [{ ...item, priceSats: 1.5 }] }, 'items[0].priceSats must be an integer'],
    [{ items: [{ ...item, inscriptionId: 'x' }] }, 'items[0].inscriptionId is not valid. Example: "6fb9i0"'],
    [
      { items: [{ ...item, inscriptionId: '0x6fB9' }] },
      'items[0].inscriptionId begins with 0x. Send the hex without 0x',
    ],
    [{ slugs: [''] }, 'slugs[0] must not be empty'],
    [{ slugs: ['long'] }, 'slugs[0] must have at most 3 characters'],
    [{ slugs: ['a', 'b', 'a'] }, 'duplicate a in slugs'],
    [{ feeRate: 0 }, 'feeRate must be more than 0'],
    [{ feeRate: 'x' }, 'feeRate must be a number or null'],
    [{ version: 2 }, 'version must be 1'],
  ])('describeIssues describes %j', (value, text) => {
    expect(describeFor(Body, value)).toBe(text)
  })

  it('describeIssues unescapes JSON pointers', () => {
    const schema = Type.Object({ 'a/b': Type.Object({ '~c': Type.Integer() }) })
    expect(describeFor(schema, { 'a/b': { '~c': 'x' } })).toBe('a/b.~c must be an integer')
  })
})
