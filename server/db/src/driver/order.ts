import type { Fragment, Queryable } from './connect.ts'
import { limitOf } from './connect.ts'

/** The JavaScript type of a key's value in a cursor, by its PostgreSQL type. */
interface KeyValues {
  int: number
  bigint: number
  timestamptz: string
  uuid: string
  text: string
}
export type KeyType = keyof KeyValues

/** A column that rows are sorted by. */
interface Key {
  column: string
  type: KeyType
  direction: 'asc' | 'desc'
  /** For a time that may be null: rows without one come last. */
  nulls?: 'last'
}

/**
 * A sort order: the keys, the most significant first, the last one unique. Everything that depends on an order derives
 * from it: `order by`, the condition that begins a page after the last row of the one before, and the cursor.
 */
export type Order = readonly Key[]

/** The values of some keys, as a cursor holds them. A time is PostgreSQL's own text, exact to the microsecond. */
export type KeyValuesOf<Keys extends readonly { type: KeyType }[]> = {
  readonly [I in keyof Keys]: KeyValues[Keys[I]['type']]
}

/** A page of rows in an order: its start and its length. */
export interface PageOf<O extends Order> {
  order: O
  /** The keys of the last row of the page before; null for the first page. */
  after: KeyValuesOf<O> | null
  /** One more than the page holds. */
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

/** The values of keys; null where they are not one value of the right type for each key. */
export function parseKeys<const Keys extends readonly { type: KeyType }[]>(
  keys: Keys,
  values: readonly unknown[],
): KeyValuesOf<Keys> | null {
  const isRight = values.length === keys.length && keys.every(({ type }, n) => IS_VALUE[type](values[n]))
  return isRight ? (values as unknown as KeyValuesOf<Keys>) : null
}

/** `order by` for rows of a table, by its name in the statement. */
export function orderBy(sql: Queryable, order: Order, table: Fragment): Fragment {
  const { direction } = order.at(-1)!
  return sql.unsafe(
    `order by ${order.map((key) => `${termOf(key, table, direction)} ${direction}`).join(', ')}`,
  )
}

/** The end of a statement that reads one page of a table's rows: after its other conditions. */
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
 * The same among the rows of one collection. A plan knows how many rows a collection has on average. If that is less than a page, it
 * would read and sort all rows of the largest. A limit that it does not know makes it expect a tenth, so it follows the index.
 */
export const onePageOfCollection = <const O extends Order>(
  sql: Queryable,
  page: PageOf<O>,
  table: Fragment,
): Fragment => onePage(sql, page, table, sql`${String(page.rows)}::text::bigint`)

/** The columns of the keys, for `lastKeys` around them. */
export function keyColumns(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(order.map((key, n) => `${columnOf(key, table)} as key_${n}`).join(', '))
}

/** The keys of the last row that a page of `rows` holds, among the rows that `keyColumns` was selected from. */
export function lastKeys(sql: Queryable, order: Order, rows: number): Fragment {
  const last = order.map((key, n) =>
    textOf(key, `(array_agg(key_${n}))[${limitOf(sql, rows - 1).strings[0]}]`),
  )
  return sql.unsafe(`jsonb_build_array(${last.join(', ')})`)
}

/** The keys of each row of a table. */
export function keysOf(sql: Queryable, order: Order, table: Fragment): Fragment {
  return sql.unsafe(`jsonb_build_array(${order.map((key) => textOf(key, columnOf(key, table))).join(', ')})`)
}

/** All terms of an order run one way, so that one comparison of rows finds where a page begins, and an index serves it. */
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

/** A number that runs against the other keys is negated. */
function signOf({ column, type, direction }: Key, all: Key['direction']): string {
  if (direction === all) return ''
  if (type !== 'int' && type !== 'bigint') throw new TypeError(`${column} cannot run against the other keys`)
  return '-'
}

function columnOf({ column, direction, nulls }: Key, { strings }: Fragment): string {
  const name = `${strings[0]}.${column}`
  return nulls ? `coalesce(${name}, '${direction === 'asc' ? '' : '-'}infinity'::timestamptz)` : name
}

const textOf = ({ type }: Key, expression: string) =>
  type === 'timestamptz' ? `${expression}::text` : expression
