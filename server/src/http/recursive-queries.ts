import { limitOf, type Queryable } from '../db/connect.ts'

export interface RecursiveRow {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  height: number
  inscribedAt: Date
  contentType: string | null
  contentLength: number | null
  delegateId: string | null
  metadata: Uint8Array | null
  parentIds: string[]
  sat: number | null
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  ownerScript: Uint8Array | null
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
}

const columns = (sql: Queryable) => sql`
  inscription_id, sequence, inscription_number, height, inscribed_at, content_type, length(body) as content_length,
  delegate_id, metadata, parent_ids, sat, txid, vout, sat_offset, output_value_sats, owner_script, cursed, vindicated,
  unbound, reinscription`

export async function findRecursive(sql: Queryable, inscriptionId: string): Promise<RecursiveRow | null> {
  const [row] = await sql<RecursiveRow[]>`
    select ${columns(sql)} from inscriptions where inscription_id = ${inscriptionId}`
  return row ?? null
}

/** Children of an inscription, in order (index inscriptions_parents). */
export function listRecursiveChildren(
  sql: Queryable,
  inscriptionId: string,
  page: { offset: number; rows: number },
): Promise<RecursiveRow[]> {
  return sql<RecursiveRow[]>`
    select ${columns(sql)} from inscriptions
    where parent_ids <> '{}' and parent_ids @> array[${inscriptionId}]::text[] order by sequence
    offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

/** Inscriptions on a sat, in order; from the end where `newest`. */
export function listOnSat(
  sql: Queryable,
  sat: number,
  page: { newest: boolean; offset: number; rows: number },
): Promise<{ inscriptionId: string }[]> {
  return sql<{ inscriptionId: string }[]>`
    select inscription_id from inscriptions where sat = ${sat}
    order by sequence ${page.newest ? sql`desc` : sql`asc`} offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

/** A block of the index by its height, or the last. */
export async function findBlock(
  sql: Queryable,
  height: number | null,
): Promise<{ height: number; blockHash: string; minedAt: Date } | null> {
  const [row] = await sql<{ height: number; blockHash: string; minedAt: Date }[]>`
    select height, block_hash, mined_at from blocks
    where ${height === null ? sql`true` : sql`height = ${height}`} order by height desc limit 1`
  return row ?? null
}
