import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** The leg of a listing or a counter: its escrow coin (`txid:vout`) and its generation there. */
export interface LegRow {
  outpoint: string
  generation: number
}

/** The coin and the generation, from the columns `terms` and `transfer_txid` of a table. */
export const legColumns = (sql: Queryable) => sql`
  coalesce((terms #>> '{movedTo,txid}') || ':' || (terms #>> '{movedTo,vout}'), transfer_txid || ':0') as outpoint,
  (terms ->> 'generation')::bigint as generation`
