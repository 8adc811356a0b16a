import { first, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

/** Tables of orders with backing coins. */
export type BackedTable = 'offers' | 'collection_offers' | 'acceptances'

const tableOf = (sql: Queryable, table: BackedTable) =>
  ({ offers: sql`offers`, collection_offers: sql`collection_offers`, acceptances: sql`acceptances` })[table]

const keyOf = (sql: Queryable, table: BackedTable) =>
  ({ offers: sql`offer_id`, collection_offers: sql`offer_id`, acceptances: sql`acceptance_id` })[table]

export async function moveOrderState(
  tx: Transaction,
  table: BackedTable,
  orderId: string,
  move: { from: readonly string[]; to: string; reason: string | null; endedAt: Date | null },
): Promise<boolean> {
  const rows = await tx`
    update ${tableOf(tx, table)} set state = ${move.to}, reason = ${move.reason}, ended_at = ${move.endedAt}
    where ${keyOf(tx, table)} = ${orderId} and state = any(${move.from as string[]}::text[]) returning 1`
  return rows.length === 1
}

export async function findOrderState(
  sql: Queryable,
  table: BackedTable,
  orderId: string,
): Promise<string | null> {
  const row = await first(sql<{ state: string }[]>`
    select state from ${tableOf(sql, table)} where ${keyOf(sql, table)} = ${orderId}`)
  return row?.state ?? null
}

export async function lockActiveOrders(
  tx: Transaction,
  table: BackedTable,
  orderIds: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ orderId: string }[]>`
    select ${keyOf(tx, table)} as order_id from ${tableOf(tx, table)}
    where ${keyOf(tx, table)} = any(${orderIds as string[]}::uuid[]) and state = 'active' order by order_id for update`
  return rows.map((row) => row.orderId)
}

/** Returns expired active orders (indexes offers_expiry, collection_offers_expiry and acceptances_expiry). */
export const listExpiredOrders = (sql: Queryable, table: BackedTable, now: Date) => sql<
  { orderId: string; expiresAt: Date }[]
>`
  select ${keyOf(sql, table)} as order_id, expires_at from ${tableOf(sql, table)}
  where state = 'active' and expires_at <= ${now} limit 1000`

/** Returns ended orders that still have rows in `backing_coins`. */
export async function listFinishedOrders(sql: Queryable, table: BackedTable, now: Date): Promise<string[]> {
  const rows = await sql<{ orderId: string }[]>`
    select distinct o.${keyOf(sql, table)} as order_id
    from ${tableOf(sql, table)} o join backing_coins b on b.offer_id = o.${keyOf(sql, table)}
    where not (o.state in ('active', 'accepting', 'filling') or o.state = 'invalidated' and o.expires_at > ${now})`
  return rows.map((row) => row.orderId)
}
