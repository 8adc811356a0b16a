import type { Fragment, Queryable } from './connect.ts'
import { limitOf } from './connect.ts'

/** JavaScript types of key values in a cursor, by PostgreSQL type. */
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
  /** For a nullable time: rows with null are last. */
  nulls?: 'last'
}

/**
 * A sort order: keys, most significant first; the last key must be unique. `order by`, the condition for the
 * next page and the cursor are derived from it.
 */
export type Order = readonly Key[]

/** Key values of a cursor. A time is PostgreSQL's text, because it has microseconds. */
export type KeyValuesOf<Keys extends readonly { type: KeyType }[]> = {
  readonly [I in keyof Keys]: KeyValues[Keys[I]['type']]
}

export interface PageOf<O extends Order> {
  order: O
  /** Keys of the previous page's last row; null for the first page. */
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

/** Returns the `order by` clause. `table` is the table's alias. */
export function orderBy(sql: Queryable, order: Order, table: Fragment): Fragment {
  const { direction } = order.at(-1)!
  return sql.unsafe(
    `order by ${order.map((key) => `${termOf(key, table, direction)} ${direction}`).join(', ')}`,
  )
}

/** Returns the end of a statement that reads one page: condition, order and limit. */
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
 * Like `onePage`, for the rows of one collection. The planner assumes an average collection; if that has
 * less than a page, it would read and sort all rows of the largest collection. It does not see this limit,
 * so it assumes a tenth of the rows and uses the index.
 */
export const onePageOfCollection = <const O extends Order>(
  sql: Queryable,
  page: PageOf<O>,
  table: Fragment,
): Fragment => onePage(sql, page, table, sql`${String(page.rows)}::text::bigint`)

/** Returns the key columns, which `lastKeys` reads in a surrounding query. */
export function keyColumns(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(order.map((key, n) => `${columnOf(key, table)} as key_${n}`).join(', '))
}

/** Returns the keys of the last row of a page, from rows selected with `keyColumns`. */
export function lastKeys(sql: Queryable, order: Order, rows: number): Fragment {
  const last = order.map((key, n) =>
    textOf(key, `(array_agg(key_${n}))[${limitOf(sql, rows - 1).strings[0]}]`),
  )
  return sql.unsafe(`jsonb_build_array(${last.join(', ')})`)
}

/** Returns the keys of each row as a JSON array. */
export function keysOf(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(`jsonb_build_array(${order.map((key) => textOf(key, columnOf(key, table))).join(', ')})`)
}

/**
 * Returns the condition for rows after a position. All terms have the same direction, so one row comparison
 * suffices and an index supports it.
 */
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

/** Returns the sign of a term: numbers with the opposite direction are negated. */
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
