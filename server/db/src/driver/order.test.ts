import { describe, expect, it } from 'vitest'
import { keyColumns, keysOf, lastKeys, type Order, onePage, orderBy, parseKeys } from './order.ts'
import { compile, type Statement, tagOf } from './statement.ts'

const sql = tagOf(async () => [])
const textOf = (part: Statement) => compile(part).text.trim().replace(/\s+/g, ' ')

const cheapest = [
  { column: 'price_sats', type: 'bigint', direction: 'asc' },
  { column: 'listed_at', type: 'timestamptz', direction: 'desc' },
  { column: 'listing_id', type: 'uuid', direction: 'desc' },
] as const satisfies Order
const soonest = [
  { column: 'expires_at', type: 'timestamptz', direction: 'asc', nulls: 'last' },
  { column: 'listing_id', type: 'uuid', direction: 'asc' },
] as const satisfies Order
const id = '0b9e7f3a-1111-4222-8333-444455556666'
const time = '2026-01-01 00:00:00.000001+00'

describe('SQL for a sort order', () => {
  it('negates a number with the opposite direction', () => {
    const page = { order: cheapest, after: [1000, time, id] as const, rows: 3 }
    expect(textOf(onePage(sql, page, sql`l`))).toBe(
      'and (-l.price_sats, l.listed_at, l.listing_id) < (-$1::text::bigint, $2::text::timestamptz, $3::text::uuid) ' +
        'order by -l.price_sats desc, l.listed_at desc, l.listing_id desc limit 3',
    )
  })

  it('sorts null times last', () => {
    expect(textOf(orderBy(sql, soonest, sql`k`))).toBe(
      "order by coalesce(k.expires_at, 'infinity'::timestamptz) asc, k.listing_id asc",
    )
  })

  it('omits the condition for the first page', () => {
    expect(textOf(onePage(sql, { order: soonest, after: null, rows: 1 }, sql`k`))).toMatch(/^order by/)
  })

  it('selects the keys for a cursor', () => {
    expect(textOf(keysOf(sql, cheapest, sql`l`))).toBe(
      'jsonb_build_array(l.price_sats, l.listed_at::text, l.listing_id)',
    )
    expect(textOf(keyColumns(sql, cheapest, sql`l`))).toBe(
      'l.price_sats as key_0, l.listed_at as key_1, l.listing_id as key_2',
    )
    expect(textOf(lastKeys(sql, cheapest, 51))).toBe(
      'jsonb_build_array((array_agg(key_0))[50], (array_agg(key_1))[50]::text, (array_agg(key_2))[50])',
    )
  })

  it('rejects a time with the opposite direction', () => {
    const order = [
      { column: 'listed_at', type: 'timestamptz', direction: 'asc' },
      { column: 'listing_id', type: 'uuid', direction: 'desc' },
    ] as const satisfies Order
    expect(() => orderBy(sql, order, sql`l`)).toThrow(
      'listed_at cannot have the opposite direction of the other keys',
    )
  })
})

describe('parseKeys', () => {
  it('returns valid keys', () => {
    expect(parseKeys(cheapest, [1000, time, id])).toEqual([1000, time, id])
    expect(parseKeys(soonest, ['infinity', id])).toEqual(['infinity', id])
  })

  it.each([
    ['too few values', [1000, time]],
    ['too many values', [1000, time, id, 1]],
    ['a number as a string', ['1000', time, id]],
    ['an unsafe integer', [1e300, time, id]],
    ['an invalid time', [1000, 'yesterday', id]],
    ['an invalid id', [1000, time, 'x']],
    ['null values', [null, null, null]],
  ])('returns null for %s', (_, values) => {
    expect(parseKeys(cheapest, values)).toBeNull()
  })
})
