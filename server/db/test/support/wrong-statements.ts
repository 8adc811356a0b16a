import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Statements for check-sql.test.ts. Each has the error in its name. */
interface Row {
  listingId: string
  priceSats: number
}

export const right = (sql: Queryable) => sql<Row[]>`select listing_id, price_sats from listings`

export const unknownColumn = (sql: Queryable) => sql<Row[]>`select listing_id, price from listings`

export const missingColumn = (sql: Queryable) => sql<Row[]>`select listing_id from listings`

export const surplusColumn = (sql: Queryable) =>
  sql<Row[]>`select listing_id, price_sats, seller_script from listings`

export const wrongType = (sql: Queryable) => sql<Row[]>`select listing_id, price_sats::text from listings`

export const wrongParameter = (sql: Queryable, live: boolean) =>
  sql<Row[]>`select listing_id, price_sats from listings where price_sats = ${live}`

export const nullable = (sql: Queryable) =>
  sql<Row[]>`select listing_id, transfer_height as price_sats from listings`

export const nullableByJoin = (sql: Queryable) => sql<Row[]>`
  select l.listing_id, s.price_sats from listings l left join sales s on s.inscription_id = l.inscription_id`

export async function untyped(sql: Queryable) {
  const [row] = await sql`select listing_id from listings`
  return row
}

/** Only the `price` variant has an unknown column. */
export async function wrongVariant(sql: Queryable, sort: 'price' | 'recent'): Promise<Row[]> {
  const order = { price: sql`price`, recent: sql`listed_at` }[sort]
  return sql`select listing_id, price_sats from listings order by ${order}`
}

/** PostgreSQL cannot infer the type of the parameter. */
export const wrongNull = (sql: Queryable, since: Date | null) =>
  sql<Row[]>`select listing_id, price_sats from listings where ${since} is null`

export const unclear = (sql: Queryable, column: string) =>
  sql<Row[]>`select listing_id, ${sql(column)} as price_sats from listings`
