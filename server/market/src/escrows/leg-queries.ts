import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Escrow coin (`txid:vout`) and generation of the leg of a listing or counter-offer. */
export interface LegRow {
  outpoint: string
  generation: number
}

/** Columns of a LegRow, from `terms` and `transfer_txid` of a table. */
export const legColumns = (sql: Queryable) => sql`
  coalesce((terms #>> '{movedTo,txid}') || ':' || (terms #>> '{movedTo,vout}'), transfer_txid || ':0') as outpoint,
  (terms ->> 'generation')::bigint as generation`
