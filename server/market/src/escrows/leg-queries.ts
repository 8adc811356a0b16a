import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Escrow coin (`txid:vout`) and generation of a leg. */
export interface LegRow {
  outpoint: string
  generation: number
}

export const legColumns = (sql: Queryable) => sql`
  coalesce((terms #>> '{movedTo,txid}') || ':' || (terms #>> '{movedTo,vout}'), transfer_txid || ':0') as outpoint,
  (terms ->> 'generation')::bigint as generation`
