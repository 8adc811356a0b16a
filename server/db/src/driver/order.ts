import type { Fragment, Queryable } from './connect.ts'
import { limitOf } from './connect.ts'

interface KeyValues {
  int: number
  bigint: number
  timestamptz: string
  uuid: string
  text: string
}
export type KeyType = keyof KeyValues

interface Key {
  column: string
  type: KeyType
  direction: 'asc' | 'desc'
  /** Sorts null times last. */
  nulls?: 'last'
}

/** A sort order, most significant key first. The last key must be unique. `order by`, page conditions and cursors are derived from it. */
export type Order = readonly Key[]

/** Key values of a cursor. Times are PostgreSQL's text, to keep microseconds. */
export type KeyValuesOf<Keys extends readonly { type: KeyType }[]> = {
  readonly [I in keyof Keys]: KeyValues[Keys[I]['type']]
}

export interface PageOf<O extends Order> {
  order: O
  /** Keys of the last row of the previous page; null for the first page. */
  after: KeyValuesOf<O> | null
  /** Page size plus one, to detect a next page. */
  rows: number
}

const TIME = /^(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}|infinity|-infinity)$/
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)
const IS_VALUE: Record<KeyType, (value: unknown) => boolean> = {
  int: Number.isSafeInteger,
  bigint: Number.isSafeInteger,
  timestamptz: matches(TIME),
  uuid: matches(UUID),
  text: (value) => typeof value === 'string',
}

export function parseKeys<const Keys extends readonly { type: KeyType }[]>(
  keys: Keys,
  values: readonly unknown[],
): KeyValuesOf<Keys> | null {
  const isRight = values.length === keys.length && keys.every(({ type }, n) => IS_VALUE[type](values[n]))
  return isRight ? (values as unknown as KeyValuesOf<Keys>) : null
}

/** Returns the `order by` clause. `table` is an alias. */
export function orderBy(sql: Queryable, order: Order, table: Fragment): Fragment {
  const { direction } = order.at(-1)!
  return sql.unsafe(
    `order by ${order.map((key) => `${termOf(key, table, direction)} ${direction}`).join(', ')}`,
  )
}

/** Returns condition, order and limit of one page. */
export function onePage<const O extends Order>(
  sql: Queryable,
  { order, after, rows }: PageOf<O>,
  table: Fragment,
  limit = limitOf(sql, rows),
): Fragment {
  const position: readonly (string | number)[] | null = after
  return sql`${position ? isAfter(sql, order, table, position) : sql``} ${orderBy(sql, order, table)} limit ${limit}`
}

/**
 * Like `onePage`, for one collection. Hides the limit from the planner, which would otherwise assume an average collection and sort all
 * rows of a large one.
 */
export const onePageOfCollection = <const O extends Order>(
  sql: Queryable,
  page: PageOf<O>,
  table: Fragment,
): Fragment => onePage(sql, page, table, sql`${String(page.rows)}::text::bigint`)

/** Returns key columns for `lastKeys` in a surrounding query. */
export function keyColumns(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(order.map((key, n) => `${columnOf(key, table)} as key_${n}`).join(', '))
}

/** Returns the keys of a page's last row, selected with `keyColumns`. */
export function lastKeys(sql: Queryable, order: Order, rows: number): Fragment {
  const last = order.map((key, n) =>
    textOf(key, `(array_agg(key_${n}))[${limitOf(sql, rows - 1).strings[0]}]`),
  )
  return sql.unsafe(`jsonb_build_array(${last.join(', ')})`)
}

/** Returns each row's keys as a JSON array. */
export function keysOf(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(`jsonb_build_array(${order.map((key) => textOf(key, columnOf(key, table))).join(', ')})`)
}

/** Returns the condition for rows after a position. All terms sort in the same direction, so one row comparison can use an index. */
function isAfter(
  sql: Queryable,
  order: Order,
  table: Fragment,
  after: readonly (string | number)[],
): Fragment {
  const { direction } = order.at(-1)!
  const terms = order.map((key) => termOf(key, table, direction)).join(', ')
  const values = order
    .map((key, n) => sql`${sql.unsafe(signOf(key, direction))}${after[n]!}::text::${sql.unsafe(key.type)}`)
    .reduce((before, value) => sql`${before}, ${value}`)
  return sql`and (${sql.unsafe(terms)}) ${sql.unsafe(direction === 'asc' ? '>' : '<')} (${values})`
}

const termOf = (key: Key, table: Fragment, direction: Key['direction']) =>
  `${signOf(key, direction)}${columnOf(key, table)}`

function signOf({ column, type, direction }: Key, all: Key['direction']): string {
  if (direction === all) return ''
  if (type !== 'int' && type !== 'bigint')
    throw new TypeError(`${column} cannot have the opposite direction of the other keys`)
  return '-'
}

function columnOf({ column, direction, nulls }: Key, { strings }: Fragment): string {
  const name = `${strings[0]}.${column}`
  return nulls ? `coalesce(${name}, '${direction === 'asc' ? '' : '-'}infinity'::timestamptz)` : name
}

const textOf = ({ type }: Key, expression: string) =>
  type === 'timestamptz' ? `${expression}::text` : expression
